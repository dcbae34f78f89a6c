"""Legality of a single move, without generating the others: for TT moves."""

from engine.board.aliases import Color, Move, Position, Square
from engine.board.attacks import forward, knight_attacks, pawn_attacks
from engine.board.movegen import (
    castling_is_legal,
    diagonal_targets,
    evasion_mask,
    in_double_check,
    king_targets,
    pawn_double_pushes,
    straight_targets,
)
from engine.board.moves import (
    CAPTURE,
    CASTLE_LONG,
    CASTLE_SHORT,
    DOUBLE_PUSH,
    EN_PASSANT,
    PROMOTION,
    QUIET,
    kind_of,
    origin_of,
    target_of,
)
from engine.board.position import bit, en_passant_is_legal, king_square, occupied_by_all, piece_on
from engine.board.types import BISHOP, I64, KING, KNIGHT, NO_TYPE, PAWN, QUEEN, RANK_1, RANK_8, ROOK, ZERO
from engine.jit import inlined


@inlined
def _pawn_move_is_legal(position: Position, us: Color, king: Square, move: Move) -> bool:
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    if kind == EN_PASSANT:
        if target != I64(position.en_passant) or pawn_attacks(us, origin) & bit(target) == ZERO:
            return False
        return en_passant_is_legal(position, us, king, origin, target)
    if (bit(target) & (RANK_1 | RANK_8) != ZERO) != (kind & PROMOTION != 0):
        return False
    empty = ~occupied_by_all(position)
    reach = pawn_attacks(us, origin)
    if kind & CAPTURE == 0:
        reach = forward(bit(origin), us) & empty
        if kind == DOUBLE_PUSH:
            reach = pawn_double_pushes(reach, us, empty)
    if bit(origin) & position.pinned_straight:
        reach &= position.pinned_straight
    if bit(origin) & position.pinned_diagonal:
        reach &= position.pinned_diagonal
    return reach & evasion_mask(position, king) & bit(target) != ZERO


@inlined
def is_legal(position: Position, move: Move) -> bool:
    """Whether ``move``, any 16-bit number, is a legal move here."""
    us = I64(position.side)
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    piece = piece_on(position, origin)
    king = king_square(position, us)
    if piece & 7 == NO_TYPE or piece >> 3 != us:
        return False
    if kind == CASTLE_SHORT or kind == CASTLE_LONG:
        right = 2 * us + kind - CASTLE_SHORT
        if origin != king or position.checkers != ZERO or target != I64(position.castling_rook[right]):
            return False
        return castling_is_legal(position, us, king, right)
    takes = bit(target) & position.colors[us ^ 1] != ZERO
    if bit(target) & position.colors[us] or (takes != (kind & CAPTURE != 0) and kind != EN_PASSANT):
        return False
    if piece & 7 == KING:
        return (kind == QUIET or kind == CAPTURE) and king_targets(position, us, king, bit(target)) != ZERO
    if in_double_check(position):
        return False
    if piece & 7 == PAWN:
        return (kind < EN_PASSANT + 1 or kind >= PROMOTION) and _pawn_move_is_legal(position, us, king, move)
    if kind != QUIET and kind != CAPTURE:
        return False
    occupied = occupied_by_all(position)
    reach = ZERO
    pinned_straight = bit(origin) & position.pinned_straight != ZERO
    pinned_diagonal = bit(origin) & position.pinned_diagonal != ZERO
    if piece & 7 == KNIGHT and not pinned_straight and not pinned_diagonal:
        reach = knight_attacks(origin)
    if (piece & 7 == BISHOP or piece & 7 == QUEEN) and not pinned_straight:
        reach |= diagonal_targets(position, origin, occupied)
    if (piece & 7 == ROOK or piece & 7 == QUEEN) and not pinned_diagonal:
        reach |= straight_targets(position, origin, occupied)
    return reach & evasion_mask(position, king) & bit(target) != ZERO
