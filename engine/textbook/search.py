"""Bookkeeping that all searches share, so that each algorithm reads like its pseudocode."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any, Generic, TypedDict, Unpack

from engine.textbook.game import MAX, A, Game, S
from engine.textbook.ordering import Order

Valued = tuple[float, tuple[Any, ...]]  # a value and the line of actions that leads to it
NO_LINE: tuple[Any, ...] = ()
Watcher = Callable[[str, Any, tuple[float, ...], float | None], None]


class OutOfTime(Exception):
    """The deadline passed before the search finished."""


class SearchOptions(TypedDict, total=False):
    """Options of every search: the ``order`` of actions (default: the game's own), a ``deadline`` on
    ``time.monotonic`` in seconds, and ``watch``, called with ``("enter", state, window, None)`` and
    ``("leave", state, window, value)`` around each node."""

    order: Order
    deadline: float
    watch: Watcher


@dataclass(frozen=True)
class Solution(Generic[A]):
    """The answer of a search and what it cost. ``value`` is MAX's view, ``line`` the principal variation,
    ``nodes`` the calls made (leaves included), ``exact`` whether no leaf was estimated."""

    value: float
    line: tuple[A, ...]
    nodes: int
    leaves: int
    exact: bool

    @property
    def move(self) -> A | None:
        """The best action at the root; ``None`` if the game was over."""
        return self.line[0] if self.line else None


@dataclass
class Search(Generic[S, A]):
    """One run of one algorithm: its game, options and counters."""

    game: Game[S, A]
    order: Order = field(default_factory=Order)
    deadline: float = inf
    watch: Watcher | None = None
    nodes: int = 0
    leaves: int = 0
    exact: bool = True
    ply: int = -1

    def node(self, visit: Callable[..., Valued]) -> Callable[..., Valued]:
        """Decorate a recursive ``visit(state, depth, *window)``: count the node, check the clock, call the watcher."""

        def counted(state: S, depth: float, *window: float) -> Valued:
            if monotonic() >= self.deadline:
                raise OutOfTime
            self.nodes, self.ply = self.nodes + 1, self.ply + 1
            if self.watch:
                self.watch("enter", state, window, None)
            value, line = visit(state, depth, *window)
            if self.watch:
                self.watch("leave", state, window, value)
            self.ply -= 1
            return value, line

        return counted

    def cutoff(self, state: S, depth: float) -> bool:
        """Whether the search stops here: the game is over, or the depth is used up."""
        return depth <= 0 or self.game.is_terminal(state)

    def leaf(self, state: S, side: int = MAX) -> Valued:
        """The value of a leaf to ``side``: its utility if the game is over, else the evaluation."""
        self.leaves += 1
        if self.game.is_terminal(state):
            return side * self.game.utility(state), NO_LINE
        self.exact = False
        return side * self.game.evaluate(state), NO_LINE

    def actions(self, state: S) -> Sequence[A]:
        """The legal actions in the order in which to try them."""
        return self.order.sort(self.game, state, self.game.actions(state), self.ply)

    def learn(self, state: S, action: Hashable, depth: float, refuted: bool) -> None:
        """Report to the order which action was best here, and whether it refuted the previous move."""
        self.order.learn(self.game, state, action, depth, self.ply, refuted)

    def outcome(self, value: float, line: tuple[A, ...]) -> Solution[A]:
        return Solution(value, line, self.nodes, self.leaves, self.exact)


def begin(game: Game[S, A], state: S | None, **options: Unpack[SearchOptions]) -> tuple[Search[S, A], S]:
    """The bookkeeping of a new search, and its root: ``state``, or the game's initial one."""
    return Search(game, **options), game.initial() if state is None else state
