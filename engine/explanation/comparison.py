"""The last resort, where nothing else is sure: how the game stands after the move, what the better one would have kept
or how much it was better, and by which moves. It follows from the two scores alone, so there is always such a
sentence; who stands better is said only where the scores leave a margin."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from engine.explanation.words import side

#: Expected points from which a side stands better, from which clearly so, and from which it wins.
EDGE, CLEAR, WINNING = 0.58, 0.73, 0.9

#: Expected points by which a score must surpass these for a short search to be sure of it.
_MARGIN = 0.05

#: Expected points from half a point up to which a game is called about level.
_LEVEL = 0.05

#: Centipawns up to which a search cannot be sure that a move was better.
LITTLE = 90

#: Centipawns up to which a search is not quite sure that a move was better, nor by how much, and from which it was by
#: several pawns, and by far.
TOLD, _SEVERAL, _FAR = 210, 330, 550


@dataclass(frozen=True, slots=True)
class Comparison:
    """A move against the better one: its ``kind``, which says what is claimed, the levels that the mover ``had`` and
    ``has`` for sure (see :func:`level`), and the ``text``.

    ========== ==========================================
    kind       what became of the mover's game
    ========== ==========================================
    ``turned`` it had the advantage, now the other side clearly has
    ``gone``   it had an advantage, now half of that at most
    ``less``   it has an advantage still, a smaller one
    ``more``   the other side has an advantage still
    ``grown``  the other side had an advantage, now a greater one
    ``anyway`` the other side was winning, and is
    ``now``    it is not sure what it was, now the other side has an advantage
    ``open``   it is not sure what it was, now neither side is clearly better
    ``either`` one side has an advantage after either move; little was lost
    ``little`` it is perhaps a little worse, and it is not sure who is better
    ========== ==========================================
    """

    kind: str
    had: int
    has: int
    text: str


def compare(color: chess.Color, better: str, answer: str, before: float, after: float, drop: int) -> Comparison:
    """What ``color`` had with the ``better`` move and what it has after the ``answer`` to another, each in expected
    points; ``drop`` is what that costs in centipawns. ``answer`` may be empty.

    >>> compare(chess.WHITE, "Rd1", "Qxd4", 0.5, 0.2, 120).text
    'After Qxd4 Black is clearly better; Rd1 was probably better.'
    >>> compare(chess.WHITE, "Rd1", "Qxd4", 0.7, 0.5, 110).text
    "After Qxd4 much of White's advantage is gone; Rd1 would have kept it."
    >>> compare(chess.BLACK, "Rd8", "Qxd4", 0.97, 0.8, 250).text
    'After Qxd4 Black is still clearly better; Rd8 was better by two or three pawns.'
    >>> compare(chess.BLACK, "Rd8", "Qxd4", 0.97, 0.96, 80).text
    'After Qxd4 Black is still winning; Rd8 would not have changed that.'
    >>> compare(chess.WHITE, "Rd1", "Qxd4", 0.6, 0.4, 80).text
    'Now Black has Qxd4; Rd1 was perhaps a little better.'
    """
    had, has = _sure(before), _sure(after)
    tell = _much if drop > LITTLE else _little
    kind, text = tell(_Case(side(color), side(not color), better, answer, had, has, before, after, drop))
    return Comparison(kind, had, has, text)


@dataclass(frozen=True, slots=True)
class _Case:
    """What :func:`compare` is asked, in words, with the levels that are sure."""

    mover: str
    other: str
    better: str
    answer: str
    had: int
    has: int
    before: float
    after: float
    drop: int

    @property
    def when(self) -> str:
        return f"After {self.answer}" if self.answer else "Now"


def _much(case: _Case) -> tuple[str, str]:
    """The kind and the text for a loss that a search can be sure of."""
    mover, other, had, has = case.mover, case.other, case.had, case.has
    stands = f"{case.when} {other} {STANDS[-has]}" if has < 0 else ""
    kept = f"{case.better} would have kept"
    sure = case.drop > TOLD and has < 3  # who is winning anyway may not even notice
    was = f"{case.better} was better" if sure else f"{case.better} was probably better"
    by = f"{was} {cost_text(case.drop)}" if case.drop > TOLD and abs(has) < 3 else was  # pawns decide no more then
    if has == -1 and had > 0:  # that the other side stands better was said 22 times, of which 3 were false
        return "gone", f"{case.when} {mover}'s advantage is gone; {case.better} would have kept it."
    if has < 0 < had:
        return "turned", f"{stands}; {kept} {mover}'s advantage."
    if had > 0 and _is_level(case.after):
        return "gone", f"{case.when} much of {mover}'s advantage is gone; {case.better} would have kept it."
    if has > 0:
        return "less", f"{case.when} {mover} {_STILL[has]}; {by}."
    if had == -3:
        return "anyway", f"{other} was winning anyway; {was}."
    if has < had < 0:
        return "grown", f"{case.when} {other}'s advantage has grown, and {other} {STANDS[-has]}; {by}."
    if had < 0:
        return "more", f"{case.when} {other} {_STILL[-has]}; {by}."
    if has < 0:
        return "now", f"{stands}; {by}."
    return "open", f"{case.when} neither side is clearly better; {by}."


def _little(case: _Case) -> tuple[str, str]:
    """The kind and the text for a loss that may be the search's error: who is better after either move, if that is
    sure, and otherwise no more than that."""
    mover, other, had, has = case.mover, case.other, case.had, case.has
    if has > 0:
        return "either", f"{case.when} {mover} {_STILL[has]}; {case.better} would not have changed that."
    if has < had < 0:
        left = f"{case.better} too would have left {other} {_LEFT[-had]}"
        return "either", f"{case.when} {other} {STANDS[-has]}; {left}."
    if has == had < 0:
        return "either", f"{case.when} {other} {_STILL[-has]}; {case.better} would not have changed that."
    was = f"{case.better} was perhaps a little better."
    return "little", f"Now {other} has {case.answer}; {was}" if case.answer else was


#: What is said of the side to which a level belongs.
STANDS = {1: "stands better", 2: "is clearly better", 3: "is winning"}
_LEFT = {1: "better", 2: "clearly better"}
_STILL = {1: "still stands better", 2: "is still clearly better", 3: "is still winning"}


def level(points: float) -> int:
    """From 3, winning, over 2, clearly better, 1, better, and 0, level, to -3, losing.

    >>> [level(points) for points in (0.95, 0.8, 0.6, 0.5, 0.4, 0.2, 0.02)]
    [3, 2, 1, 0, -1, -2, -3]
    """
    if points < 0.5:
        return -level(1 - points)
    return sum(points >= least for least in (EDGE, CLEAR, WINNING))


def _sure(points: float) -> int:
    """The level that a short search can be sure of."""
    return level(max(0.5, points - _MARGIN) if points > 0.5 else min(0.5, points + _MARGIN))


def _is_level(points: float) -> bool:
    return abs(points - 0.5) <= _LEVEL


def cost_text(centipawns: int) -> str:
    """What that many centipawns are, in words that follow "better".

    >>> cost_text(250), cost_text(20_000)
    ('by two or three pawns', 'by far')
    """
    if centipawns <= _SEVERAL:
        return "by two or three pawns"
    return "by several pawns" if centipawns <= _FAR else "by far"
