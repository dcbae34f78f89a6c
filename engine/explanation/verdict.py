"""Where no theme can be named for sure: what the game was, what it is now, and by which move."""

from __future__ import annotations

import chess

from engine.explanation.words import side

#: Expected points from which a side is said to be winning, and from which to be better.
WINNING, BETTER = 0.9, 0.67

#: Expected points by which a score must surpass these for a short search to be sure of it.
_MARGIN = 0.05

#: Expected points that must be between two verdicts, so that they do not differ by a hair.
CLEAR = 0.2


def standing(points: float) -> int:
    """The verdict on a game in which a side expects so many ``points``: 2 winning, 1 better, 0 even, -1 and -2 the same
    for the other side.

    >>> [standing(points) for points in (0.95, 0.7, 0.5, 0.3, 0.02)]
    [2, 1, 0, -1, -2]
    """
    if points < 0.5:
        return -standing(1 - points)
    return 2 if points >= WINNING else 1 if points >= BETTER else 0


def sure(points: float) -> int:
    """As :func:`standing`, but no better for either side than a short search can be sure of.

    >>> [sure(points) for points in (0.96, 0.9, 0.68, 0.3, 0.1)]
    [2, 1, 0, 0, -1]
    """
    return standing(max(0.5, points - _MARGIN) if points > 0.5 else min(0.5, points + _MARGIN))


def standing_text(verdict: int, color: chess.Color, be: str = "is") -> str:
    """The ``verdict`` on the game from the view of ``color`` as a clause.

    >>> standing_text(2, chess.WHITE), standing_text(-1, chess.WHITE, "would be")
    ('White is winning', 'Black would be better')
    """
    if verdict == 0:
        return f"the game {be} about even"
    return f"{side(color if verdict > 0 else not color)} {be} {'winning' if abs(verdict) == 2 else 'better'}"


def verdict_text(color: chess.Color, better: str, answer: str, before: float, after: float) -> str:
    """What ``color`` had with the ``better`` move and what it has after the ``answer`` to another, each in expected
    points; empty if the verdict is the same or nearly so.

    Only what is won or lost is told: whether a game was quite even, or one side is a little better, a short search
    cannot be sure of.

    >>> verdict_text(chess.WHITE, "Bxf7+", "Qxg2", 0.5, 0.01)
    'After Qxg2 Black is winning; Bxf7+ was better.'
    >>> verdict_text(chess.WHITE, "Bxf7+", "Qxg2", 0.96, 0.5)
    "After Qxg2 White's advantage is gone; after Bxf7+ White would be winning."
    """
    was, now = sure(before), sure(after)
    if (was < 2 and now > -2) or now >= was or before - after < CLEAR or (now == 0 and after > BETTER - _MARGIN):
        return ""
    had = f"after {better} {standing_text(was, color, 'would be')}" if was > 0 else f"{better} was better"
    has = f"{side(color)}'s advantage is gone" if now == 0 else standing_text(now, color)
    return f"After {answer} {has}; {had}."
