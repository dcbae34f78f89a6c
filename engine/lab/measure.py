"""Measures one algorithm on one game at one depth: a row of the table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import exp, isfinite, log
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

from engine.api.types import moves_of
from engine.lab.games import Exhibit
from engine.lab.trace import number
from engine.messages import Limits
from engine.textbook import (
    Game,
    LearnedOrder,
    OutOfTime,
    Solution,
    Table,
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

#: A lower bound on the leaves per second of the engine's perft.
PERFT_SPEED = 2e7


@dataclass
class Memory:
    """An algorithm's memory of the previous depth: the order of actions, a table and the value."""

    order: LearnedOrder = field(default_factory=LearnedOrder)
    table: Table = field(default_factory=dict)
    value: float | None = None


Run = Callable[[Game[Any, Any], int, float, Memory], Solution[Any]]
"""Searches a game to a depth in plies. Raises OutOfTime after the deadline."""


def _plain(algorithm: Callable[..., Solution[Any]]) -> Run:
    return lambda game, depth, deadline, memory: algorithm(game, None, depth, deadline=deadline)


def _ordered(algorithm: Callable[..., Solution[Any]], guesses: bool = False, table: bool = False) -> Run:
    """One step of iterative deepening, which uses what the earlier steps learned."""

    def run(game: Game[Any, Any], depth: int, deadline: float, memory: Memory) -> Solution[Any]:
        more: dict[str, Any] = {}
        if guesses and memory.value is not None and isfinite(memory.value):
            more["guess"] = memory.value
        if table:
            more["table"] = memory.table
        outcome = algorithm(game, None, depth, order=memory.order, deadline=deadline, **more)
        memory.value = outcome.value
        return outcome

    return run


def _uct(game: Game[Any, Any], depth: int, deadline: float, memory: Memory) -> Solution[Any]:
    return monte_carlo_tree_search(game, None, SIMULATIONS, horizon=depth, deadline=deadline)


ALGORITHMS: dict[str, Run] = {
    "minimax": _plain(minimax_decision),
    "negamax": _plain(negamax),
    "alpha-beta": _plain(alpha_beta),
    "alpha-beta+order": _ordered(alpha_beta),
    "negamax-ab+order": _ordered(negamax_alpha_beta),
    "pvs+order": _ordered(principal_variation_search),
    "mtdf+order": _ordered(mtdf, guesses=True),
    "aspiration+order": _ordered(aspiration, guesses=True),
    "table+order": _ordered(alpha_beta_with_table, table=True),
    "quiescence+order": _ordered(quiescence_search, table=True),
    "uct": _uct,
}
"""The table's rows. ``+order``: a step of iterative deepening, with the usual move ordering: best move of
the last depth, captures by MVV-LVA, killers, history. The cost of earlier depths is shown in their own rows."""

LEARNING = tuple(name for name in ALGORITHMS if name.endswith("+order"))

EXHAUSTIVE = ("minimax", "negamax")
ENGINE = "Numbat"


@dataclass(frozen=True)
class Row:
    """A row of the table; None marks values that were not measured. ``how`` is ``searched``, ``counted`` (the tree's
    size without searching it), ``estimated`` (UCT), ``compiled`` (the engine) or ``gave up``."""

    algorithm: str
    depth: int
    how: str
    nodes: int | None = None
    leaves: int | None = None
    seconds: float | None = None
    value: str = ""
    line: tuple[str, ...] = ()
    share: float | None = None  # of minimax's leaves
    whole: int | None = None  # b^m: minimax's leaves
    minimal: float | None = None  # the leaves with perfect order

    @property
    def branching(self) -> float | None:
        """The effective branching factor (see :func:`effective_branching`); None for UCT, whose depth is no bound."""
        if self.nodes is None or self.how == "estimated":
            return None
        return effective_branching(self.nodes, self.depth)


def effective_branching(nodes: int, depth: int) -> float | None:
    """The b for which a uniform tree, 1 + b + b^2 + ... + b^depth, has as many nodes (Nilsson 1971);
    None if there are no more nodes than plies, so that no b >= 1 does."""
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
    """Nodes and leaves that minimax visits. States with the same future are expanded once. Raises :class:`OutOfTime`
    when ``deadline`` (``time.monotonic`` seconds) passes."""
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


class Laboratory:
    """Measures an exhibit row by row, with a time limit of ``seconds`` per row. An algorithm that exceeds it is not
    tried at greater depths; minimax's tree is then counted instead of searched. An ``engine`` (chess only) adds a last
    row to each depth, and its perft does the counting. Depths have to be measured in increasing order, because some
    algorithms learn from the previous one."""

    def __init__(
        self, exhibit: Exhibit, algorithms: Sequence[str], seconds: float, engine: Engine | None = None
    ) -> None:
        self.exhibit, self.algorithms, self.seconds, self.engine = exhibit, algorithms, seconds, engine
        self._gave_up: set[str] = set()
        self._pace = 0.0  # seconds per node of the last exhaustive search
        self._counts: dict[int, tuple[int, int] | None] = {}
        self._memories = {name: Memory() for name in algorithms}

    def rows(self, depth: int, announce: Callable[[str], None] = lambda text: None, first: int = 1) -> Iterator[Row]:
        """The rows at ``first``, ... ``depth`` plies; ``announce`` gets a description of each beforehand."""
        for plies in range(1, depth + 1):
            for name in self.algorithms:
                if plies < first and name not in LEARNING:
                    continue
                announce(f"{name} at depth {plies}")
                row = self._with_bounds(self._measured(name, plies))
                if plies >= first:
                    yield row
            if self.engine and plies >= first:
                announce(f"the engine at depth {plies}")
                yield self._engine_row(self.engine, plies)

    def count(self, depth: int) -> tuple[int, int] | None:
        """Nodes and leaves of minimax's tree; None if counting takes too long. An engine counts them by perft, whose
        leaves exclude games that end before ``depth``."""
        if depth not in self._counts:
            if self.engine:
                self._counts[depth] = self._count_moves(self.engine, depth)
            else:
                try:
                    self._counts[depth] = count_tree(self.exhibit.game, depth, monotonic() + self.seconds)
                except OutOfTime:
                    self._counts[depth] = None
        return self._counts[depth]

    def _count_moves(self, engine: Engine, depth: int) -> tuple[int, int] | None:
        if depth == 0:
            return 1, 1
        before, earlier = self.count(depth - 1), self.count(depth - 2) if depth > 1 else None
        if before is None or (earlier and before[1] ** 2 / max(earlier[1], 1) > PERFT_SPEED * self.seconds):
            return None
        engine.set_board(self.exhibit.game.initial())
        leaves = engine.perft(depth)
        return before[0] + leaves, leaves

    def _with_bounds(self, row: Row) -> Row:
        counted = self.count(row.depth)
        if counted is None or not counted[1]:  # perft counts no leaf if every game ends before the depth
            return row
        return replace(row, whole=counted[1], minimal=minimal_leaves(counted[1] ** (1 / row.depth), row.depth))

    def _measured(self, name: str, depth: int) -> Row:
        if name in EXHAUSTIVE and self._too_large(depth):
            self._gave_up.add(name)
        if name not in self._gave_up:
            begun = perf_counter()
            try:
                outcome = ALGORITHMS[name](self.exhibit.game, depth, monotonic() + self.seconds, self._memories[name])
            except OutOfTime:
                self._gave_up.add(name)
            else:
                seconds = perf_counter() - begun
                if name in EXHAUSTIVE:
                    self._pace = seconds / outcome.nodes
                    self._counts[depth] = outcome.nodes, outcome.leaves  # perft leaves out games that end earlier
                return Row(
                    name,
                    depth,
                    "estimated" if name == "uct" else "searched",
                    outcome.nodes,
                    outcome.leaves,
                    seconds,
                    number(outcome.value),
                    self.exhibit.write_line(outcome.line),
                    None if name == "uct" else self._share(outcome.leaves, depth),
                )
        counted = self.count(depth) if name in EXHAUSTIVE else None
        if counted is None:
            return Row(name, depth, "gave up")
        nodes, leaves = counted
        return Row(name, depth, "counted", nodes, leaves, share=1.0)

    def _too_large(self, depth: int) -> bool:
        """Whether searching the whole tree would take over ``seconds``, judging by its size and the previous depth."""
        if not self._pace:
            return False
        counted = self.count(depth)
        return counted is None or counted[0] * self._pace > self.seconds

    def _share(self, leaves: int, depth: int) -> float | None:
        counted = self.count(depth)
        return leaves / counted[1] if counted and counted[1] else None

    def _engine_row(self, engine: Engine, depth: int) -> Row:
        board = self.exhibit.game.initial()
        engine.new_game()
        begun = perf_counter()
        info = engine.search(board, Limits(depth=depth))
        seconds = perf_counter() - begun
        side, score = self.exhibit.game.to_move(board), info.score
        value = ""
        if score is not None and score.mate is not None:
            value = f"#{side * score.mate}"
        elif score is not None and score.cp is not None:
            value = f"{side * score.cp / 100:.4g}"
        line = self.exhibit.write_line(moves_of(info.pv, board))
        return self._with_bounds(Row(ENGINE, depth, "compiled", info.nodes, None, seconds, value, line))
