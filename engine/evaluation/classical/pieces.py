"""Knights, bishops, rooks and queens: placement, mobility and attacks."""

from engine.board.aliases import Bitboard, Color, PackedScore, PieceType, Position, Square
from engine.board.attacks import bishop_attacks, forward, knight_attacks, queen_attacks, rook_attacks
from engine.board.position import bit
from engine.board.types import BISHOP, I64, KING, KNIGHT, LIGHT_SQUARES, ONE, PAWN, QUEEN, ROOK, U64, ZERO
from engine.evaluation.classical.features import (
    BEHIND_PAWN,
    BISHOP_PAIR,
    BISHOP_PAWNS,
    KING_DISTANCE,
    KNIGHT_PAWNS,
    LONG_DIAGONAL,
    MOBILITY,
    OUTPOST,
    PIECE_SQUARE,
    ROOK_FILE,
    ROOK_PAWNS,
)
from engine.evaluation.classical.view import ANY, View, distance, file_of, relative_square
from engine.evaluation.classical.weights import Trace, term
from engine.jit import inlined, lsb, popcount

#: Ranks four to six of each colour, where outposts count.
_OUTPOST_RANKS = (U64(0x0000_FFFF_FF00_0000), U64(0x0000_00FF_FFFF_0000))

_CENTRE = U64(0x0000_0018_1800_0000)

_MOBILITY_STRIDE = 28  # entries of a mobility table for each type of piece


@inlined
def _count_piece(
    trace: Trace, view: View, us: Color, kind: PieceType, square: Square, reached: Bitboard
) -> PackedScore:
    """Placement, mobility and part in the king attack; ``reached`` are the squares the piece attacks."""
    view.attacked_twice[us] |= view.attacks[us, ANY] & reached
    view.attacks[us, ANY] |= reached
    view.attacks[us, kind] |= reached
    hits = popcount(reached & view.ring[us ^ 1])
    if hits != 0:
        view.attackers[us] += 1
        view.ring_hits[us] += hits
    moves = popcount(reached & view.reach[us])
    return term(trace, us, PIECE_SQUARE + 64 * kind + relative_square(us, square), 1) + term(
        trace, us, MOBILITY + _MOBILITY_STRIDE * (kind - KNIGHT) + moves, 1
    )


@inlined
def _minor(trace: Trace, view: View, position: Position, us: Color, kind: PieceType, square: Square) -> PackedScore:
    """The terms that knights and bishops share."""
    here = bit(square)
    score = term(trace, us, KING_DISTANCE + kind - KNIGHT, distance(square, view.king[us]))
    ranks = _OUTPOST_RANKS[0] if us == 0 else _OUTPOST_RANKS[1]
    if here & ranks & view.attacks[us, PAWN] & ~view.pawn_span[us ^ 1]:
        score += term(trace, us, OUTPOST + kind - KNIGHT, 1)
    if forward(here, us) & position.pieces[PAWN]:
        score += term(trace, us, BEHIND_PAWN, 1)
    return score


@inlined
def piece_terms(trace: Trace, view: View, position: Position, us: Color) -> PackedScore:
    """The terms of the pieces of ``us``; adds their attacks to the view. Bishops see through their own queen, rooks
    through their own queens and rooks: aligned pieces work together."""
    own = position.colors[us]
    pieces = position.pieces
    occupied = own | position.colors[us ^ 1]
    pawns = view.pawns[us]
    score = I64(0)
    spare_pawns = popcount(pawns) - 5

    rest = pieces[KNIGHT] & own
    while rest:
        square = lsb(rest)
        rest &= rest - ONE
        score += _count_piece(trace, view, us, I64(KNIGHT), square, knight_attacks(square))
        score += _minor(trace, view, position, us, I64(KNIGHT), square)
        score += term(trace, us, KNIGHT_PAWNS, spare_pawns)

    rest = pieces[BISHOP] & own
    if rest & (rest - ONE):
        score += term(trace, us, BISHOP_PAIR, 1)
    through = occupied & ~(pieces[QUEEN] & own)
    while rest:
        square = lsb(rest)
        rest &= rest - ONE
        score += _count_piece(trace, view, us, I64(BISHOP), square, bishop_attacks(square, through))
        score += _minor(trace, view, position, us, I64(BISHOP), square)
        color = LIGHT_SQUARES if LIGHT_SQUARES & bit(square) else ~LIGHT_SQUARES
        score += term(trace, us, BISHOP_PAWNS, popcount(pawns & color))
        seen = bishop_attacks(square, pieces[PAWN]) & _CENTRE
        if seen & (seen - ONE):
            score += term(trace, us, LONG_DIAGONAL, 1)

    rest = pieces[ROOK] & own
    through = occupied & ~((pieces[QUEEN] | pieces[ROOK]) & own)
    while rest:
        square = lsb(rest)
        rest &= rest - ONE
        score += _count_piece(trace, view, us, I64(ROOK), square, rook_attacks(square, through))
        score += term(trace, us, ROOK_PAWNS, spare_pawns)
        file = file_of(square)
        if file & pawns == ZERO:
            score += term(trace, us, ROOK_FILE + (1 if file & pieces[PAWN] == ZERO else 0), 1)

    rest = pieces[QUEEN] & own
    while rest:
        square = lsb(rest)
        rest &= rest - ONE
        score += _count_piece(trace, view, us, I64(QUEEN), square, queen_attacks(square, occupied))

    return score + term(trace, us, PIECE_SQUARE + 64 * KING + relative_square(us, view.king[us]), 1)
