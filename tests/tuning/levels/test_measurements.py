"""What was measured of the levels, kept in a file, and the fit to it that the engine reads."""

import json
import math
from itertools import pairwise
from pathlib import Path

import pytest

from engine.play.strength import FILE as STRENGTH
from engine.play.strength import LEVELS, Level
from tuning.common.errors import SetupError
from tuning.levels.measurements import FILE, Games, Measurements, elos_of, line
from tuning.statistics.elo import expected_score
from tuning.strength import main


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
    monkeypatch.setattr("tuning.strength.running.check", pytest.fail)
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


def test_what_is_written_is_read_again(tmp_path: Path):
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
