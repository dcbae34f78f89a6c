"""SPSA: the method, the work unit of an iteration, and the table of results."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

from engine.processes import Report
from engine.search import parameters
from engine.search.parameters import Tunable
from tuning.common.display import table
from tuning.common.errors import SetupError
from tuning.selfplay.batches import PairBatch, play_batch
from tuning.statistics.pace import log_pace

TOOL = "tuning.spsa"

ALPHA = 0.602
GAMMA = 0.101
STABILITY = 0.1
"""Spall's constants: the decay of the learning rate and of the step, and the share of iterations by which
the learning rate is held back at the start."""


class Spsa:
    """The state of a tuning run: the current values, exactly reproducible from the results so far.

    ``rate`` is the final learning rate (step as a share of c)."""

    def __init__(self, tunables: Sequence[Tunable], iterations: int, rate: float = 0.002, seed: int = 1) -> None:
        self.tunables = list(tunables)
        self.iterations = iterations
        self.rate = rate
        self.seed = seed
        self.theta = {tunable.name: float(tunable.default) for tunable in tunables}
        self.history: dict[str, list[float]] = {tunable.name: [] for tunable in tunables}
        self._points: dict[int, float] = {}

    def signs(self, iteration: int) -> dict[str, int]:
        """delta_k: a sign for each parameter, the same on every call."""
        source = random.Random(f"{self.seed}/{iteration}")
        return {tunable.name: source.choice((-1, 1)) for tunable in self.tunables}

    def _perturbation(self, step: float, iteration: int) -> float:
        """c_k: the perturbation to either side, which shrinks to ``step``."""
        return step * math.pow(self.iterations / (iteration + 1), GAMMA)

    def candidates(self, iteration: int) -> tuple[dict[str, int], dict[str, int]]:
        """The two settings that play each other: whole numbers in range, rounded at random, for small steps."""
        source = random.Random(f"{self.seed}/{iteration}/rounding")
        signs = self.signs(iteration)
        settings: tuple[dict[str, int], dict[str, int]] = ({}, {})
        for tunable in self.tunables:
            reach = self._perturbation(tunable.step, iteration) * signs[tunable.name]
            fraction = source.random()
            for side, candidate in zip((1, -1), settings, strict=True):
                value = math.floor(self.theta[tunable.name] + side * reach + fraction)
                candidate[tunable.name] = min(max(value, tunable.minimum), tunable.maximum)
        return settings

    def update(self, iteration: int, points: float) -> None:
        """Learn from one pair: ``points`` (0..2) of the plus side, perhaps corrected for time."""
        self._points[iteration] = points
        signs = self.signs(iteration)
        hold = STABILITY * self.iterations
        rate = self.rate * math.pow((hold + self.iterations) / (hold + iteration + 1), ALPHA)
        for tunable in self.tunables:
            c = self._perturbation(tunable.step, iteration)
            slope = (2 * points - 2) / (c * signs[tunable.name])  # points of plus less points of minus
            moved = self.theta[tunable.name] + rate * tunable.step**2 * slope  # by a_k, rate * step**2
            self.theta[tunable.name] = min(max(moved, tunable.minimum), tunable.maximum)
            self.history[tunable.name].append(self.theta[tunable.name])

    def signal(self) -> tuple[float, float]:
        """What the games say about the parameters: the mean square of the z-scores of their slopes, and its standard
        error. By chance it is 1; with values that games improve it grows with the pairs. NaN without a decisive pair.
        """
        results = np.array(list(self._points.values())) - 1
        size = float(np.linalg.norm(results))
        if size == 0:
            return math.nan, math.nan
        signs = np.array([list(self.signs(iteration).values()) for iteration in self._points])
        return float(np.mean((results @ signs / size) ** 2)), math.sqrt(2 / len(self.tunables))


def load_tunables(names: Sequence[str] | None = None) -> list[Tunable]:
    """The named search parameters, or all except switches. Raises :class:`SetupError` for an unknown name."""
    known = {tunable.name: tunable for tunable in parameters.TUNABLES}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise SetupError(f"no search parameter is called {', '.join(unknown)}; there are: {', '.join(known)}")
    if names:
        return [known[name] for name in names]
    return [tunable for tunable in known.values() if tunable.maximum - tunable.minimum > 1]  # switches have no gradient


@dataclass(frozen=True, slots=True)
class SpsaPair:
    """One iteration: ``points`` (0..2) of the plus side, and the logarithm of its time per node by the other's."""

    iteration: int
    points: float
    log_pace: float | None


def play(batch: PairBatch, report: Report) -> SpsaPair:
    """Play one iteration's pair, a batch of one; single games are not reported."""
    pairs: list[dict[str, Any]] = []
    play_batch(batch, pairs.extend)
    log = log_pace(pairs[0]["nodes"], pairs[0]["seconds"])
    return SpsaPair(pairs[0]["number"], sum(pairs[0]["points"]) / 2, log)


def result_table(spsa: Spsa) -> Table:
    """A table of the parameters with their defaults and current values."""
    made = table(1, "Parameter", "Default", "Now", "Rounded", "Range", "Step")
    for tunable in spsa.tunables:
        value = spsa.theta[tunable.name]
        span = f"{tunable.minimum}..{tunable.maximum}"
        made.add_row(tunable.name, str(tunable.default), f"{value:.2f}", str(round(value)), span, str(tunable.step))
    return made
