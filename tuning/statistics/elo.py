"""Elo from results: estimates with error bars, from single games and from pairs of games.

Games of a pair share an opening and reverse the colours, so their results are not independent. Counting
pairs (the *pentanomial* 0, 1/2, 1, 3/2, 2 points) instead of games (the *trinomial*) gives honest, usually
smaller, error bars. After Michel Van den Bergh's notes for fishtest
(https://www.cantate.be/Fishtest/normalized_elo_practical.pdf). Intervals are Student's, with the variance of the
results themselves and nothing added to it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import stdtr, stdtrit

NORMALIZED = 800 / math.log(10)  # normalized Elo per unit of (score - 1/2) / (standard deviation of one game)
ELO_PER_POINT = 1600 / math.log(10)  # Elo for a point of a game more, near equality

MIN_OBSERVATIONS = 10
"""Observations (pairs, or single games) needed to estimate an error.

By simulation (`tests/tuning/statistics/test_elo.py`) 95% intervals from ten pairs or more cover the truth about as
often as stated, except in extreme results."""

_VIRTUAL_COUNT = 1e-3  # virtual count in an empty category, which a likelihood ratio needs but a variance must not have


def expected_score(elo: float) -> float:
    """The expected score of a player who is ``elo`` stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """The logistic Elo difference of an expected score; infinite at 0 and 1."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimates from results: ``score`` 0..1, Elo with its 95% interval, normalized Elo with its 95% error, and the
    likelihood of superiority (``los``, 0..1).

    From fewer than :data:`MIN_OBSERVATIONS` only games, score and Elo are known, all else is ``None``. If all
    observations are equal, ``nelo`` and ``nelo_error`` are ``None``. Elo and its interval may be infinite."""

    games: int
    score: float
    elo: float
    elo_low: float | None = None
    elo_high: float | None = None
    nelo: float | None = None
    nelo_error: float | None = None
    los: float | None = None

    @property
    def elo_error(self) -> float | None:
        """Half the width of the Elo interval; infinite if the interval is open, ``None`` if there is none."""
        return None if self.elo_low is None or self.elo_high is None else (self.elo_high - self.elo_low) / 2

    @property
    def text(self) -> str:
        """``+12.3 ±8.9``; the interval is spelled out if it is open, and missing if the games are too few."""
        if self.elo_low is None or self.elo_high is None:
            return f"{f'{self.elo:+.1f} ' if math.isfinite(self.elo) else ''}(too few for an interval)"
        if not math.isfinite(self.elo):
            return f"above {self.elo_low:+.0f}" if self.elo > 0 else f"below {self.elo_high:+.0f}"
        if not math.isfinite(self.elo_high - self.elo_low):
            return f"{self.elo:+.1f} ({self.elo_low:+.0f} to {self.elo_high:+.0f})"
        return f"{self.elo:+.1f} ±{self.elo_error:.1f}"

    def figures(self) -> dict[str, float | None]:
        """All figures but the games, for JSON: ``None`` is infinite or unknown."""
        values = {"score": self.score, "elo": self.elo, "elo low": self.elo_low, "elo high": self.elo_high,
                  "nelo": self.nelo, "nelo error": self.nelo_error, "los": self.los}  # fmt: skip
        return {key: round(v, 4) if v is not None and math.isfinite(v) else None for key, v in values.items()}


def regularized(counts: Sequence[float]) -> list[float]:
    """The counts with a small number in place of 0."""
    return [count if count > 0 else _VIRTUAL_COUNT for count in counts]


def moments(counts: Sequence[float]) -> tuple[float, float]:
    """Mean score and variance of one observation; ``counts[i]`` observations scored ``i / (len - 1)``."""
    total = sum(counts)
    top = len(counts) - 1
    mean = sum(count * i / top for i, count in enumerate(counts)) / total
    variance = sum(count * (i / top - mean) ** 2 for i, count in enumerate(counts)) / total
    return mean, variance


def estimate(counts: Sequence[int]) -> Estimate | None:
    """Estimate from losses, draws, wins (3 counts) or from pairs by points (5 counts).

    ``None`` when there are no results. Raises ``ValueError`` for any other number of counts."""
    if len(counts) not in (3, 5):
        raise ValueError(f"results are 3 counts of games or 5 of pairs, not {len(counts)}")
    observations = sum(counts)
    if not observations:
        return None
    games_each = (len(counts) - 1) // 2
    games = observations * games_each
    mean, variance = moments(counts)
    elo = elo_of(mean)
    if observations < MIN_OBSERVATIONS:
        return Estimate(games, mean, elo)
    if sum(count > 0 for count in counts) == 1:
        low, high, superior = _all_alike(mean, observations)
        return Estimate(games, mean, elo, elo_of(low), elo_of(high), los=superior)
    error = math.sqrt(variance / (observations - 1))
    reach = float(stdtrit(observations - 1, 0.975))
    return Estimate(
        games,
        mean,
        elo,
        elo_low=elo_of(mean - reach * error),
        elo_high=elo_of(mean + reach * error),
        nelo=NORMALIZED * (mean - 0.5) / math.sqrt(variance * games_each),
        nelo_error=NORMALIZED * reach / math.sqrt(games),
        los=float(stdtr(observations - 1, (mean - 0.5) / error)),
    )


def _all_alike(score: float, observations: int) -> tuple[float, float, float]:
    """A 95% interval of the expected score, and the likelihood of superiority, if every observation gave ``score``.

    If one observation gives ``score`` with probability p, all n do with p**n. The interval holds all expected scores
    that are possible with p**n >= 0.05. Superiority is one minus the greatest such probability without superiority."""
    p = 0.05 ** (1 / observations)
    nearest = 0.5 / (1 - score) if score < 0.5 else 0.5 / score  # the greatest p with an expected score of 1/2
    chance = nearest**observations
    if score == 0.5:
        superior = 0.5
    else:
        superior = chance if score < 0.5 else 1 - chance
    return score * p, score * p + 1 - p, superior
