"""Sequential probability ratio test: play until one of two hypotheses about the Elo difference is accepted.

The generalized test on the multinomial distribution of the results: each hypothesis fixes one number of it
(the expected score for *logistic* Elo; score over deviation for *normalized* Elo), and is judged by the
likeliest distribution that has this number. After Michel Van den Bergh,
https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf (Proposition 1.1) and
https://www.cantate.be/Fishtest/normalized_elo_practical.pdf (Section 4.1).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from tuning.common.errors import SetupError
from tuning.statistics.elo import MIN_OBSERVATIONS, NORMALIZED, expected_score, moments, regularized

Floats = NDArray[np.float64]

MODELS = ("logistic", "normalized")


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0: Elo = ``elo0`` against H1: Elo = ``elo1``.

    ``alpha`` is the chance to accept H1 when H0 holds, ``beta`` the chance to accept H0 when H1 holds."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "logistic"

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise SetupError(f"the Elo model is one of {', '.join(MODELS)}, not {self.model!r}")
        if not self.elo0 < self.elo1:
            raise SetupError(f"SPRT needs elo0 below elo1, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 1 and 0 < self.beta < 1 and self.alpha + self.beta < 1):
            raise SetupError(f"SPRT cannot keep alpha {self.alpha:g} and beta {self.beta:g}")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[float]) -> float:
        """Log-likelihood ratio of H1 to H0 given 3 counts of games or 5 of pairs, as in ``elo``."""
        if not sum(counts):
            return 0.0
        weights = np.array(regularized(counts))
        total = weights.sum()
        scores = np.linspace(0.0, 1.0, len(counts))
        observed = weights / total
        if self.model == "logistic":
            means = (expected_score(self.elo0), expected_score(self.elo1))
            p0, p1 = (_likeliest_with_zero_mean(scores - mean, observed) for mean in means)
        else:
            # A pair is the mean of two games: its deviation is smaller by the root of 2.
            scale = math.sqrt((len(counts) - 1) / 2) / NORMALIZED
            p0, p1 = (_likeliest_with_t(scores, observed, e * scale) for e in (self.elo0, self.elo1))
        return float(total * np.sum(observed * np.log(p1 / p0)))

    def verdict(self, counts: Sequence[float]) -> str | None:
        """``"H0"`` or ``"H1"`` when the test is over, else ``None``; never from fewer than ``elo.MIN_OBSERVATIONS``."""
        if sum(counts) < MIN_OBSERVATIONS:
            return None
        llr = self.llr(counts)
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else None


def _likeliest_with_zero_mean(values: Floats, observed: Floats) -> Floats:
    """The distribution nearest to ``observed`` (by likelihood) in which ``values`` have mean zero."""
    low, high = -1 / float(np.max(values)), -1 / float(np.min(values))
    margin = 1e-9
    root = brentq(lambda x: float(np.sum(observed * values / (1 + x * values))), low + margin, high - margin)
    return np.asarray(observed / (1 + root * values))


def _likeliest_with_t(scores: Floats, observed: Floats, t: float) -> Floats:
    """The likeliest distribution with (mean - 1/2) / deviation = ``t``, by iteration on the linearized constraint."""
    estimate = np.full(len(scores), 1 / len(scores))
    for _ in range(12):
        mean = float(np.sum(estimate * scores))
        deviation = math.sqrt(float(np.sum(estimate * (scores - mean) ** 2)))
        values = scores - 0.5 - t * deviation * (1 + ((mean - scores) / deviation) ** 2) / 2
        previous, estimate = estimate, _likeliest_with_zero_mean(values, observed)
        if np.max(np.abs(estimate - previous)) < 1e-9:
            break
    return estimate


def expected_pairs(test: Sprt, counts: Sequence[float]) -> float | None:
    """About how many more pairs the test takes if results continue as before; ``None`` without a drift."""
    total = sum(counts)
    if total < MIN_OBSERVATIONS or moments(counts)[1] == 0:
        return None
    llr = test.llr(counts)
    drift = llr / total
    if abs(drift) < 1e-9:
        return None
    bound = test.upper if drift > 0 else test.lower
    return max(0.0, (bound - llr) / drift)


def sprt_text(test: Sprt, counts: Sequence[int]) -> str:
    """The state of the test after pairs with these ``counts``, in a line."""
    llr = test.llr(counts)
    text = f"SPRT [{test.elo0:g}, {test.elo1:g}] {test.model}: LLR {llr:+.2f} in ({test.lower:.2f}, {test.upper:.2f})"
    verdict = test.verdict(counts)
    if verdict is not None:
        return f"{text}: {verdict} accepted"
    more = expected_pairs(test, counts)
    return text if more is None else f"{text}, about {2 * more:,.0f} games to go"
