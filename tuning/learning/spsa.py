"""SPSA: the method, its two ways to play a pair of games (processes, or the arena), and the table of results."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rich.table import Table

from tuning.cluster.base import Report
from tuning.common.errors import SetupError
from tuning.matches import units
from tuning.matches.adjudication import Adjudication
from tuning.matches.engines import EngineSpec
from tuning.matches.game import Conditions
from tuning.matches.openings import Book, RandomOpenings
from tuning.matches.records import FAULTS, GameRecord
from tuning.matches.units import Pair
from tuning.statistics.pace import log_pace

TOOL = "tuning.spsa"

ALPHA = 0.602
GAMMA = 0.101
STABILITY = 0.1
"""Spall's constants: the decay of the learning rate and of the step, and the share of iterations by which
the former is held back at the start."""


class Tunable(Protocol):
    """One row of the parameter table in ``engine/search/params.py``."""

    @property
    def name(self) -> str: ...
    @property
    def default(self) -> int: ...
    @property
    def minimum(self) -> int: ...
    @property
    def maximum(self) -> int: ...
    @property
    def step(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Gains:
    """The sizes of steps over ``iterations``; ``rate`` is the final learning rate (step as a share of c)."""

    iterations: int
    rate: float = 0.002

    def perturbation(self, step: float, iteration: int) -> float:
        """c_k: how far to try to either side; it shrinks to ``step``."""
        return step * math.pow(self.iterations / (iteration + 1), GAMMA)

    def learning(self, step: float, iteration: int) -> float:
        """a_k: how far one won pair moves a parameter, times its c_k."""
        hold = STABILITY * self.iterations
        final = self.rate * step**2
        return final * math.pow((hold + self.iterations) / (hold + iteration + 1), ALPHA)


class Spsa:
    """The state of a tuning run: the current values, exactly reproducible from the results so far."""

    def __init__(self, params: Sequence[Tunable], gains: Gains, seed: int = 1) -> None:
        self.params = list(params)
        self.gains = gains
        self.seed = seed
        self.theta = {param.name: float(param.default) for param in params}
        self.history: dict[str, list[float]] = {param.name: [] for param in params}

    def signs(self, iteration: int) -> dict[str, int]:
        """delta_k: a sign for each parameter, the same on every call."""
        source = random.Random(f"{self.seed}/{iteration}")
        return {param.name: source.choice((-1, 1)) for param in self.params}

    def candidates(self, iteration: int) -> tuple[dict[str, int], dict[str, int]]:
        """The two settings to play against each other: whole numbers (rounded at random, so that steps
        below one count too), within their ranges."""
        source = random.Random(f"{self.seed}/{iteration}/rounding")
        signs = self.signs(iteration)
        settings: tuple[dict[str, int], dict[str, int]] = ({}, {})
        for param in self.params:
            reach = self.gains.perturbation(param.step, iteration) * signs[param.name]
            fraction = source.random()
            for side, candidate in zip((1, -1), settings, strict=True):
                value = math.floor(self.theta[param.name] + side * reach + fraction)
                candidate[param.name] = min(max(value, param.minimum), param.maximum)
        return settings

    def update(self, iteration: int, points: float) -> None:
        """Learn from one pair: ``points`` (0..2) of the plus side, or what they are worth when time counts too."""
        signs = self.signs(iteration)
        for param in self.params:
            c = self.gains.perturbation(param.step, iteration)
            slope = (2 * points - 2) / (c * signs[param.name])  # points of plus less points of minus
            moved = self.theta[param.name] + self.gains.learning(param.step, iteration) * slope
            self.theta[param.name] = min(max(moved, param.minimum), param.maximum)
            self.history[param.name].append(self.theta[param.name])


def load_params(names: Sequence[str] | None = None) -> list[Tunable]:
    """The named ones of the engine's tunables, or all that are no switches.

    Raises :class:`SetupError` for an unknown name.
    """
    from engine.search.params import PARAMS

    known = {param.name: param for param in PARAMS}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise SetupError(f"no search parameter is called {', '.join(unknown)}; there are: {', '.join(known)}")
    return [known[name] for name in names] if names else [param for param in PARAMS if not is_switch(param)]


def is_switch(param: Tunable) -> bool:
    """Whether a parameter only switches something on, so that there is no slope to climb."""
    return param.maximum - param.minimum == 1


@dataclass(frozen=True, slots=True)
class Learned:
    """What one iteration found: ``points`` (0..2) of the plus side, the games lost by other means than chess, and in
    the arena the logarithm of the time of a node of the plus side, as a multiple of the minus side's."""

    iteration: int
    points: float
    faults: tuple[str, ...] = ()
    log_pace: float | None = None


@dataclass(slots=True)
class Numbered:
    """A pair in flight and the iteration it belongs to."""

    iteration: int
    pair: Pair


def play(unit: Numbered, report: Report) -> Learned:
    """Play one iteration's pair by two processes; single games do not matter, so they are not reported."""
    games = [GameRecord.from_json(data) for data in units.play_pair(unit.pair, lambda item: None)]
    broken = tuple(game.fault for game in games if game.fault in FAULTS and game.fault is not None)
    return Learned(unit.iteration, sum(game.score_of("plus") for game in games), broken)


def play_in_arena(unit: Any, report: Report) -> Learned:
    """Play one iteration's pair, a batch of one, in compiled code; report the games if they are kept."""
    from tuning.selfplay.batches import play_batch  # the engine, which tuning by processes does not need

    pairs: list[dict[str, Any]] = []
    play_batch(unit, pairs.extend)
    if kept := pairs[0].get("kept"):
        report(kept)
    log = log_pace(pairs[0]["nodes"], pairs[0]["seconds"])
    return Learned(pairs[0]["number"], sum(pairs[0]["points"]) / 2, log_pace=log)


class Processes:
    """Iterations as matches between two processes of the engine in ``settings``."""

    function = staticmethod(play)

    def __init__(self, settings: Mapping[str, Any], book: Book | RandomOpenings) -> None:
        self._engine = EngineSpec.from_json(settings["engine"])
        conditions = dict(settings["conditions"])
        conditions["adjudication"] = Adjudication(**conditions["adjudication"])
        self._rules = Conditions(**conditions)
        self._book = book

    def unit(self, iteration: int, candidates: tuple[dict[str, int], dict[str, int]]) -> Numbered:
        """The work unit in which the two candidates meet."""
        engine = self._engine
        both = [
            replace(engine, name=side, options={**engine.options, **{k: str(v) for k, v in values.items()}})
            for side, values in zip(("plus", "minus"), candidates, strict=True)
        ]
        pair = Pair(iteration, (both[0], both[1]), self._book.opening(iteration), self._rules)
        return Numbered(iteration, pair)


class InArena:
    """Iterations as compiled games in the arena, reported in viriformat if they are ``kept``."""

    function = staticmethod(play_in_arena)

    def __init__(self, settings: Mapping[str, Any], book: Book | RandomOpenings, kept: bool = False) -> None:
        from tuning.selfplay.batches import Meeting, arranged

        self._meeting = Meeting.from_json(settings["arena"])
        if arranged(self._meeting) != self._meeting:
            raise SetupError("the run was started with another engine, network or evaluation: start a new one")
        self._book = book
        self._kept = kept

    def unit(self, iteration: int, candidates: tuple[dict[str, int], dict[str, int]]) -> Any:
        """The work unit in which the two candidates meet."""
        from tuning.selfplay.batches import Batch, PlannedPair

        pair = PlannedPair(iteration, self._book.opening(iteration), candidates)
        return Batch(self._meeting, (pair,), kept=self._kept)


def result_table(spsa: Spsa) -> Table:
    """Where each parameter stands, against its default."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Parameter")
    for heading in ("Default", "Now", "Rounded", "Range", "Step"):
        table.add_column(heading, justify="right")
    for param in spsa.params:
        value = spsa.theta[param.name]
        span = f"{param.minimum}..{param.maximum}"
        table.add_row(param.name, str(param.default), f"{value:.2f}", str(round(value)), span, str(param.step))
    return table
