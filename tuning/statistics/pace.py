"""How fast two sides search that play each other: the time of a node of one, as a multiple of the other's.

Games at fixed nodes do not count time, so a rule that saves cheap nodes looks better in them than it is at the clock.
The sides move by turns in one process, so whatever else the machine does slows both. But a job that is paused in the
middle of a search leaves one pair with a time that means nothing: such pairs are held within bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from tuning.statistics.elo import ELO_PER_POINT, LEAST

#: How far from the median a pair's logarithm counts, in standard deviations as the middle half of the pairs shows them.
_FAR = 4.0

#: The most that a single pair's logarithm counts where no others are known: a third more time for a node.
_MOST = math.log(4 / 3)


@dataclass(frozen=True, slots=True)
class Pace:
    """The time of a node as a multiple of the other side's, with the error of a 95% interval."""

    ratio: float
    error: float

    @classmethod
    def from_log(cls, log: float, error: float) -> Pace:
        """The ratio whose logarithm is ``log``, give or take a small ``error``."""
        return cls(math.exp(log), math.exp(log) * error)

    @property
    def text(self) -> str:
        """For people."""
        return f"{self.ratio:.3f} ±{self.error:.3f}"


def log_pace(nodes: Sequence[int], seconds: Sequence[float]) -> float | None:
    """The logarithm of the first side's time for a node, as a multiple of the second's; None without times.

    ``nodes`` and ``seconds`` are those of the first and of the second side.
    """
    if min(*nodes, *seconds) <= 0:
        return None
    return math.log(seconds[0] * nodes[1] / (seconds[1] * nodes[0]))


def calmed(logs: Sequence[float]) -> np.ndarray:
    """The logarithms float64, those of pairs that were held up brought to the edge of what the others show."""
    values = np.array(logs)
    if not len(values):
        return values
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    reach = _FAR * (high - low) / 1.349  # the middle half of a normal distribution is so many standard deviations wide
    return values.clip(middle - reach, middle + reach)


def pace(logs: Sequence[float]) -> Pace | None:
    """What pairs of games say together, each by its :func:`log_pace`; None if they are too few."""
    if len(logs) < LEAST:
        return None
    values = calmed(logs)
    reach = float(student.ppf(0.975, len(values) - 1)) * values.std(ddof=1) / math.sqrt(len(values))
    return Pace.from_log(float(values.mean()), float(reach))


def points_for_time(log: float | None, doubling: float) -> float:
    """What a pair of games has to give back, in points, for a side that was faster or slower by ``log``, when twice the
    time is worth ``doubling`` Elo: games at fixed nodes do not take it."""
    if log is None:
        return 0.0
    return 2 * doubling * min(max(log, -_MOST), _MOST) / math.log(2) / ELO_PER_POINT
