"""Static exchange evaluation (SEE): the value of a series of captures on one square."""

import numpy as np

from engine.board.aliases import Move, Position, Score
from engine.board.attacks import attackers_to, bishop_attacks, rook_attacks
from engine.board.moves import EN_PASSANT, is_castling, is_promotion, kind_of, origin_of, promoted_type, target_of
from engine.board.position import bit, occupied_by_all, pins_of, type_on
from engine.board.types import BISHOP, I64, KING, PAWN, PIECE_VALUES, QUEEN, ROOK, ZERO
from engine.jit import inlined

#: Centipawns by piece type, the empty square last.
SEE_VALUES = np.array([*(100 * value for value in PIECE_VALUES), 0, 0, 0], np.int64)


@inlined
def see_ge(position: Position, move: Move, threshold: Score) -> bool:
    """Whether the exchange that ``move`` starts gains at least ``threshold`` centipawns for the side to move.

    Both sides capture with their least valuable attacker and may stop; x-ray attackers join in. Pinned pieces do
    not capture while a pinner stands. Castling gains 0. (As in Stockfish: a bound in place of a swap list.)"""
    if is_castling(move):
        return threshold <= 0
    origin, target = origin_of(move), target_of(move)
    pieces = position.pieces
    occupied = (occupied_by_all(position) ^ bit(origin)) | bit(target)
    gain = SEE_VALUES[type_on(position, target)]
    at_risk = SEE_VALUES[type_on(position, origin)]
    if kind_of(move) == EN_PASSANT:
        gain = SEE_VALUES[PAWN]
        occupied ^= bit(target ^ 8)
    elif is_promotion(move):
        at_risk = SEE_VALUES[promoted_type(move)]
        gain += at_risk - SEE_VALUES[PAWN]

    balance = gain - threshold
    if balance < 0:
        return False
    balance -= at_risk
    if balance >= 0:
        return True

    straight = pieces[ROOK] | pieces[QUEEN]
    diagonal = pieces[BISHOP] | pieces[QUEEN]
    attackers = attackers_to(position, target, occupied) & occupied
    us = I64(position.side)
    side = us ^ 1
    if attackers & position.colors[side] == ZERO:
        return True
    our_pins, their_pins = position.pinned_straight | position.pinned_diagonal, pins_of(position, side)
    while True:
        own = attackers & position.colors[side]
        pins = our_pins if side == us else their_pins
        if pins & position.colors[side ^ 1] & occupied & ~bit(target) != ZERO:
            own &= ~pins
        if own == ZERO:
            break
        kind = PAWN
        while own & pieces[kind] == ZERO:
            kind += 1
        if kind == KING and attackers & position.colors[side ^ 1]:
            break  # the king may not take what is protected
        taker = own & pieces[kind]
        occupied ^= taker & -taker
        if kind == PAWN or kind == BISHOP or kind == QUEEN:
            attackers |= bishop_attacks(target, occupied) & diagonal
        if kind == ROOK or kind == QUEEN:
            attackers |= rook_attacks(target, occupied) & straight
        attackers &= occupied
        side ^= 1
        balance = -balance - 1 - SEE_VALUES[kind]
        if balance >= 0:
            break
    return side != us
