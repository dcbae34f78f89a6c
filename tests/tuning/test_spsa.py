"""SPSA: it climbs a known hill, replays exactly, and plays within the parameters' ranges."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from tuning.elo import expected_score
from tuning.errors import SetupError
from tuning.spsa import Gains, Spsa, load_params


class Row(NamedTuple):
    name: str
    default: int
    minimum: int
    maximum: int
    step: int


ROWS = (Row("A", 100, 0, 200, 10), Row("B", 50, 0, 100, 5), Row("C", 3, 1, 4, 1))


def elo_at(setting: dict[str, int]) -> float:
    """A hill with its top at A = 140, B = 30; C changes nothing."""
    return -(((setting["A"] - 140) / 4) ** 2) - ((setting["B"] - 30) / 2) ** 2


def climb(iterations: int, seed: int = 3) -> Spsa:
    source = random.Random(seed)
    spsa = Spsa(ROWS, Gains(iterations, rate=0.02), seed)
    for iteration in range(iterations):
        plus, minus = spsa.candidates(iteration)
        score = expected_score(elo_at(plus) - elo_at(minus))
        spsa.update(iteration, sum(source.random() < score for _ in range(2)))
    return spsa


def test_it_finds_the_top_of_a_noisy_hill():
    spsa = climb(3000)
    assert spsa.theta["A"] == pytest.approx(140, abs=10)
    assert spsa.theta["B"] == pytest.approx(30, abs=5)
    assert len(spsa.history["A"]) == 3000


def test_the_same_results_give_the_same_values():
    first, second = Spsa(ROWS, Gains(100), 1), Spsa(ROWS, Gains(100), 1)
    for iteration, points in enumerate((2, 0.5, 1, 0, 1.5)):
        first.update(iteration, points)
        second.update(iteration, points)
    assert first.theta == second.theta != {row.name: row.default for row in ROWS}
    assert first.candidates(5) == second.candidates(5)


def test_candidates_stay_in_range_and_straddle_the_current_values():
    spsa = Spsa(ROWS, Gains(1000), 1)
    middles = {row.name: 0.0 for row in ROWS}
    for iteration in range(1000):
        pair = spsa.candidates(iteration)
        for row in ROWS:
            for setting in pair:
                assert row.minimum <= setting[row.name] <= row.maximum
                middles[row.name] += setting[row.name] / 2000
    assert middles["A"] == pytest.approx(100, abs=0.5)
    assert middles["B"] == pytest.approx(50, abs=0.5)


def test_an_even_pair_teaches_nothing_and_a_win_moves_towards_the_winner():
    spsa = Spsa(ROWS, Gains(100), 1)
    spsa.update(0, 1.0)
    assert spsa.theta["A"] == 100
    spsa.update(1, 2.0)
    assert (spsa.theta["A"] > 100) == (spsa.signs(1)["A"] > 0)


def test_the_engines_table_makes_sense():
    params = load_params()
    assert len({param.name for param in params}) == len(params) > 10
    for param in params:
        assert param.minimum <= param.default <= param.maximum
        assert param.step > 0
    assert [param.name for param in load_params([params[1].name])] == [params[1].name]
    with pytest.raises(SetupError, match="no search parameter is called Nonsense"):
        load_params(["Nonsense"])
