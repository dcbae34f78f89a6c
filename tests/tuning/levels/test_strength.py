"""The measurement of weaker levels: who plays whom, how ratings become Elo, and what is kept in files."""

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import chess.engine
import pytest

from engine.play.strength import FILE as STRENGTH
from engine.play.strength import FULL_SKILL, LEVELS, Level
from tuning.common.errors import EngineFailure, SetupError
from tuning.levels.strength import (
    FILE,
    LEVELS_PER_ANCHOR,
    Games,
    Measurements,
    anchor_spec,
    elos_of,
    encounters,
    fitted,
    level_spec,
    line,
    rising,
)  # fmt: skip
from tuning.statistics.elo import expected_score
from tuning.strength import main


def results(
    elos: dict[str, float], pairs: list[tuple[str, str]], games: int = 10_000
) -> dict[tuple[str, str], list[float]]:
    """What players of these strengths would score against each other, without draws."""
    counts = {}
    for first, second in pairs:
        wins = games * expected_score(elos[first] - elos[second])
        counts[first, second] = [games - wins, 0.0, wins]
    return counts


@pytest.fixture
def known(monkeypatch):
    """Levels whose Elo no new fit changes: 800, 900 and so on."""
    levels = [replace(level, elo=800.0 + 100 * number) for number, level in enumerate(LEVELS)]
    monkeypatch.setattr("tuning.levels.strength.LEVELS", levels)


def test_levels_play_anchors_or_neighbours_outside_them(known):
    played = [(a.name, b.name) for a, b in encounters([0, 4, 8, 12, 16], [1, 4])]
    assert played == [
        ("Level 0", "Level 4"), ("Level 4", "Level 8"),  # 800 and 1200 are weaker than Skill Level 1
        ("Level 8", "Level 12"), ("Level 12", "Level 16"),  # 2000 and 2400 are stronger than Skill Level 4
        ("Level 4", "Stockfish 1468"), ("Level 8", "Stockfish 1468"),
        ("Level 8", "Stockfish 1923"), ("Level 12", "Stockfish 1923"),
    ]  # fmt: skip
    assert len([pair for pair in played if pair[1] == "Stockfish 1923"]) == LEVELS_PER_ANCHOR


@pytest.mark.parametrize("skill", [2, 8])
def test_anchor_reaches_the_depth_of_its_choice(skill):
    """Else it would play its best move, as at full strength."""
    spec = anchor_spec(skill)
    try:
        command = spec.resolved_command()
    except EngineFailure:
        pytest.skip("no stockfish")
    board = chess.Board("r1bqkb1r/pp2pppp/2np1n2/6B1/3NP3/2N5/PPP2PPP/R2QKB1R b KQkq - 1 6")
    with chess.engine.SimpleEngine.popen_uci(list(command)) as engine:
        engine.configure({**spec.options, "Hash": 16, "Threads": 1})
        limit = chess.engine.Limit(nodes=spec.limits.nodes)
        played = engine.play(board, limit, info=chess.engine.INFO_BASIC)
    assert played.info["depth"] > skill + 1


def test_levels_are_rated_by_the_anchors():
    true = {"Level 0": 900.0, "Level 4": 1250.0, "Level 8": 1500.0, "Stockfish 1350": 1350.0, "Stockfish 1700": 1700.0}
    pairs = [("Level 0", "Level 4"), ("Level 4", "Level 8"), ("Level 4", "Stockfish 1350"),
             ("Level 8", "Stockfish 1350"), ("Level 8", "Stockfish 1700")]  # fmt: skip
    found = fitted(results(true, pairs))
    for name, elo in true.items():
        assert found[name][0] == pytest.approx(elo, abs=0.5)
    assert found["Stockfish 1350"][1] == 0
    assert found["Level 4"][1] < found["Level 0"][1]  # asked more directly
    # A tenth of the games: errors sqrt(10) times as large.
    fewer = fitted(results(true, pairs, 1000))
    assert fewer["Level 8"][1] == pytest.approx(found["Level 8"][1] * 10**0.5, rel=0.01)


def test_contradicting_anchors_are_averaged():
    """The level scores 50% against both."""
    counts = {("Level 0", "Stockfish 1350"): [50, 0, 50], ("Level 0", "Stockfish 1700"): [50, 0, 50]}
    assert fitted(counts)["Level 0"][0] == pytest.approx(1525, abs=0.5)
    assert 1350 < fitted({("Level 0", "Stockfish 1350"): [0, 0, 10]})["Level 0"][0] < 2000  # a clean score is finite


def test_levels_rise_whatever_was_measured():
    elos = rising({2: 1200.0, 4: 1190.0, 6: 1400.0}, 9)
    assert len(elos) == 9
    assert elos[2] == 1200
    assert elos[6] == 1400
    assert elos[4] == 1210  # measured weaker than level 2
    assert elos[8] == pytest.approx(1400 + 190)
    assert all(weaker < stronger for weaker, stronger in pairwise(elos))


def test_beyond_the_skill_levels_a_level_is_a_number_of_nodes():
    assert level_spec(3).options == {"Skill Level": "3"}
    assert level_spec(FULL_SKILL).options == {}
    assert level_spec(FULL_SKILL).limits.nodes == LEVELS[FULL_SKILL].nodes


def played(nodes: int, rival: int | str, elo: float) -> Games:
    """A thousand games in which ``nodes`` score what ``elo`` above the rival does."""
    wins = round(1000 * expected_score(elo))
    return Games(nodes, rival, wins, 0, 1000 - wins)


def test_shipped_levels_fit_the_shipped_measurements(tmp_path: Path):
    assert main(["--fit", "--out", str(tmp_path / "strength.json")]) == 0
    assert (tmp_path / "strength.json").read_bytes() == STRENGTH.read_bytes()


def test_a_fit_names_its_measurements(tmp_path: Path):
    measured, out = tmp_path / "other.json", tmp_path / "strength.json"
    measured.write_bytes(FILE.read_bytes())
    assert main(["--fit", "--measured", str(measured), "--out", str(out)]) == 0
    assert json.loads(out.read_text())["note"].endswith(f" {measured}")


def test_checking_a_fit_starts_no_engine(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("tuning.strength.tournament.check", pytest.fail)
    assert main(["--fit", "--check", "--out", str(tmp_path / "strength.json")]) == 0
    assert not (tmp_path / "strength.json").exists()


def test_an_opponent_without_a_rating_links_those_that_met_it():
    games = [played(10_000, 2450, -50), played(10_000, "unrated", -100), played(80_000, "unrated", 110)]
    start, slope = line(games)
    assert slope == pytest.approx(70, abs=1)
    assert start + slope * math.log2(10_000) == pytest.approx(2400, abs=2)


@pytest.mark.parametrize("games", [[], [played(1000, 2450, 0)], [played(n, "unrated", 0) for n in (10, 20)]])
def test_a_line_takes_two_numbers_of_nodes_and_a_rated_opponent(games):
    with pytest.raises(SetupError, match="rated opponent"):
        line(games)


def test_levels_without_noise_are_on_a_rising_line():
    levels = [Level(1000, 50, 0), Level(2000, 25, 0), Level(4000, 0, 0), Level(8000, 0, 0)]
    games = [played(4000, 2000, 0), played(16_000, 2000, 140)]
    elos = elos_of(Measurements({0: (1500.0, 50.0), 1: (1600.0, 50.0)}, games), levels)
    assert elos == pytest.approx([1500, 1600, 2000, 2070], abs=2)
    lower = elos_of(Measurements({0: (2300.0, 50.0), 1: (2400.0, 50.0)}, games), levels)
    assert all(weaker < stronger for weaker, stronger in pairwise(lower))


def test_measurements_are_read_as_written(tmp_path: Path):
    measured = Measurements({3: (1014.0, 90.0)}, [Games(35_000, 2550, 0, 3, 5, "Monday"), Games(35_000, "a", 0, 2, 6)])
    measured.write(tmp_path / "levels.json")
    assert Measurements.read(tmp_path / "levels.json") == measured
    shipped = Measurements.read(FILE)
    shipped.write(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == FILE.read_bytes()


def test_a_new_rating_replaces_the_old_one():
    top = len(LEVELS) - 1
    measured = Measurements({4: (1169.0, 181.0)}, [])
    met = (f"Level {top}", "Stockfish 2550")
    counts = {("Level 4", "Level 8"): [5.0, 0.0, 3.0], met: [1.0, 2.0, 3.0]}
    ratings = {"Level 4": (1200.0, 100.0), "Level 8": (1300.0, 90.0), met[0]: (2700.0, 99.0), met[1]: (2550.0, 0.0)}
    measured.add(counts, ratings, LEVELS, dict.fromkeys(counts, "Monday"))
    assert measured.levels == {4: (1200.0, 100.0), 8: (1300.0, 90.0)}
    measured.add({met: [2.0, 4.0, 6.0]}, ratings, LEVELS, {met: "Monday"})  # the same match, with more games
    measured.add({met: [0.0, 0.0, 1.0]}, ratings, LEVELS, {met: "Tuesday"})
    nodes = LEVELS[top].nodes
    assert measured.games == [Games(nodes, 2550, 6, 4, 2, "Monday"), Games(nodes, 2550, 1, 0, 0, "Tuesday")]


@pytest.mark.parametrize("text", ["", "{}", '{"levels": [], "games": [{"nodes": 1}]}'])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, text: str, capsys):
    path = tmp_path / "levels.json"
    path.write_text(text)
    with pytest.raises(SetupError, match=r"levels\.json"):
        Measurements.read(path)
    assert main(["--fit", "--measured", str(path), "--out", str(tmp_path / "out.json")]) == 2
    assert "has no measurements" in capsys.readouterr().out.replace("\n", " ")
