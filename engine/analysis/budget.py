"""How a game's time, nodes or plies are divided among its positions.

Half of it goes to a first search of every position. A comparison of two moves begins with less, and repeats with twice
the amount until the move has used the time of ten positions. With a limit in plies the first search uses all of it, and
each round of a comparison adds a ply."""

from __future__ import annotations

from dataclasses import dataclass

from chess.engine import Limit

FIRST_SHARE = 0.5  # the share for the first search of a position
MAX_POSITIONS = 10  # maximum cost of the comparisons of a move, in budgets of a position

#: The round with which comparisons of moves that seem to cost something begin. The first one, of a quarter of the first
#: search, is only for moves that may deserve praise.
SUSPECT_ROUND = 1

_ROUND_PLIES = range(-1, 6)  # with a limit of plies, the plies that the rounds have more than the first search


@dataclass(frozen=True, slots=True)
class AnalysisBudget:
    """The budget of a position: ``amount`` milliseconds, nodes or plies, as ``unit`` says (a field of Limit).
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

    @property
    def first_amount(self) -> int:
        """The first search of a position."""
        return self.amount if self.unit == "depth" else max(1, round(FIRST_SHARE * self.amount))

    @property
    def max_amount(self) -> int:
        """The longest search of a position."""
        return self.amount + _ROUND_PLIES[-1] if self.unit == "depth" else MAX_POSITIONS * self.amount

    @property
    def rounds(self) -> list[int]:
        """The amounts of a comparison's searches, each twice the one before."""
        if self.unit == "depth":
            return [max(1, self.amount + plies) for plies in _ROUND_PLIES]
        result = [max(1, self.first_amount // 4)]
        while 2 * (sum(result) + 2 * result[-1]) <= self.max_amount:  # both moves
            result.append(2 * result[-1])
        return result

    def limit(self, amount: int, depth: int | None = None) -> Limit:
        """``amount`` as a limit, of ``depth`` plies at most."""
        if self.unit == "depth":
            return Limit(depth=depth or amount)
        return Limit(time=amount / 1000, depth=depth) if self.unit == "time" else Limit(nodes=amount, depth=depth)
