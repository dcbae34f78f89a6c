"""Draws by repetition and by insufficient material; ``position.rule50`` is the clock of the 50-move rule."""

from engine.board.aliases import Ply, Position
from engine.board.position import occupied_by_all
from engine.board.types import BISHOP, I64, KING, KNIGHT, LIGHT_SQUARES, ZERO
from engine.jit import inlined, popcount


@inlined
def is_repetition(position: Position, ply: Ply) -> bool:
    """Whether the position is drawn by repetition: it occurred once after the root of the search, ``ply`` plies back,
    or twice in all. Once in the search is enough, because a side that can repeat once can do so again. The root itself
    must recur twice: it is on the board, and the game may still leave it."""
    reach = min(I64(position.rule50), I64(position.since_null))
    seen = 0
    distance = 4
    while distance <= reach and distance <= position.ply:
        if position.history[position.ply - distance].key == position.key:
            seen += 1
            if distance < ply or seen == 2:
                return True
        distance += 2
    return False


@inlined
def is_insufficient_material(position: Position) -> bool:
    """Whether there is too little material for any sequence of legal moves to end in checkmate."""
    occupied = occupied_by_all(position)
    knights, bishops = position.pieces[KNIGHT], position.pieces[BISHOP]
    if occupied != position.pieces[KING] | knights | bishops:
        return False
    if knights != ZERO:
        return popcount(occupied) == 3
    return bishops & LIGHT_SQUARES == ZERO or bishops & ~LIGHT_SQUARES == ZERO
