"""How a game's time, nodes or plies are divided among its positions.

Half of it goes to a first look at every position, a tenth to a glance at the alternatives of moves that may deserve
praise, the rest to a second, longer look at the moves that would get a mark, several times as long at a sacrifice that
seems bad: what it is given for lies deep. The confirming searches take as long again; the few that must decide between
two verdicts take a third look, longer still. With a limit of plies the first look has it, the glance two
plies less, the second look three and the third six plies more."""

from __future__ import annotations

from dataclasses import dataclass

from chess.engine import Limit

#: The share of the first look, and a glance as a part of it. Not every position gets one, so all take about a tenth.
FIRST, GLANCE = 0.5, 0.25

#: The share of the second looks.
SECOND = 0.4

#: A second look takes this many times the first look at most, and this part of it at least.
MOST, LEAST = 8.0, 0.5

#: Second looks that a sacrifice is worth, if it seems bad.
SACRIFICE_LOOKS = 4

#: A third look takes the time of this many positions.
THIRD = 10

#: Plies that a glance has less, and a second and a third look more.
GLANCE_PLIES, LOOK_PLIES, THIRD_PLIES = 2, 3, 6


@dataclass(frozen=True, slots=True)
class AnalysisBudget:
    """What each position of a game has: ``amount`` milliseconds, nodes or plies, as ``unit`` says (a field of Limit).
    Amounts are whole numbers, so that an interrupted run can be continued exactly."""

    unit: str
    amount: int

    @classmethod
    def of(cls, limit: Limit, positions: int = 1) -> AnalysisBudget:
        """The budget for ``limit``, which is for ``positions`` positions together."""
        if limit.depth is not None:
            return cls("depth", limit.depth)
        if limit.nodes is not None:
            return cls("nodes", limit.nodes)
        assert limit.time is not None, "a limit of plies, nodes or time"
        return cls("time", max(1, round(1000 * limit.time / positions)))

    def first(self) -> int:
        """The first look at a position."""
        return self.amount if self.unit == "depth" else self._share(FIRST)

    def glance(self) -> int:
        """A glance at the alternatives to a move that seems good."""
        return max(1, self.amount - GLANCE_PLIES) if self.unit == "depth" else self._share(FIRST * GLANCE)

    def pool(self, positions: int) -> int:
        """The amount for all second looks at a game of ``positions`` positions."""
        return 0 if self.unit == "depth" else self._share(SECOND * positions)

    def look(self, pool: int, looks: int, worth: int = 1) -> int:
        """The amount for a second look that counts as ``worth`` looks, with ``pool`` left for ``looks`` more."""
        if self.unit == "depth":
            return self.amount + LOOK_PLIES
        first = self.first()
        return max(1, min(worth * pool // looks, round(MOST * first)), round(LEAST * first))

    def third(self) -> int:
        """The third look, which is the longest."""
        return self.amount + THIRD_PLIES if self.unit == "depth" else self._share(THIRD)

    def times(self, count: int, amount: int) -> int:
        """``amount`` for each of ``count`` moves that are searched together."""
        return amount if self.unit == "depth" else count * amount

    def limit(self, amount: int) -> Limit:
        """``amount`` as a limit."""
        return Limit(time=amount / 1000) if self.unit == "time" else Limit(**{self.unit: amount})

    def _share(self, share: float) -> int:
        return max(1, round(share * self.amount))
