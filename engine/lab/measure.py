"""Measures one algorithm on one game at one depth: a row of the table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import exp, isfinite, log
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

from engine.lab.games import Demo
from engine.lab.trace import number
from engine.messages import Limits
from engine.textbook import (
    Game,
    LearnedOrder,
    OutOfTime,
    Solution,
    alpha_beta,
    alpha_beta_with_table,
    aspiration,
    minimax_decision,
    monte_carlo_tree_search,
    mtdf,
    negamax,
    negamax_alpha_beta,
    principal_variation_search,
    quiescence_search,
)

if TYPE_CHECKING:
    from engine.api import Engine

SIMULATIONS = 1000  # of UCT, per row


def _uct(game: Game[Any, Any], state: None, depth: int, deadline: float) -> Solution[Any]:
    return monte_carlo_tree_search(game, state, SIMULATIONS, horizon=depth, deadline=deadline)


ALGORITHMS: dict[str, Callable[..., Solution[Any]]] = {
    "minimax": minimax_decision,
    "negamax": negamax,
    "alpha-beta": alpha_beta,
    "alpha-beta+order": alpha_beta,
    "negamax-ab+order": negamax_alpha_beta,
    "pvs+order": principal_variation_search,
    "mtdf+order": mtdf,
    "aspiration+order": aspiration,
    "table+order": alpha_beta_with_table,
    "quiescence+order": quiescence_search,
    "uct": _uct,
}
"""The table's rows. ``+order``: a step of iterative deepening, with the usual move ordering: best move of
the last depth, captures by MVV-LVA, killers, history. The cost of earlier depths is shown in their own rows."""

LEARNING = tuple(name for name in ALGORITHMS if name.endswith("+order"))

#: Algorithms that also take over the table, or the value, of the previous depth.
_TABLED, _GUESSING = ("table+order", "quiescence+order"), ("mtdf+order", "aspiration+order")

EXHAUSTIVE = ("minimax", "negamax")
ENGINE = "Numbat"


@dataclass(frozen=True)
class Row:
    """A row of the table; None marks values that were not measured. ``how`` is ``searched``, ``counted`` (the tree's
    size without searching it), ``estimated`` (UCT), ``compiled`` (the engine) or ``gave up``."""

    algorithm: str
    depth: int
    how: str
    whole: int | None  # b^m: minimax's leaves
    nodes: int | None = None
    leaves: int | None = None
    seconds: float | None = None
    value: str = ""
    line: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        """The leaves as a share of minimax's; None for UCT."""
        if self.leaves is None or self.whole is None or self.how == "estimated":
            return None
        return self.leaves / self.whole

    @property
    def minimal(self) -> float | None:
        """The leaves with perfect order."""
        return None if self.whole is None else minimal_leaves(self.whole ** (1 / self.depth), self.depth)

    @property
    def branching(self) -> float | None:
        """The effective branching factor (see :func:`effective_branching`); None for UCT, whose depth is no bound."""
        if self.nodes is None or self.how == "estimated":
            return None
        return effective_branching(self.nodes, self.depth)


def effective_branching(nodes: int, depth: int) -> float | None:
    """The branching factor b of the uniform tree of that depth with as many nodes: 1 + b + b^2 + ... + b^depth
    (Nilsson 1971). None if there are no more nodes than plies, because b would be below 1."""
    if depth < 1 or nodes < depth + 1:
        return None
    low, high = 1.0, exp(log(nodes) / depth)
    for _ in range(80):
        middle = (low + high) / 2
        if sum(middle**ply for ply in range(depth + 1)) < nodes:
            low = middle
        else:
            high = middle
    return high


def minimal_leaves(branching: float, depth: int) -> float:
    """The leaves of a uniform tree that alpha-beta must see even in perfect order: b^ceil(m/2) + b^floor(m/2) - 1.

    Knuth and Moore, "An Analysis of Alpha-Beta Pruning" (1975), theorem 1; Slagle and Dixon (1969).

    >>> minimal_leaves(3, 2), minimal_leaves(20, 3)
    (5, 419)
    """
    return branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1


def count_tree(game: Game[Any, Any], depth: int, deadline: float) -> tuple[int, int]:
    """Count the nodes and leaves that minimax visits. States with the same key are expanded once. Raises
    :class:`OutOfTime` when ``deadline`` (``time.monotonic`` seconds) passes."""
    memory: dict[tuple[Hashable, int], tuple[int, int]] = {}

    def count(state: Any, depth: int) -> tuple[int, int]:
        if monotonic() >= deadline:
            raise OutOfTime
        if depth == 0 or game.is_terminal(state):
            return 1, 1
        name = game.key(state), depth
        if name not in memory:
            actions = game.actions(state)
            below = (
                [(1, 1)] * len(actions)
                if depth == 1
                else [count(game.result(state, action), depth - 1) for action in actions]
            )
            memory[name] = 1 + sum(nodes for nodes, _ in below), sum(leaves for _, leaves in below)
        return memory[name]

    return count(game.initial(), depth)


class Comparison:
    """Measures a demo row by row, with a time limit of ``seconds`` per row. An algorithm that exceeds it is tried no
    deeper; minimax's tree is then counted, not searched. An ``engine`` (chess only) adds a row to each depth."""

    def __init__(self, demo: Demo, algorithms: Sequence[str], seconds: float, engine: Engine | None = None) -> None:
        self.demo = demo
        self.algorithms = algorithms
        self.seconds = seconds
        self.engine = engine
        self._gave_up: set[str] = set()
        self._pace = 0.0  # seconds per node of the last exhaustive search
        self._counts: dict[int, tuple[int, int] | None] = {}
        self._learned: dict[str, dict[str, Any]] = {name: {} for name in algorithms}  # options for the next depth
        for name in set(algorithms).intersection(LEARNING):
            self._learned[name] = {"order": LearnedOrder()} | ({"table": {}} if name in _TABLED else {})

    def rows(self, depth: int, announce: Callable[[str], None] = lambda text: None, first: int = 1) -> Iterator[Row]:
        """The rows at ``first``, ... ``depth`` plies; ``announce`` gets a description of each beforehand."""
        for plies in range(1, depth + 1):
            for name in self.algorithms:
                if plies < first and name not in LEARNING:
                    continue
                announce(f"{name} at depth {plies}")
                row = self._measured(name, plies)
                if plies >= first:
                    yield row
            if self.engine and plies >= first:
                announce(f"the engine at depth {plies}")
                yield self._engine_row(self.engine, plies)

    def count(self, depth: int) -> tuple[int, int] | None:
        """Nodes and leaves of minimax's tree; None if counting this tree, or a smaller one, takes too long."""
        if depth not in self._counts:
            self._counts[depth] = None
            if self._counts.get(depth - 1, (1, 1)):
                with suppress(OutOfTime):
                    self._counts[depth] = count_tree(self.demo.game, depth, monotonic() + self.seconds)
        return self._counts[depth]

    def _measured(self, name: str, depth: int) -> Row:
        counted = self.count(depth)
        whole = counted[1] if counted else None
        if name in EXHAUSTIVE and self._pace and (counted is None or counted[0] * self._pace > self.seconds):
            self._gave_up.add(name)
        if name not in self._gave_up:
            options = self._learned[name]
            begun = perf_counter()
            try:
                found = ALGORITHMS[name](self.demo.game, None, depth, deadline=monotonic() + self.seconds, **options)
            except OutOfTime:
                self._gave_up.add(name)
            else:
                seconds = perf_counter() - begun
                if name in EXHAUSTIVE:
                    self._pace = seconds / found.nodes
                if name in _GUESSING and isfinite(found.value):
                    options["guess"] = found.value
                return Row(
                    name, depth, "estimated" if name == "uct" else "searched", whole,
                    nodes=found.nodes, leaves=found.leaves, seconds=seconds,
                    value=number(found.value), line=self.demo.write_line(found.line),
                )  # fmt: skip
        if name in EXHAUSTIVE and counted:
            return Row(name, depth, "counted", whole, *counted)
        return Row(name, depth, "gave up", whole)

    def _engine_row(self, engine: Engine, depth: int) -> Row:
        engine.new_game()
        begun = perf_counter()
        found = engine.analyse(self.demo.game.initial(), Limits(depth=depth))
        seconds = perf_counter() - begun
        score, counted = found.score.white(), self.count(depth)
        value = f"#{score.mate()}" if score.is_mate() else f"{score.score(mate_score=0) / 100:.4g}"
        whole = counted[1] if counted else None
        line = self.demo.write_line(found.pv)
        return Row(ENGINE, depth, "compiled", whole, nodes=found.nodes, seconds=seconds, value=value, line=line)
