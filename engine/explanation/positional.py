"""Where nothing is won or lost: what changed most in the classical evaluation's own terms."""

from __future__ import annotations

import chess

from engine.explanation.facts import Shift
from engine.explanation.line import Line
from engine.explanation.terms import aspects

#: Plies of both lines after which a longer search's lines are compared, to check what is said.
PLIES = 6

#: Plies of both lines of which each is compared, less if a line is shorter, and that both must have at least.
_FAR, _LEAST = 8, 6

#: Centipawns that an aspect must have lost, and how many times as much as any other.
_CLEAR, _MARGIN = 28, 1.3


def shift(played: Line, best: Line) -> Shift | None:
    """What ``played`` lost most against ``best``; None if nothing stands out.

    Both lines begin at the same board with their move. They are compared after each move, both at rest: what is named
    must be worse at all of these points, for a line of a short search is not the only one.
    """
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


def losses(played: chess.Board, best: chess.Board, mover: chess.Color) -> dict[tuple[str, bool], int]:
    """For each aspect, of the mover (True) and of the other side, how much worse ``played`` is for the mover."""
    here, there = aspects(played), aspects(best)
    found = {}
    for aspect in here[mover]:
        if aspect == "king" and not (played.queens and best.queens):
            continue  # a matter of endings then, where kings come out
        found[aspect, True] = there[mover][aspect] - here[mover][aspect]
        found[aspect, False] = here[not mover][aspect] - there[not mover][aspect]
    return found
