"""The relative speed of two sides: the time per node of one, as a multiple of the other's.

Games at fixed nodes do not count time, so a rule that saves cheap nodes looks better in them than at the clock. The
sides alternate in one process, so other load slows both equally. A process paused during a search spoils the time of
one pair, so outliers are limited.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from tuning.statistics.elo import ELO_PER_POINT, MIN_OBSERVATIONS

#: The largest distance of a pair's logarithm from the median, in standard deviations estimated from the quartiles.
_MAX_DEVIATIONS = 4.0

_MAX_LOG = math.log(4 / 3)  # the largest logarithm of a single pair if no others are known: a third more time per node


@dataclass(frozen=True, slots=True)
class Pace:
    """The time per node as a multiple of the other side's, with its 95% error."""

    ratio: float
    error: float

    @classmethod
    def from_log(cls, log: float, error: float) -> Pace:
        """The ratio whose logarithm is ``log``, give or take a small ``error``."""
        return cls(math.exp(log), math.exp(log) * error)

    @property
    def text(self) -> str:
        """The ratio with its error."""
        return f"{self.ratio:.3f} ±{self.error:.3f}"


def log_pace(nodes: Sequence[int], seconds: Sequence[float]) -> float | None:
    """The logarithm of the first side's time per node, as a multiple of the second's; None without times.

    ``nodes`` and ``seconds`` are those of the first and of the second side."""
    if min(*nodes, *seconds) <= 0:
        return None
    return math.log(seconds[0] * nodes[1] / (seconds[1] * nodes[0]))


def clipped(logs: Sequence[float]) -> np.ndarray:
    """The logarithms float64, with outliers clipped."""
    values = np.array(logs)
    if not len(values):
        return values
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    reach = _MAX_DEVIATIONS * (high - low) / 1.349  # the quartiles of a normal distribution
    return values.clip(middle - reach, middle + reach)


def pace(logs: Sequence[float]) -> Pace | None:
    """The mean over pairs of games, from their :func:`log_pace`; None if they are too few."""
    if len(logs) < MIN_OBSERVATIONS:
        return None
    values = clipped(logs)
    reach = float(stdtrit(len(values) - 1, 0.975)) * values.std(ddof=1) / math.sqrt(len(values))
    return Pace.from_log(float(values.mean()), float(reach))


def points_for_time(log: float | None, doubling: float) -> float:
    """The points to take from a side for its time per node, with logarithm ``log``, if twice the time is worth
    ``doubling`` Elo: games at fixed nodes do not count it."""
    if log is None:
        return 0.0
    return 2 * doubling * min(max(log, -_MAX_LOG), _MAX_LOG) / math.log(2) / ELO_PER_POINT
