"""Scores: centipawns for the side to move, with mates at the ends of the scale and table wins next to them.

Being mated in n plies from the root is ``-MATE + n``, and reaching a position there that the tablebases call lost
``-TB_WIN + n``. In the transposition table both count from the node they were found at, since it can be reached at
another distance from the root.
"""

from __future__ import annotations

from engine import messages
from engine.board.aliases import Ply, Score
from engine.jit import helper

INFINITY = 32_000
MATE = 31_000

#: The deepest line, in plies from the root.
MAX_PLY = 240

#: Scores above this, and below its negative, mean a forced mate.
MATE_BOUND = MATE - MAX_PLY

#: A win by the tablebases, which do not tell how soon: between all mates and all evaluations.
TB_WIN = MATE_BOUND - 1

#: Scores above this, and below its negative, are decided: by a mate or by the tablebases.
DECIDED = TB_WIN - MAX_PLY - 1

#: No score; for instance instead of a static evaluation in check.
NONE = 32_100

DRAW = 0


@helper
def mated_in(ply: Ply) -> Score:
    """The score of being mated at ``ply``."""
    return ply - MATE


@helper
def to_table(score: Score, ply: Ply) -> Score:
    """A root-relative score as the transposition table keeps it."""
    if score > DECIDED:
        return score + ply
    if score < -DECIDED:
        return score - ply
    return score


@helper
def from_table(score: Score, ply: Ply, rule50: int) -> Score:
    """Undo :func:`to_table` at a node whose 50-move clock stands at ``rule50`` plies.

    A mate that comes after the clock runs out is none: what is left is an advantage (as in Stockfish).
    """
    if score > DECIDED:
        if score > MATE_BOUND and MATE - score > 100 - rule50:
            return DECIDED
        return score - ply
    if score < -DECIDED:
        if score < -MATE_BOUND and MATE + score > 100 - rule50:
            return -DECIDED
        return score + ply
    return score


def to_message(score: int, bound: str = "") -> messages.Score:
    """A score for people: mates in moves, the rest in centipawns."""
    score = int(score)
    if abs(score) > MATE_BOUND:
        moves = (MATE - abs(score) + 1) // 2
        return messages.Score(mate=moves if score > 0 else -moves, bound=bound)
    return messages.Score(cp=score, bound=bound)
