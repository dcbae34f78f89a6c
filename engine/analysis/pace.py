"""How a game's time, nodes or plies are shared out among its positions.

Half of it goes to a first look at every position, a tenth to a glance at the alternatives of moves that may deserve
praise, the rest to a second, longer look at the moves that would get a mark, several times as long at a sacrifice that
seems bad: what it is given for lies deep. With a limit of plies the first look has it, the glance two plies less and
the second look three plies more.
"""

from __future__ import annotations

from dataclasses import dataclass

from chess.engine import Limit

#: The share of the first look, and a glance as a share of that (not all positions get one, which saves its tenth).
FIRST, GLANCE = 0.5, 0.25

#: The share of the second looks.
SECOND = 0.4

#: A second look takes this many times the first look at most, and this part of it at least.
MOST, LEAST = 8.0, 0.5

#: Second looks that a sacrifice is worth, if it seems bad.
SACRIFICE_LOOKS = 4

#: Plies that a glance has less, and a second look more.
GLANCE_PLIES, LOOK_PLIES = 2, 3


@dataclass(frozen=True, slots=True)
class Pace:
    """What each position of a game has: ``amount`` milliseconds, nodes or plies, as ``unit`` says (a field of Limit).

    Amounts are whole numbers, so that an interrupted run can note what is left and another go on exactly there.
    """

    unit: str
    amount: int

    @classmethod
    def of(cls, limit: Limit, positions: int = 1) -> Pace:
        """The pace of a limit for that many positions together."""
        if limit.depth is not None:
            return cls("depth", limit.depth)
        if limit.nodes is not None:
            return cls("nodes", limit.nodes)
        assert limit.time is not None, "a limit of plies, nodes or time"
        return cls("time", max(1, round(1000 * limit.time / positions)))

    @property
    def repeatable(self) -> bool:
        """Whether a search under such a limit finds the same each time."""
        return self.unit != "time"

    def first(self) -> int:
        """The first look at a position."""
        return self.amount if self.unit == "depth" else self._share(FIRST)

    def glance(self) -> int:
        """A glance at the alternatives to a move that seems good."""
        return max(1, self.amount - GLANCE_PLIES) if self.unit == "depth" else self._share(FIRST * GLANCE)

    def pool(self, positions: int) -> int:
        """What all second looks at a game of so many positions have together."""
        return 0 if self.unit == "depth" else self._share(SECOND * positions)

    def look(self, pool: int, looks: int, worth: int = 1) -> int:
        """A second look worth so many, if ``pool`` is left and ``looks`` are still to be taken."""
        if self.unit == "depth":
            return self.amount + LOOK_PLIES
        first = self.first()
        return max(1, min(worth * pool // looks, round(MOST * first)), round(LEAST * first))

    def most(self) -> int:
        """The longest look."""
        return self.look(1, 1) if self.unit == "depth" else round(MOST * self.first())

    def limit(self, amount: int) -> Limit:
        """``amount`` as a limit."""
        return Limit(time=amount / 1000) if self.unit == "time" else Limit(**{self.unit: amount})

    def _share(self, share: float) -> int:
        return max(1, round(share * self.amount))
