"""Screening: many ideas measured in the same games.

Each pair of games switches every idea on for one side, drawn at random, and off for the other. So all games measure
each idea, and the other ideas are noise that averages out: twenty ideas need no more games than one (a factorial
experiment, after R. A. Fisher, The Design of Experiments, 1935). Interactions are not measured, so promising ideas are
tested again together.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table
from scipy.special import stdtrit

from tuning.common.display import table
from tuning.statistics.elo import ELO_PER_POINT
from tuning.statistics.pace import Pace, clipped

Idea = tuple[str, int]  # an idea: a search parameter and the value that switches it on


@dataclass(frozen=True, slots=True)
class Effect:
    """The worth of an idea in Elo with its 95% error, and its time per node, if known, relative to that without it."""

    idea: Idea
    elo: float
    error: float
    time: Pace | None = None


class Screening:
    """Assigns ``ideas`` to the sides of each pair, by ``seed`` alone, and estimates their effects."""

    def __init__(self, ideas: Sequence[Idea], seed: int) -> None:
        self._ideas = tuple(ideas)
        self._seed = seed
        self._points: dict[int, int] = {}
        self._paces: dict[int, float] = {}

    def _signs(self, number: int) -> list[int]:
        """For each idea 1 if the first side has it in pair ``number``, -1 if the second has."""
        source = random.Random(f"{self._seed}/{number}")
        return [source.choice((-1, 1)) for _ in self._ideas]

    def values(self, number: int) -> tuple[dict[str, int], dict[str, int]]:
        """The parameters that the two sides play pair ``number`` with."""
        sides: tuple[dict[str, int], dict[str, int]] = ({}, {})
        for (name, value), sign in zip(self._ideas, self._signs(number), strict=True):
            sides[0 if sign > 0 else 1][name] = value
        return sides

    def add(self, number: int, half_points: int, log_pace: float | None = None) -> None:
        """Note the first side's half points (0 to 4) in pair ``number``, and its :func:`log_pace`."""
        self._points[number] = half_points
        if log_pace is not None:
            self._paces[number] = log_pace

    def effects(self) -> list[Effect]:
        """Estimates by least squares, the best first; none from fewer than ten pairs per idea."""
        worth = self._fitted({number: half / 4 - 0.5 for number, half in self._points.items()})  # points of a game
        paces = dict(zip(self._paces, clipped(list(self._paces.values())).tolist(), strict=True))
        times: list[Pace | None] = [Pace.from_log(*fitted) for fitted in self._fitted(paces)]
        times = times or [None] * len(worth)
        effects = [
            Effect(idea, ELO_PER_POINT * score, ELO_PER_POINT * error, time)
            for idea, (score, error), time in zip(self._ideas, worth, times, strict=False)
        ]
        return sorted(effects, key=lambda effect: -effect.elo)

    def _fitted(self, values: Mapping[int, float]) -> list[tuple[float, float]]:
        """The effect of each idea on the ``values`` of the pairs, with its 95% error."""
        if not self._ideas or len(values) < 10 * len(self._ideas):
            return []
        signs = np.array([self._signs(number) for number in values], float)
        seen = np.array(list(values.values()))
        found, *_ = np.linalg.lstsq(signs, seen, rcond=None)
        variance = ((seen - signs @ found) ** 2).sum() / (len(seen) - len(self._ideas))
        reach = float(stdtrit(len(seen) - len(self._ideas), 0.975))
        errors = reach * np.sqrt(variance * np.linalg.inv(signs.T @ signs).diagonal())
        return list(zip(found.tolist(), errors.tolist(), strict=True))


def effects_table(effects: Sequence[Effect]) -> Table:
    """A table of the effects."""
    made = table(1, "Idea", "Elo", "Time per node")
    for effect in effects:
        name, value = effect.idea
        time = "" if effect.time is None else effect.time.text
        made.add_row(f"{name}={value}", f"{effect.elo:+.1f} ±{effect.error:.1f}", time)
    return made
