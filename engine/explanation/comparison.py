"""The last resort, where nothing else is sure: how the game stands after the move and how it stood before, and by
which moves. It follows from the two scores alone, so there is always such a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from engine.explanation.words import side

#: Expected points from which a side stands better, from which clearly so, and from which it wins.
EDGE, CLEAR, WINNING = 0.58, 0.72, 0.88

#: Expected points up to which a game may be called about level.
_LEVEL = 0.61

#: Centipawns up to which a search cannot be sure that a move was better.
LITTLE = 90

#: Centipawns from which a move is better "by far".
_FAR = 550


@dataclass(frozen=True, slots=True)
class Comparison:
    """A move against the better one: its ``kind``, which says what is claimed, the levels that the mover ``had`` and
    ``has`` (see :func:`level`), and the ``text``.

    ============ ==========================================
    kind         what became of the mover's game
    ============ ==========================================
    ``turned``   it had the advantage, now the other side has
    ``lost``     it was level, now the other side has the advantage
    ``gone``     it had an advantage, now the game is level
    ``less``     it has an advantage still, a smaller one
    ``more``     the other side had an advantage, now a greater one
    ``level``    it is level still, but less good
    ``gone?``    as ``gone``, but the search cannot be sure
    ``lost?``    as ``lost``, but the search cannot be sure
    ============ ==========================================
    """

    kind: str
    had: int
    has: int
    text: str


def compare(color: chess.Color, better: str, answer: str, before: float, after: float, drop: int) -> Comparison:
    """What ``color`` had with the ``better`` move and what it has after the ``answer`` to another, each in expected
    points; ``drop`` is what that costs in centipawns. ``answer`` may be empty.

    >>> compare(chess.WHITE, "Rd1", "Qxd4", 0.5, 0.2, 120).text
    'After Qxd4 Black is clearly better; Rd1 would have kept the game about level.'
    >>> compare(chess.WHITE, "Rd1", "Qxd4", 0.7, 0.5, 110).text
    "After Qxd4 White's advantage is gone; Rd1 would have kept it."
    >>> compare(chess.BLACK, "Rd8", "", 0.97, 0.9, 250).text
    'Now Black is still winning; Rd8 was better by two or three pawns.'
    """
    had, has = level(before), level(after)
    when, mover, other = f"After {answer}" if answer else "Now", side(color), side(not color)
    sure = drop > LITTLE
    was = f"{better} was better {cost_text(drop)}" if sure else f"{better} was perhaps a little better"
    if had > 0 > has:
        kind, text = "turned", f"{when} {other} {_STANDS[-has]}; {better} would have kept {mover}'s advantage."
    elif had > 0 == has and sure:
        kind, text = "gone", f"{when} {mover}'s advantage is gone; {better} would have kept it."
    elif had > 0 == has:
        kind, text = "gone", f"{when} not much is left of {mover}'s advantage; {was}."
    elif had > 0:
        kind, text = "less", f"{when} {mover} {_STILL[has]}; {was}."
    elif had == 0 > has and sure:
        kind, text = "lost", f"{when} {other} {_STANDS[-has]}; {better} would have kept the game about level."
    elif had == 0 > has:
        kind, text = "lost", f"{when} {other} may have the better chances; {was}."
    elif had == 0:
        kind, text = "level", f"{when} the game is still about level; {was}."
    elif had == -3:
        kind, text = "more", f"{other} was winning anyway; {better} was better."
    elif has == had:
        kind, text = "more", f"{when} {other} {_STILL[-has]}; {was}."
    else:
        was = f"{better} was better" if sure and has == -3 else was  # so lost that pawns no longer count
        kind, text = "more", f"{when} {other}'s advantage has grown, and {other} {_STANDS[-has]}; {was}."
    if not sure and kind in ("gone", "lost"):
        kind += "?"
    return Comparison(kind, had, has, text)


#: What is said of the side to which a level belongs.
_STANDS = {1: "stands better", 2: "is clearly better", 3: "is winning"}
_STILL = {1: "still stands better", 2: "is still clearly better", 3: "is still winning"}


def level(points: float) -> int:
    """From 3, winning, over 2, clearly better, 1, better, and 0, level, to -3, losing.

    >>> [level(points) for points in (0.95, 0.8, 0.6, 0.5, 0.4, 0.2, 0.02)]
    [3, 2, 1, 0, -1, -2, -3]
    """
    if points < 0.5:
        return -level(1 - points)
    return sum(points >= least for least in (EDGE, CLEAR, WINNING))


def cost_text(centipawns: int) -> str:
    """What that many centipawns are, in words that follow "better".

    >>> cost_text(110), cost_text(250), cost_text(20_000)
    ('by about a pawn', 'by two or three pawns', 'by far')
    """
    steps = (140, "by about a pawn"), (210, "by about two pawns"), (330, "by two or three pawns")
    for most, words in (*steps, (_FAR, "by several pawns")):
        if centipawns <= most:
            return words
    return "by far"


def holds(kind: str, had: int, has: int, before: float, after: float, slack: float) -> bool:
    """Whether a comparison of this ``kind`` and these levels is true of a side that expects ``before`` with the better
    move and ``after`` with the other, give or take the ``slack``. Who is winning stands better too.

    >>> holds("lost", 0, -2, 0.55, 0.05, 0.05), holds("lost", 0, -2, 0.75, 0.05, 0.05)
    (True, False)
    """
    if kind == "lost?":
        return 1 - CLEAR - slack <= after <= 0.5 + slack
    if kind.startswith("gone"):
        return before >= EDGE - slack and after <= _LEVEL + slack
    mentioned = min(1, max(-1, had))  # how great an advantage was, nothing says
    return _fits(mentioned, before, slack) and _fits(has, after, slack)


def _fits(said: int, points: float, slack: float) -> bool:
    if said == 0:
        return abs(points - 0.5) <= _LEVEL - 0.5 + slack
    return (points if said > 0 else 1 - points) >= (EDGE, CLEAR, WINNING)[abs(said) - 1] - slack
