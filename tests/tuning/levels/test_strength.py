"""The measurement of weaker levels: who plays whom, how ratings become Elo, and what is written."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.play.strength import FULL_SKILL, LEVELS, Level
from tuning.levels.strength import NEIGHBOURS, encounters, fitted, games_of_each, level_spec, rising, smooth, write
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


def test_levels_play_anchors_and_outside_of_them_their_neighbours():
    levels = [0, 4, 8, 12, 16]
    anchors = [round(LEVELS[8].elo), round(LEVELS[12].elo)]
    played = [(a.name, b.name) for a, b in encounters(levels, anchors, 1000)]
    among = [pair for pair in played if pair[1].startswith("Level ")]
    assert among == [("Level 0", "Level 4"), ("Level 4", "Level 8"), ("Level 12", "Level 16")]
    for elo in anchors:
        against = [first for first, second in played if second == f"Stockfish {elo}"]
        assert len(against) == NEIGHBOURS
        assert f"Level {next(n for n in levels if round(LEVELS[n].elo) == elo)}" in against


def test_without_anchors_all_levels_play_their_neighbours():
    assert [(a.name, b.name) for a, b in encounters([0, 5, 10], [], 1000)] == [
        ("Level 0", "Level 5"), ("Level 5", "Level 10")]  # fmt: skip


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


def test_who_wins_every_game_is_not_infinitely_stronger():
    assert 1350 < fitted({("Level 0", "Stockfish 1350"): [0, 0, 10]})["Level 0"][0] < 2000


def test_without_anchors_the_mean_is_zero():
    found = fitted(results({"Level 0": 0.0, "Level 1": 100.0}, [("Level 0", "Level 1")]))
    assert found["Level 1"][0] == pytest.approx(50, abs=0.5)
    assert found["Level 0"][0] == pytest.approx(-50, abs=0.5)


def test_errors_of_measurement_are_smoothed_out():
    source = np.random.default_rng(4)
    true = {level: 700 + 140 * level - 2.5 * level**2 for level in range(0, 20, 2)}
    measured = {level: (elo + source.normal(0, 50), 98.0) for level, elo in true.items()}
    found = smooth(measured)
    assert (
        max(abs(found[level] - elo) for level, elo in true.items())
        < 70
        < max(abs(measured[level][0] - elo) for level, elo in true.items())
    )
    assert smooth({3: (1000.0, 5.0), 5: (1100.0, 50.0)}) == pytest.approx({3: 1000.0, 5: 1100.0})


def test_beyond_the_skill_levels_the_curve_goes_straight_on():
    last = FULL_SKILL - 1
    true = {level: 700.0 + 140 * min(level, last) - 2.5 * min(level, last) ** 2 + 40 * max(level - last, 0)
            for level in (*range(0, 20, 2), last, 20, 21, 24)}  # fmt: skip
    assert smooth({level: (elo, 50.0) for level, elo in true.items()}) == pytest.approx(true)


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


@pytest.mark.parametrize("words", [["--levels", "3"], ["--levels", "0", "99"], ["--games", "0"]])
def test_bad_numbers_are_refused(words, capsys):
    assert main(words) == 2
    assert words[0] in capsys.readouterr().out


def test_without_anchors_a_clean_score_still_gives_a_weight_to_each_level():
    found = fitted({("Level 0", "Level 1"): [0, 0, 20], ("Level 1", "Level 2"): [10, 0, 10]})
    assert all(error > 0 for _, error in found.values())
    assert games_of_each({("Level 0", "Level 1"): [0, 1, 2], ("Level 1", "Level 2"): [1, 0, 0]}) == {
        "Level 0": 3, "Level 1": 4, "Level 2": 1}  # fmt: skip
