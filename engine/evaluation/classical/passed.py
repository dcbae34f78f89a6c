"""Passed pawns: the path ahead of them, and the pieces that support or stop them."""

from engine.board.aliases import Bitboard, Color, PackedScore, Position, Square
from engine.board.attacks import forward
from engine.board.position import bit
from engine.board.types import I64, KING, ONE, PAWN, ROOK, ZERO
from engine.evaluation.classical.features import (
    BLOCKED_PASSER,
    ENEMY_KING_DISTANCE,
    FREE_PATH,
    OWN_KING_DISTANCE,
    ROOK_BEHIND,
    SAFE_STOP,
    SUPPORTED_STOP,
    UNSTOPPABLE,
)
from engine.evaluation.classical.view import ANY, View, ahead, distance, relative_rank
from engine.evaluation.classical.weights import Trace, term
from engine.jit import inlined, lsb


@inlined
def _is_unstoppable(view: View, position: Position, us: Color, square: Square, path: Bitboard) -> bool:
    """The rule of the square: the enemy has no pieces, the path is empty, and the enemy king comes too late."""
    them = us ^ 1
    if position.colors[them] & ~(position.pieces[PAWN] | position.pieces[KING]):
        return False
    if path & (position.colors[0] | position.colors[1]):
        return False
    goal = square & 7 | (56 if us == 0 else 0)
    moves = min(7 - relative_rank(us, square), 5)
    late = 1 if position.side == them else 0
    return distance(view.king[them], goal) - late > moves


@inlined
def passed_terms(trace: Trace, view: View, position: Position, us: Color) -> PackedScore:
    """The terms of each passed pawn of ``us``."""
    them = us ^ 1
    occupied = position.colors[0] | position.colors[1]
    defended = view.attacks[us, ANY]
    score = I64(0)
    rest = view.passed & view.pawns[us]
    while rest:
        square = lsb(rest)
        rest &= rest - ONE
        rank = relative_rank(us, square)
        path = ahead(bit(square), us)
        stop = forward(bit(square), us)
        gone = max(rank - 2, 0)
        goal = lsb(stop)
        score += term(trace, us, OWN_KING_DISTANCE + distance(view.king[us], goal), gone)
        score += term(trace, us, ENEMY_KING_DISTANCE + distance(view.king[them], goal), gone)
        if stop & position.colors[them]:
            score += term(trace, us, BLOCKED_PASSER + rank, 1)
        guarded = view.attacks[them, ANY]
        if stop & guarded == ZERO:
            score += term(trace, us, SAFE_STOP + rank, 1)
            if path & (occupied | guarded) == ZERO:
                score += term(trace, us, FREE_PATH + rank, 1)
        if stop & defended:
            score += term(trace, us, SUPPORTED_STOP + rank, 1)
        behind = ahead(bit(square), them) & position.pieces[ROOK]
        if behind & position.colors[us]:
            score += term(trace, us, ROOK_BEHIND, 1)
        if behind & position.colors[them]:
            score += term(trace, us, ROOK_BEHIND + 1, 1)
        if _is_unstoppable(view, position, us, square, path):
            score += term(trace, us, UNSTOPPABLE, 1)
    return score
