"""Elo from results: estimates with error bars, from single games and from pairs of games.

Games of a pair share an opening and reverse the colours, so their results are not independent. Counting
pairs (the *pentanomial* 0, 1/2, 1, 3/2, 2 points) instead of games (the *trinomial*) gives honest, usually
smaller, error bars. After Michel Van den Bergh's notes for fishtest
(https://www.cantate.be/Fishtest/normalized_elo_practical.pdf).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import norm

NORMALIZED = 800 / math.log(10)
"""Normalized Elo per unit of (score - 1/2) / (standard deviation of one game)."""

_CERTAIN = 1e-3
"""Virtual count in a category that never occurred, so that a clean sweep keeps a variance."""


def expected_score(elo: float) -> float:
    """The expected score of a player who is ``elo`` stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """The logistic Elo difference of an expected score; infinite at 0 and 1."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a set of results says: ``score`` 0..1, Elo and normalized Elo with 95% intervals, and the
    likelihood of superiority (``los``, 0..1)."""

    games: int
    score: float
    elo: float
    elo_low: float
    elo_high: float
    nelo: float
    nelo_error: float
    los: float

    @property
    def elo_error(self) -> float:
        """Half the width of the Elo interval; infinite where the interval is open."""
        return (self.elo_high - self.elo_low) / 2


def regularized(counts: Sequence[float]) -> list[float]:
    """The counts with nothing quite impossible."""
    return [count if count > 0 else _CERTAIN for count in counts]


def moments(counts: Sequence[float]) -> tuple[float, float]:
    """Mean score and variance of one observation; ``counts[i]`` observations scored ``i / (len - 1)``."""
    total = sum(counts)
    top = len(counts) - 1
    mean = sum(count * i / top for i, count in enumerate(counts)) / total
    variance = sum(count * (i / top - mean) ** 2 for i, count in enumerate(counts)) / total
    return mean, variance


def estimate(counts: Sequence[int]) -> Estimate | None:
    """Estimate from losses, draws, wins (3 counts) or from pairs by points (5 counts).

    ``None`` when there are no results. Raises ``ValueError`` for any other number of counts.
    """
    if len(counts) not in (3, 5):
        raise ValueError(f"results are 3 counts of games or 5 of pairs, not {len(counts)}")
    observations = sum(counts)
    if not observations:
        return None
    games_each = (len(counts) - 1) // 2
    mean, variance = moments(regularized(counts))
    error = math.sqrt(variance / observations)
    reach = norm.ppf(0.975)
    game_deviation = math.sqrt(variance * games_each)
    games = observations * games_each
    return Estimate(
        games=games,
        score=moments(counts)[0],
        elo=elo_of(moments(counts)[0]),
        elo_low=elo_of(mean - reach * error),
        elo_high=elo_of(mean + reach * error),
        nelo=NORMALIZED * (mean - 0.5) / game_deviation,
        nelo_error=NORMALIZED * reach / math.sqrt(games),
        los=float(norm.cdf((mean - 0.5) / error)),
    )
