"""The sequential test against published values, and its two error rates by simulation."""

import numpy as np
import pytest

from tuning.statistics.elo import MIN_OBSERVATIONS, NORMALIZED, expected_score, moments
from tuning.statistics.sprt import Sprt, expected_pairs


@pytest.mark.parametrize(
    ("model", "elo0", "elo1", "counts", "llr"),
    [
        # fastchess, app/tests/sprt_test.cpp: (losses, draws, wins), then pairs
        ("normalized", 0, 2, (36027, 68692, 36433), 0.92),
        ("normalized", -1.75, 0.25, (10650, 20431, 10871), 2.30),
        ("logistic", 0.5, 2.5, (21184, 40708, 21404), -1.57),
        ("logistic", 0, 2, (57030, 106593, 57433), -2.59),
        ("normalized", 0, 2, (365, 16618, 36029 + 200, 16974, 390), 2.25),
        ("normalized", -1.75, 0.25, (127, 4883, 10311 + 401, 5150, 104), 3.01),
        ("normalized", 0, 10, (0, 0, 4250), 120.56),
        ("normalized", 0, 5, (0, 0, 0, 0, 5550), 111.82),
        ("logistic", 0.5, 2.5, (223, 9863, 20279 + 1000, 10037, 246), -3.07),
        ("logistic", 0, 2, (871, 26175, 55003 + 980, 26678, 821), -4.98),
    ],
)
def test_likelihood_ratios_match_published_ones(model, elo0, elo1, counts, llr):
    assert Sprt(elo0, elo1, model=model).llr(counts) == pytest.approx(llr, rel=0.005)


def test_a_clean_sweep_accepts_h1():
    assert Sprt(0, 10).verdict([0, 0, 0, 0, 40]) is None
    assert Sprt(0, 10).verdict([0, 0, 0, 0, 200]) == "H1"
    assert Sprt(0, 10).verdict([200, 0, 0, 0, 0]) == "H0"


def exact_ratio(test: Sprt, counts: list[int]) -> float:
    """The logistic ratio of pairs that are all alike, in closed form: what a hypothesis takes from their likelihood
    goes to the best or the worst result, whichever is needed."""
    score = next(place for place, count in enumerate(counts) if count) / 4
    chances = []
    for elo in (test.elo0, test.elo1):
        mean = expected_score(elo)
        chances.append(mean / score if mean <= score else (1 - mean) / (1 - score))
    return sum(counts) * float(np.log(chances[1] / chances[0]))


@pytest.mark.parametrize("place", range(5))
def test_llr_of_few_pairs_is_exact(place):
    """Virtual counts serve the solver; what a pair adds to the ratio is its own likelihood, and hardly anything."""
    for test in (Sprt(0, 5), Sprt(-5, 0), Sprt(0, 10)):
        for pairs in (1, 2, 5, 12):
            counts = [0] * 5
            counts[place] = pairs
            exact = exact_ratio(test, counts)
            assert test.llr(counts) == pytest.approx(exact, abs=0.01)
            assert abs(test.llr(counts)) <= abs(exact) + 0.002
            assert abs(Sprt(test.elo0, test.elo1, model="normalized").llr(counts)) < 0.045 * pairs


def test_no_verdict_from_fewer_pairs_than_an_interval_takes():
    test = Sprt(0, 400)
    assert test.llr([0, 0, 0, 0, MIN_OBSERVATIONS - 1]) > test.upper
    assert test.verdict([0, 0, 0, 0, MIN_OBSERVATIONS - 1]) is None
    assert test.verdict([0, 0, 0, 0, MIN_OBSERVATIONS]) == "H1"


def test_expected_length_points_to_the_nearer_bound():
    test = Sprt(0, 10)
    counts = [5, 40, 100, 60, 10]
    more = expected_pairs(test, counts)
    scaled = [count * (1 + more / sum(counts)) for count in counts]
    assert test.llr(scaled) == pytest.approx(test.upper, abs=0.05)


def pairs_with_elo(elo: float, model: str) -> np.ndarray:
    """A distribution of pairs whose true difference is ``elo`` in the model's own Elo."""
    shape = np.array([0.06, 0.22, 0.42, 0.23, 0.07])
    scores = np.linspace(0, 1, 5)
    tilt = 0.0
    for _ in range(60):  # Newton's steps on an exponential tilt
        weights = shape * np.exp(tilt * scores)
        weights /= weights.sum()
        mean, variance = moments(weights.tolist())
        if model == "logistic":
            gap, slope = expected_score(elo) - mean, variance
        else:
            gap, slope = elo / NORMALIZED * np.sqrt(2 * variance) - (mean - 0.5), variance
        tilt += gap / slope
    return weights


def acceptance_rate(test: Sprt, elo: float, runs: int, seed: int, batch: int = 4) -> float:
    """How often H1 is accepted when ``elo`` is the truth."""
    source = np.random.default_rng(seed)
    truth = pairs_with_elo(elo, test.model)
    accepted = 0
    for _ in range(runs):
        counts = np.zeros(5)
        verdict = None
        while verdict is None:
            counts += source.multinomial(batch, truth)
            verdict = test.verdict(counts.tolist())
        accepted += verdict == "H1"
    return accepted / runs


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_error_rates_by_simulation(model):
    """With alpha = beta = 0.1 both errors stay near a tenth; overshoot makes the test a little safer."""
    test = Sprt(0, 80, alpha=0.1, beta=0.1, model=model)
    runs = 40
    false_positives = acceptance_rate(test, 0, runs, seed=1)
    true_positives = acceptance_rate(test, 80, runs, seed=2)
    assert 0.01 <= false_positives <= 0.17
    assert 0.83 <= true_positives <= 0.99
