"""Elo estimates against the published test cases of fastchess and fishtest, and against simulation."""

import math

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

from tuning.statistics.elo import MIN_OBSERVATIONS, elo_of, estimate, expected_score


def student(observations: int) -> float:
    """How much wider an interval of ours is than fastchess's, which takes the normal distribution."""
    return float(stdtrit(observations - 1, 0.975) / ndtri(0.975))


@pytest.mark.parametrize(
    ("wins", "losses", "draws", "nelo", "nelo_error", "los", "score"),
    [
        # fastchess, app/tests/elo_test.cpp
        (76, 89, 123, -20.76, 40.13, 0.1553, 0.477),
        (136, 96, 111, 49.77, 36.77, 0.9960, 0.558),
        (34, 356, 0, -508.44, 34.48, 0.0, 0.087),
    ],
)
def test_trinomial_estimates_match_published_ones(wins, losses, draws, nelo, nelo_error, los, score):
    found = estimate([losses, draws, wins])
    assert found.nelo == pytest.approx(nelo, abs=0.01)
    assert found.nelo_error == pytest.approx(nelo_error * student(found.games), abs=0.01)
    assert found.los == pytest.approx(los, abs=0.001)
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
def test_pentanomial_estimates_match_published_ones(pairs, elo, elo_error, nelo, nelo_error, los):
    found = estimate(pairs)
    wider = student(found.games // 2)
    assert found.elo == pytest.approx(elo, abs=0.01)
    assert found.elo_error == pytest.approx(elo_error * wider, rel=0.003)  # n - 1 in place of n besides
    assert found.nelo == pytest.approx(nelo, abs=0.01)
    assert found.nelo_error == pytest.approx(nelo_error * wider, abs=0.01)
    assert found.los == pytest.approx(los, abs=0.001)


def test_score_and_elo_are_inverse():
    assert expected_score(0) == 0.5
    assert expected_score(200) == pytest.approx(0.7597, abs=1e-4)
    assert elo_of(expected_score(-37.5)) == pytest.approx(-37.5)


def test_too_few_results_have_no_interval():
    """One drawn pair is no certainty: neither an Elo of 0 with a small error, nor a superiority of 0%."""
    for counts in ([0, 0, 1, 0, 0], [0, 1, 0, 0, 0], [1, 0, 1], [0, 0, 0, 0, MIN_OBSERVATIONS - 1], [1, 2, 3, 2, 1]):
        found = estimate(counts)
        nothing = (found.elo_low, found.elo_high, found.elo_error, found.nelo, found.nelo_error, found.los)
        assert set(nothing) == {None}
    assert str(estimate([0, 0, 1, 0, 0]).elo) == "0.0"  # not -0.0
    assert estimate([0, 1, 0, 0, 0]).elo == pytest.approx(-190.85, abs=0.01)
    assert estimate([1, 2, 4, 2, 1]).los == pytest.approx(0.5)


def test_interval_of_a_clean_sweep_depends_on_its_length():
    """If a pair is won 2 to 0 with probability p, all n of them are with p**n: p is at least 0.05**(1/n)."""
    found = estimate([0, 0, 0, 0, 12])
    assert found.elo == math.inf == found.elo_high
    assert found.elo_low == pytest.approx(elo_of(0.05 ** (1 / 12)))
    assert found.los == pytest.approx(1 - 0.5**12)
    assert found.nelo is None
    lost = estimate([12, 0, 0, 0, 0])
    assert (lost.elo_low, lost.elo_high) == (-math.inf, -found.elo_low)
    assert lost.los == pytest.approx(0.5**12)
    assert estimate([0, 0, 0, 0, 100]).elo_low > found.elo_low


def test_equal_pairs_alone_are_not_certain():
    found = estimate([0, 0, 10, 0, 0])
    assert found.los == 0.5
    assert found.elo_high == pytest.approx(-found.elo_low) == pytest.approx(elo_of(1 - 0.05**0.1 / 2))
    assert 0.5 < estimate([0, 0, 0, 10, 0]).los < 1 - 0.5**10  # 1.5 to 0.5 is less than 2 to 0


def test_no_games_give_no_estimate():
    assert estimate([0, 0, 0]) is None
    with pytest.raises(ValueError, match="3 counts"):
        estimate([1, 2])


@pytest.mark.parametrize(
    ("pairs", "truth", "least"),
    [
        (400, (0.05, 0.2, 0.4, 0.25, 0.1), 0.93),
        (MIN_OBSERVATIONS, (0.05, 0.2, 0.5, 0.2, 0.05), 0.9),
        (MIN_OBSERVATIONS, (0.0, 0.02, 0.96, 0.02, 0.0), 0.85),
        (40, (0.0, 0.0, 0.05, 0.15, 0.8), 0.85),
    ],
)
def test_interval_has_its_stated_coverage(pairs, truth, least):
    """Of many matches with correlated pairs, 95% have the true Elo inside the interval, or nearly so in extremes."""
    elo = elo_of(float(np.array(truth) @ [0, 0.25, 0.5, 0.75, 1]))
    found = [estimate(counts.tolist()) for counts in np.random.default_rng(7).multinomial(pairs, truth, size=1000)]
    assert least <= np.mean([one.elo_low <= elo <= one.elo_high for one in found]) <= (0.968 if pairs == 400 else 1)
