"""The classical evaluation's terms in human concepts, such as king safety and mobility, and the positional cost of a
move that wins and loses no material in these terms."""

from typing import get_args

import chess

from engine.evaluation.classical.features import GROUPS
from engine.explanation.claims import FeatureAspect, Shift, ShiftAspect
from engine.explanation.effort import spend
from engine.explanation.line import Line
from engine.play.boards import put_board

#: Plies of both lines after which the lines of a longer search are compared, to check the claim.
CHECKED_PLIES = 6

#: Plies of both lines that are compared, fewer if a line is shorter, and the least length of both.
_MAX_COMPARED_PLIES, _MIN_COMPARED_PLIES = 8, 6

#: Centipawns that an aspect must have lost, and its ratio to any other.
_MIN_LOSS_CP, _MIN_RATIO = 28, 1.3


def _groups_of(term: str) -> tuple[str, ...]:
    """The groups of features that the evaluation's table sums up as ``term``."""
    return tuple(group.name for group in GROUPS if group.term == term)


#: Groups of king safety: those that belong to the king's own side, and the attacker's. An attack on the whole flank
#: says too little.
_COVER_GROUPS = ("shelter", "storm")
_ATTACK_GROUPS = tuple(name for name in _groups_of("king") if name not in (*_COVER_GROUPS, "flank_attack"))

#: Aspects by name, with the groups of features that count for a side and those that count for the other.
_ASPECTS: dict[ShiftAspect | FeatureAspect, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "king": (_COVER_GROUPS, _ATTACK_GROUPS),
    "pressure": (_ATTACK_GROUPS, ()),
    "passed": (_groups_of("passed"), ()),
    "mobility": (_groups_of("mobility"), ()),
    "structure": (_groups_of("pawns"), ()),
}


def aspects(board: chess.Board) -> dict[chess.Color, dict[ShiftAspect | FeatureAspect, int]]:
    """For each side the values of the aspects, in centipawns at the position's phase, by the classical evaluation.
    Compiles the classical evaluation's trace if it is not in the cache. Raises
    :class:`~engine.messages.PositionError` for a position that the engine refuses."""
    from engine.board.setup import new_position
    from engine.evaluation.classical.explain import group_shares

    position = new_position()
    put_board(position, board, board.chess960)
    spend()
    shares = group_shares(position)  # White's and Black's
    return {
        color: {
            name: sum(shares[group][not color] for group in own) - sum(shares[group][color] for group in other)
            for name, (own, other) in _ASPECTS.items()
        }
        for color in chess.COLORS
    }


def shift(played: Line, best: Line) -> Shift | None:
    """The aspect that got clearly worse in ``played`` than in ``best``; None if nothing stands out. Both lines begin at
    the same board with their move. Settled boards are compared after each move: the aspect must be worse at all of
    them, because the line of a short search is only one of many."""
    mover = played.boards[0].turn
    length = min(len(played), len(best), _MAX_COMPARED_PLIES)
    if length < _MIN_COMPARED_PLIES:
        return None
    points = [losses(played.settled[ply], best.settled[ply], mover) for ply in range(1, length + 1)]
    ranked = sorted(((min(point.get(key, 0) for point in points), key) for key in points[0]), reverse=True)
    loss, (aspect, own) = ranked[0]
    if loss < _MIN_LOSS_CP or loss < _MIN_RATIO * ranked[1][0]:
        return None
    return Shift(aspect, own, loss)


def losses(played: chess.Board, best: chess.Board, mover: chess.Color) -> dict[tuple[ShiftAspect, bool], int]:
    """For each aspect, the mover's own (True) and the other side's, the centipawns that ``played`` costs the mover."""
    here, there = aspects(played), aspects(best)
    found: dict[tuple[ShiftAspect, bool], int] = {}
    for aspect in get_args(ShiftAspect):
        if aspect == "king" and not (played.queens and best.queens):
            continue  # in endings, kings should come out
        found[aspect, True] = there[mover][aspect] - here[mover][aspect]
        found[aspect, False] = here[not mover][aspect] - there[not mover][aspect]
    return found
