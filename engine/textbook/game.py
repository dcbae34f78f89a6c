"""The interface of a game that every search in this package uses.

The vocabulary (initial state, actions, result, terminal test, utility) is that of Russell and Norvig,
*Artificial Intelligence: A Modern Approach*, chapter "Adversarial Search and Games".
"""

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import Protocol, TypeVar

S = TypeVar("S")
A = TypeVar("A", bound=Hashable)

MAX, MIN = 1, -1


class Game(Protocol[S, A]):
    """A deterministic two-player zero-sum game of perfect information with strictly alternating turns
    (a pass is an action). States are never changed in place. Values are from MAX's view and may be infinite."""

    @abstractmethod
    def initial(self) -> S:
        """The state in which the game starts."""

    @abstractmethod
    def to_move(self, state: S) -> int:
        """``MAX`` (+1) or ``MIN`` (-1)."""

    @abstractmethod
    def actions(self, state: S) -> Sequence[A]:
        """The legal actions, in the game's natural order; never empty unless the state is terminal."""

    @abstractmethod
    def result(self, state: S, action: A) -> S:
        """The state that ``action`` leads to."""

    @abstractmethod
    def is_terminal(self, state: S) -> bool:
        """Whether the game is over."""

    @abstractmethod
    def utility(self, state: S) -> float:
        """The value of a terminal state to MAX."""

    def evaluate(self, state: S) -> float:
        """An estimate of the value of a state to MAX, for searches that stop early; 0 if unknown."""
        return 0.0

    def key(self, state: S) -> Hashable:
        """A key that is equal for states with the same future, for tables."""
        return state

    def noisy(self, state: S) -> Sequence[A]:
        """The actions to search before :meth:`evaluate` is reliable, such as captures; empty if the state is quiet."""
        return ()

    def forced(self, state: S) -> bool:
        """Whether the player to move cannot stand pat, as in check; then :meth:`noisy` has all actions."""
        return False

    def promise(self, state: S, action: A) -> float:
        """The expected worth of an action before its search; :class:`LearnedOrder` tries higher ones first."""
        return 0.0
