"""The measurement of weaker levels: who plays whom, how ratings become Elo, and what is written."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from engine.strength import LEVELS, Level
from tuning.elo import expected_score
from tuning.errors import SetupError
from tuning.strength import encounters, fitted, main, rising, to_scale, write


def results(
    elos: dict[str, float], pairs: list[tuple[str, str]], games: int = 10_000
) -> dict[tuple[str, str], list[float]]:
    """What players of these strengths would score against each other, without draws."""
    counts = {}
    for first, second in pairs:
        wins = games * expected_score(elos[first] - elos[second])
        counts[first, second] = [games - wins, 0.0, wins]
    return counts


def test_levels_play_their_neighbours_and_anchors_the_nearest_levels():
    played = [(a.name, b.name) for a, b in encounters([0, 5, 10], [round(LEVELS[10].elo)], 0.05)]
    assert ("Level 0", "Level 5") in played
    assert ("Level 5", "Level 10") in played
    against = [first for first, second in played if second.startswith("Stockfish ")]
    assert "Level 10" in against
    assert len(against) == 2


def test_ratings_are_put_on_the_scale_of_the_anchors():
    """The fit's scale may be narrower than the anchors' own; between them it is stretched."""
    true = {"Level 0": 900.0, "Level 4": 1250.0, "Level 8": 1500.0, "Stockfish 1350": 1300.0, "Stockfish 1700": 1475.0}
    pairs = [("Level 0", "Level 4"), ("Level 4", "Level 8"), ("Level 4", "Stockfish 1350"),
             ("Level 8", "Stockfish 1350"), ("Level 8", "Stockfish 1700")]  # fmt: skip
    found = fitted(results(true, pairs))
    assert found["Stockfish 1350"][0] == pytest.approx(1350)
    assert found["Stockfish 1700"][0] == pytest.approx(1700)
    assert found["Level 0"][0] == pytest.approx(1350 - 400, abs=3)
    assert found["Level 4"][0] == pytest.approx(1300, abs=3)
    assert found["Level 8"][0] == pytest.approx(1725, abs=3)


def test_anchors_in_the_wrong_order_are_refused():
    true = {"Level 0": 1400.0, "Stockfish 1350": 1500.0, "Stockfish 1700": 1300.0}
    pairs = [("Level 0", "Stockfish 1350"), ("Level 0", "Stockfish 1700")]
    with pytest.raises(SetupError, match="wrong order"):
        fitted(results(true, pairs))


def test_beyond_the_anchors_differences_stay():
    anchors = {0.0: 1350.0, 200.0: 1750.0}
    assert to_scale(-100, anchors) == 1250
    assert to_scale(100, anchors) == 1550
    assert to_scale(300, anchors) == 1850


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
    assert [level.nodes for level in read] == [level.nodes for level in LEVELS]


@pytest.mark.parametrize("words", [["--levels", "3"], ["--levels", "0", "20"], ["--games", "0"]])
def test_bad_numbers_are_refused(words, capsys):
    assert main(words) == 2
    assert words[0] in capsys.readouterr().out
