"""The measurement of weaker levels: who plays whom, how ratings become Elo, and what is written."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import chess.engine
import numpy as np
import pytest

from engine.play.strength import FULL_SKILL, LEVELS, Level
from tuning.common.errors import EngineFailure
from tuning.levels.strength import (
    NEIGHBOURS,
    SKILL_ELO,
    anchor_spec,
    encounters,
    fitted,
    level_spec,
    rising,
    smooth,
    write,
)
from tuning.statistics.elo import expected_score


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
    assert len([pair for pair in played if pair[1] == "Stockfish 1923"]) == NEIGHBOURS


def test_an_anchor_has_elo_and_enough_nodes():
    assert list(SKILL_ELO) == sorted(SKILL_ELO)
    for skill, nodes in ((0, 200_000), (8, 500_000), (14, 1_000_000)):
        spec = anchor_spec(skill)
        assert (spec.options, spec.limits.nodes) == ({"Skill Level": str(skill)}, nodes)
        assert spec.name == f"Stockfish {SKILL_ELO[skill]}"


@pytest.mark.parametrize("skill", [2, 8])
def test_an_anchor_comes_to_the_depth_at_which_it_chooses(skill):
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


def test_anchors_that_contradict_each_other_meet_in_the_middle():
    """The level scores 50% against both."""
    counts = {("Level 0", "Stockfish 1350"): [50, 0, 50], ("Level 0", "Stockfish 1700"): [50, 0, 50]}
    assert fitted(counts)["Level 0"][0] == pytest.approx(1525, abs=0.5)
    assert 1350 < fitted({("Level 0", "Stockfish 1350"): [0, 0, 10]})["Level 0"][0] < 2000  # a clean score is finite


def curve(level: int) -> float:
    """Elo that rise slowly at both ends of the Skill Levels."""
    return 700 + 60 * level + 15 * level**2 - 0.6 * level**3


def test_errors_of_measurement_are_smoothed_out():
    source = np.random.default_rng(4)
    true = {level: curve(level) for level in range(0, 20, 2)}
    measured = {level: (elo + source.normal(0, 50), 98.0) for level, elo in true.items()}
    found = smooth(measured)
    assert (
        max(abs(found[level] - elo) for level, elo in true.items())
        < 70
        < max(abs(measured[level][0] - elo) for level, elo in true.items())
    )
    assert smooth({3: (1000.0, 5.0), 5: (1100.0, 50.0)}) == pytest.approx({3: 1000.0, 5: 1100.0})


def test_levels_rise_whatever_was_measured():
    elos = rising({2: 1200.0, 4: 1190.0, 6: 1400.0}, 9)
    assert len(elos) == 9
    assert elos[2] == 1200
    assert elos[6] == 1400
    assert elos[4] == 1210  # measured weaker than level 2
    assert elos[8] == pytest.approx(1400 + 190)
    assert all(weaker < stronger for weaker, stronger in pairwise(elos))


def test_what_is_written_is_what_the_engine_reads(tmp_path: Path):
    elos = [1000.0 + 10 * number for number in range(len(LEVELS))]
    write(tmp_path / "strength.json", elos, "a test")
    data = json.loads((tmp_path / "strength.json").read_text())
    assert data["note"] == "a test"
    read = [Level(**level) for level in data["levels"]]
    assert [level.elo for level in read] == elos
    assert [(level.nodes, level.noise, level.alert) for level in read] == [
        (level.nodes, level.noise, level.alert) for level in LEVELS
    ]


def test_beyond_the_skill_levels_a_level_is_a_number_of_nodes():
    assert level_spec(3).options == {"Skill Level": "3"}
    assert level_spec(FULL_SKILL).options == {}
    assert level_spec(FULL_SKILL).limits.nodes == LEVELS[FULL_SKILL].nodes
