"""What the sentences on a game's result and on two scores claim, and whether a longer search bears it out."""

from __future__ import annotations

from engine.explanation import verdict
from engine.explanation.comparison import CLEAR, EDGE, LITTLE, TOLD, WINNING, cost_text

#: Centipawns that are next to nothing.
NOTHING = 25

#: Expected points up to which a game may be called about level.
_LEVEL = 0.61


def compares(kind: str, had: int, has: int, before: float, after: float, slack: float) -> bool:
    """Whether a :class:`~engine.explanation.comparison.Comparison` of this ``kind`` and these levels is true of a
    side that expects ``before`` with the better move and ``after`` with the other, give or take the ``slack``.

    Who is winning stands better too.

    >>> compares("turned", 1, -2, 0.55, 0.05, 0.05), compares("turned", 1, -2, 0.45, 0.05, 0.05)
    (True, False)
    """
    if kind == "little":
        return True  # of the cost alone, which is checked in centipawns
    if kind == "open":
        return abs(after - 0.5) < CLEAR - 0.5 + slack
    if kind == "now":
        return _fits(has, after, slack)
    if kind == "anyway":
        return _fits(-3, before, slack) and _fits(-3, after, slack)
    if kind == "either":
        return _fits(min(had, has) if has > 0 else had, before, slack) and _fits(has, after, slack)
    if kind == "gone":  # half of an advantage at least
        return before >= EDGE - slack and after - 0.5 <= (before - 0.5) / 2 + slack
    mentioned = min(1, max(-1, had))  # how great an advantage was, nothing says
    return _fits(mentioned, before, slack) and _fits(has, after, slack)


def _fits(said: int, points: float, slack: float) -> bool:
    if said == 0:
        return abs(points - 0.5) <= _LEVEL - 0.5 + slack
    return (points if said > 0 else 1 - points) >= (EDGE, CLEAR, WINNING)[abs(said) - 1] - slack


def stands(said: int, points: float, slack: float) -> bool:
    """Whether the :func:`verdict <engine.explanation.verdict.standing>` that was ``said`` is true of a side that
    expects ``points``, give or take the ``slack``. Who is winning is better too, and 0 only says that an advantage is
    gone.

    >>> stands(1, 0.95, 0.05), stands(1, 0.5, 0.05), stands(0, 0.7, 0.05), stands(-2, 0.15, 0.05)
    (True, False, True, True)
    """
    if said == 0:
        return points < verdict.BETTER + slack
    least = verdict.WINNING if abs(said) == 2 else verdict.BETTER
    return (points if said > 0 else 1 - points) >= least - slack


def said_cost(text: str) -> tuple[float, float] | None:
    """The centipawns, from and to, that a move must have cost for what a sentence says of that to be right: within a
    factor of two, and what was perhaps a little or probably better must not be worse. None if it says nothing of
    the kind.

    >>> said_cost("After e5 White is still winning; Nf3 was better by two or three pawns."), said_cost("Loses a pawn.")
    ((105.5, 660), None)
    """
    if "perhaps a little better" in text:
        return -NOTHING, 2 * LITTLE
    if "probably better" in text:
        return -NOTHING, 20_000
    if "anyway" in text:
        return NOTHING, 10_000
    costs = [drop for drop in range(TOLD + 1, 2_000) if text.endswith(f" {cost_text(drop)}.")]
    return (costs[0] / 2, 2 * costs[-1] if costs[-1] < 1_999 else 20_000) if costs else None
