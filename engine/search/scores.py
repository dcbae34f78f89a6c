"""Scores: centipawns for the side to move, with mates at the ends of the scale and tablebase wins next to them.

Being mated n plies from the root is ``-MATE + n``; a position there that the tablebases call lost is ``-TB_WIN + n``.
The transposition table stores both relative to the node, which can be reached at different plies."""

from engine import messages
from engine.board.aliases import Ply, Score
from engine.jit import inlined

INFINITY = 32_000
MATE = 31_000

MAX_PLY = 240  # the deepest line, in plies from the root
MATE_BOUND = MATE - MAX_PLY  # scores above this, and below its negative, are forced mates

#: A tablebase win, below all mates and above all evaluations: WDL tables do not know the distance to mate.
TB_WIN = MATE_BOUND - 1

DECIDED = TB_WIN - MAX_PLY - 1  # scores above this, and below its negative, are mates or tablebase wins
NONE = 32_100  # no score, such as the static evaluation in check

DRAW = 0


@inlined
def mated_in(ply: Ply) -> Score:
    """The score of being mated at ``ply``."""
    return ply - MATE


@inlined
def to_table(score: Score, ply: Ply) -> Score:
    """A root-relative score as stored in the transposition table."""
    if score > DECIDED:
        return score + ply
    if score < -DECIDED:
        return score - ply
    return score


@inlined
def from_table(score: Score, ply: Ply, rule50: int) -> Score:
    """Undo :func:`to_table` at a node whose 50-move clock stands at ``rule50`` plies. A mate that the 50-move rule
    would prevent becomes a mere advantage (as in Stockfish)."""
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
    """The score as reported: mates in moves, others in centipawns."""
    score = int(score)
    if abs(score) > MATE_BOUND:
        moves = (MATE - abs(score) + 1) // 2
        return messages.Score(mate=moves if score > 0 else -moves, bound=bound)
    return messages.Score(cp=score, bound=bound)
