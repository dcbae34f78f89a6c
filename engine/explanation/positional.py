"""The positional cost of a move that wins and loses no material, in terms of the classical evaluation."""

import chess

from engine.explanation.claims import Shift, ShiftAspect
from engine.explanation.line import Line
from engine.explanation.terms import CHANGING, aspects

#: Plies of both lines after which the lines of a longer search are compared, to check the claim.
PLIES = 6

#: Plies of both lines that are compared, fewer if a line is shorter, and the least length of both.
_FAR, _LEAST = 8, 6

#: Centipawns that an aspect must have lost, and its ratio to any other.
_CLEAR, _MARGIN = 28, 1.3


def shift(played: Line, best: Line) -> Shift | None:
    """The aspect that got clearly worse in ``played`` than in ``best``; None if nothing stands out. Both lines begin at
    the same board with their move. Settled boards are compared after each move: the aspect must be worse at all of
    them, because the line of a short search is only one of many."""
    mover = played.boards[0].turn
    length = min(len(played), len(best), _FAR)
    if length < _LEAST:
        return None
    points = [losses(played.settled[ply], best.settled[ply], mover) for ply in range(1, length + 1)]
    ranked = sorted(((min(point.get(key, 0) for point in points), key) for key in points[0]), reverse=True)
    loss, (aspect, own) = ranked[0]
    if loss < _CLEAR or loss < _MARGIN * ranked[1][0]:
        return None
    return Shift(aspect, own, loss)


def losses(played: chess.Board, best: chess.Board, mover: chess.Color) -> dict[tuple[ShiftAspect, bool], int]:
    """For each aspect, the mover's own (True) and the other side's, the centipawns that ``played`` costs the mover."""
    here, there = aspects(played, CHANGING), aspects(best, CHANGING)
    found: dict[tuple[ShiftAspect, bool], int] = {}
    for aspect in here[mover]:
        if aspect == "king" and not (played.queens and best.queens):
            continue  # in endings, kings should come out
        found[aspect, True] = there[mover][aspect] - here[mover][aspect]
        found[aspect, False] = here[not mover][aspect] - there[not mover][aspect]
    return found
