"""Elo estimates against the published test cases of fastchess and fishtest, and against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tuning.elo import elo_of, estimate, expected_score


@pytest.mark.parametrize(
    ("wins", "losses", "draws", "nelo", "nelo_error", "los", "score"),
    [
        # fastchess, app/tests/elo_test.cpp
        (76, 89, 123, -20.76, 40.13, 0.1553, 0.477),
        (136, 96, 111, 49.77, 36.77, 0.9960, 0.558),
        (34, 356, 0, -508.44, 34.48, 0.0, 0.087),
    ],
)
def test_trinomial_examples(wins, losses, draws, nelo, nelo_error, los, score):
    found = estimate([losses, draws, wins])
    assert found.nelo == pytest.approx(nelo, abs=0.01)
    assert found.nelo_error == pytest.approx(nelo_error, abs=0.01)
    assert found.los == pytest.approx(los, abs=0.0001)
    assert found.score == pytest.approx(score, abs=0.0006)


@pytest.mark.parametrize(
    ("pairs", "elo", "elo_error", "nelo", "nelo_error", "los"),
    [
        # fastchess, app/tests/elo_test.cpp; its two kinds of even pairs are one here
        ((34, 54, 31 + 32, 64, 75), 55.58, 27.65, 57.94, 28.28, 1.0),
        ((332, 433, 457 + 41, 333, 334), -8.64, 10.33, -9.17, 10.96, 0.0505),
        ((7895, 8757, 5485 + 200, 568, 9999), -21.04, 2.95, -19.01, 2.65, 0.0),
    ],
)
def test_pentanomial_examples(pairs, elo, elo_error, nelo, nelo_error, los):
    found = estimate(pairs)
    assert found.elo == pytest.approx(elo, abs=0.01)
    assert found.elo_error == pytest.approx(elo_error, abs=0.01)
    assert found.nelo == pytest.approx(nelo, abs=0.01)
    assert found.nelo_error == pytest.approx(nelo_error, abs=0.01)
    assert found.los == pytest.approx(los, abs=0.0001)


def test_score_and_elo_are_inverse():
    assert expected_score(0) == 0.5
    assert expected_score(200) == pytest.approx(0.7597, abs=1e-4)
    assert elo_of(expected_score(-37.5)) == pytest.approx(-37.5)


def test_clean_sweep_has_an_open_interval_and_no_nan():
    found = estimate([0, 0, 0, 0, 12])
    assert found.elo == math.inf
    assert 100 < found.elo_low < math.inf
    assert found.los > 0.999


def test_no_games_say_nothing():
    assert estimate([0, 0, 0]) is None
    with pytest.raises(ValueError, match="3 counts"):
        estimate([1, 2])


def test_interval_covers_the_truth_as_often_as_it_says():
    """Of many matches with correlated pairs, 95% have the true Elo inside the pentanomial interval."""
    source = np.random.default_rng(7)
    truth = np.array([0.05, 0.2, 0.4, 0.25, 0.1])
    elo = elo_of(float(truth @ [0, 0.25, 0.5, 0.75, 1]))
    covered = 0
    for counts in source.multinomial(400, truth, size=1000):
        found = estimate(counts.tolist())
        covered += found.elo_low <= elo <= found.elo_high
    assert 930 <= covered <= 968
