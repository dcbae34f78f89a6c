"""How a game stands by its scores: expected points, levels from winning to losing, and how a move changed them.

Explains moves that no theme or tablebase result does. A side is called better only with a margin for
the error of a short search."""

from dataclasses import dataclass
from typing import Literal

from chess.engine import MateGiven, Score, Wdl

from engine.explanation.grades import Grade, cost, grade_of
from engine.play.wdl import MODEL, REFERENCE_MOVE

EDGE, CLEAR, WINNING = 0.58, 0.73, 0.9  # expected points from which a side is better, clearly better, and winning
_SEARCH_ERROR_POINTS = 0.05  # expected points by which a score must exceed these for a short search to be sure
_MAX_EVEN_POINTS = 0.05  # expected points from one half within which a game is about even
_DECISIVE_POINTS = 0.2  # expected points that decide a game
_MAX_HALF_PAWN_CP = 75  # centipawns that are nearer to half a pawn than to one
INACCURACY_COST = 0.07  # points that an inaccuracy costs: with lichess.org's 0.05, another engine disagrees too often
UNSURE_CP = 90  # centipawns up to which a search cannot be sure that a move was better

#: Centipawns beyond which a search is quite sure that a move was better, by several pawns, and by far.
SURE_CP, SEVERAL_CP, FAR_CP = 210, 330, 550


def chances(score: Score, move: int = REFERENCE_MOVE) -> Wdl:
    """The chances to win, draw and lose, in thousandths, of the side from whose view ``score`` is given, at a ``move``
    of the game. From the engine's own games (:mod:`engine.play.wdl`).

    >>> from chess.engine import Mate
    >>> chances(Mate(3)), chances(Mate(-1))
    (Wdl(wins=1000, draws=0, losses=0), Wdl(wins=0, draws=0, losses=1000))
    """
    mate = score.mate()
    if mate is not None:
        return Wdl(1000, 0, 0) if mate > 0 or score is MateGiven else Wdl(0, 0, 1000)
    return Wdl(*MODEL.chances(round(score.score(mate_score=0) * MODEL.pawn / 100), move))


def expectation(score: Score, move: int = REFERENCE_MOVE) -> float:
    """The expected points, from 0 to 1, of the side from whose view ``score`` is given, at a ``move`` of the game: its
    :func:`chances`, with half a point for a draw.

    >>> from chess.engine import Cp, Mate
    >>> expectation(Cp(0)), expectation(Mate(3)), expectation(Mate(-1))
    (0.5, 1.0, 0.0)
    """
    return chances(score, move).expectation()


#: What became of the mover's game.
Kind = Literal[
    "decided",  # it was winning and no longer is, or is losing now
    "lost",  # it was winning, now it is even or slightly worse
    "half",  # it was better, now by half as much at most
    "less",  # it is still better, but by less
    "more",  # the other side is still better
    "grown",  # the other side was better, now by more
    "anyway",  # the other side was winning, and still is
    "now",  # the other side was not better, and is now
    "open",  # neither side is clearly better, but the other one has gained
    "either",  # the same side is better after either move; little was lost
    "worse",  # as "either", with a clear advantage of the other side after the move
    "little",  # it is slightly worse, and unclear who is better
]

#: How much better the other move was, "pawns" being two or three; empty if the kind says it all. In an even game
#: "half" and "pawn" are what the other side has gained.
Cost = Literal["", "slightly", "probably", "surely", "half", "pawn", "pawns", "several", "far"]


@dataclass(frozen=True, slots=True)
class Standing:
    """A move against the better one: its ``kind``, the levels that the mover ``had`` and ``has``, and the cost."""

    kind: Kind
    had: int
    has: int
    cost: Cost = ""


def winning_anyway(had: Score, has: Score, move: int) -> bool:
    """Whether a side surely is winning whatever was played at a ``move`` of the game, from ``had`` to ``has``.

    >>> from chess.engine import Cp
    >>> winning_anyway(Cp(-333), Cp(-672), 36), winning_anyway(Cp(450), Cp(300), 36), winning_anyway(Cp(300), Cp(0), 36)
    (True, True, False)
    """
    return _sure(expectation(had, move)) == -3 or _sure(expectation(has, move)) == 3


def mark_of(had: Score, has: Score, move: int) -> Grade:
    """The grade with which a ``move`` of the game is marked: an inaccuracy only if it costs enough, or a mate, and the
    game was not decided.

    >>> from chess.engine import Cp
    >>> [mark_of(Cp(0), Cp(loss), 20).glyph for loss in (-30, -40, -100)], mark_of(Cp(-333), Cp(-672), 36).glyph
    (['', '?!', '??'], '')
    """
    grade = grade_of(had, has)
    if grade is not Grade.INACCURACY:
        return grade
    small = cost(had, has) < INACCURACY_COST and not (had.is_mate() or has.is_mate())
    return Grade.FINE if small or winning_anyway(had, has, move) else grade


def decisive_change(before: float, after: float) -> Standing | None:
    """How a move changed the mover's expected points from ``before``, with the better move, to ``after``; None unless
    the game was won or is lost by a margin that a short search is sure of.

    >>> decisive_change(0.96, 0.5)
    Standing(kind='lost', had=3, has=0, cost='')
    >>> decisive_change(0.6, 0.4)
    """
    had, has = _sure(before), _sure(after)
    if has >= had or (had < 3 and has > -3) or before - after < _DECISIVE_POINTS:
        return None
    return Standing("lost" if had > 0 and has in (0, -1) else "decided", had, has, "" if had > 0 else "surely")


def compare(before: float, after: float, drop: int, marked: bool = False) -> Standing:
    """Compare the mover's expected points with the better move and now; ``drop`` is the cost in centipawns. A move that
    is ``marked`` surely was worse.

    >>> compare(0.5, 0.2, 120), compare(0.6, 0.4, 80)
    (Standing(kind='now', had=0, has=-2, cost='probably'), Standing(kind='little', had=0, has=0, cost='slightly'))
    """
    had, has = _sure(before), _sure(after)
    if drop <= UNSURE_CP and not marked:  # it may be an error of the search: only what holds after either move is sure
        if has > 0 or has == had < 0:
            return Standing("either", had, has)
        return Standing("worse", had, has) if has < had < 0 else Standing("little", had, has, "slightly")
    if had > 0 and abs(after - 0.5) <= _MAX_EVEN_POINTS:
        return Standing("half", had, has)
    kind: Kind
    if has > 0:
        kind = "less"
    elif had == -3:
        kind = "anyway"
    elif had < 0:
        kind = "grown" if has < had else "more"
    else:
        kind = "now" if has < 0 else "open"
    gained: Cost = "half" if drop <= _MAX_HALF_PAWN_CP else "pawn"
    return Standing(kind, had, has, gained if kind == "open" else _cost(drop, has))


def _cost(drop: int, has: int) -> Cost:
    """How much better the other move was. A winning side hardly notices; for a losing one pawns do not matter.

    >>> _cost(250, 1), _cost(20_000, 0), _cost(250, -3), _cost(250, 3)
    ('pawns', 'far', 'surely', 'probably')
    """
    if drop <= SURE_CP or has == 3:
        return "probably"
    if has == -3:
        return "surely"
    if drop <= SEVERAL_CP:
        return "pawns"
    return "several" if drop <= FAR_CP else "far"


def level(points: float) -> int:
    """From 3 (winning) through 2 (clearly better), 1 (better) and 0 (about even) to -3 (losing).

    >>> [level(points) for points in (0.95, 0.8, 0.6, 0.5, 0.4, 0.2, 0.02)]
    [3, 2, 1, 0, -1, -2, -3]
    """
    if points < 0.5:
        return -level(1 - points)
    return sum(points >= least for least in (EDGE, CLEAR, WINNING))


def _sure(points: float) -> int:
    """The level that a short search can be sure of."""
    return level(max(0.5, points - _SEARCH_ERROR_POINTS) if points > 0.5 else min(0.5, points + _SEARCH_ERROR_POINTS))
