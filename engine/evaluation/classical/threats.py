"""Threats: attacked enemy pieces, and contested squares."""

from engine.board.aliases import Bitboard, Color, PackedScore, Position
from engine.board.attacks import all_pawn_attacks, bishop_attacks, forward, knight_attacks, rook_attacks
from engine.board.position import type_on
from engine.board.types import BISHOP, I64, KING, KNIGHT, ONE, PAWN, QUEEN, RANK_3, RANK_6, ROOK, ZERO
from engine.evaluation.classical.features import (
    HANGING,
    KING_THREAT,
    MINOR_THREAT,
    PAWN_THREAT,
    PUSH_THREAT,
    QUEEN_THREAT,
    RESTRICTED,
    ROOK_THREAT,
)
from engine.evaluation.classical.view import ANY, View
from engine.evaluation.classical.weights import Trace, term
from engine.jit import inlined, lsb, popcount


@inlined
def _victims(trace: Trace, position: Position, us: Color, feature: int, victims: Bitboard) -> PackedScore:
    """One term for each victim, by its type."""
    score = I64(0)
    while victims:
        square = lsb(victims)
        victims &= victims - ONE
        score += term(trace, us, feature + type_on(position, square), 1)
    return score


@inlined
def _push_targets(view: View, position: Position, us: Color, safe: Bitboard) -> Bitboard:
    """Squares that pawns would attack after a push to a safe square."""
    empty = ~(position.colors[0] | position.colors[1])
    once = forward(view.pawns[us], us) & empty
    twice = forward(once & (RANK_3 if us == 0 else RANK_6), us) & empty
    return all_pawn_attacks((once | twice) & safe, us)


@inlined
def threat_terms(trace: Trace, view: View, position: Position, us: Color) -> PackedScore:
    """The threats of ``us``."""
    them = us ^ 1
    enemy = position.colors[them]
    pieces = enemy & ~view.pawns[them]
    attacks, defended = view.attacks[us], view.attacks[them]

    # Strongly defended: by a pawn, or twice against a single attacker.
    strong = defended[PAWN] | view.attacked_twice[them] & ~view.attacked_twice[us]
    weak = enemy & attacks[ANY] & ~strong
    safe = ~defended[ANY] | attacks[ANY] & ~defended[PAWN]

    score = _victims(trace, position, us, PAWN_THREAT, pieces & attacks[PAWN])
    minor = attacks[KNIGHT] | attacks[BISHOP]
    score += _victims(trace, position, us, MINOR_THREAT, pieces & strong & minor)
    score += _victims(trace, position, us, MINOR_THREAT + 6, weak & minor)
    score += _victims(trace, position, us, ROOK_THREAT, pieces & strong & attacks[ROOK])
    score += _victims(trace, position, us, ROOK_THREAT + 6, weak & attacks[ROOK])
    if weak & attacks[KING]:
        score += term(trace, us, KING_THREAT, 1)
    hanging = weak & (~defended[ANY] | pieces & view.attacked_twice[us])
    score += term(trace, us, HANGING, popcount(hanging))
    score += term(trace, us, PUSH_THREAT, popcount(_push_targets(view, position, us, safe) & pieces))
    score += term(trace, us, RESTRICTED, popcount(attacks[ANY] & defended[ANY] & ~strong))

    queens = position.pieces[QUEEN] & enemy
    if queens != ZERO and queens & (queens - ONE) == ZERO:
        queen = lsb(queens)
        occupied = enemy | position.colors[us]
        open_squares = view.reach[us] & ~strong
        leap = knight_attacks(queen) & attacks[KNIGHT] & open_squares
        slide = bishop_attacks(queen, occupied) & attacks[BISHOP] | rook_attacks(queen, occupied) & attacks[ROOK]
        slide &= open_squares & view.attacked_twice[us]
        score += term(trace, us, QUEEN_THREAT, popcount(leap))
        score += term(trace, us, QUEEN_THREAT + 1, popcount(slide))
    return score
