"""Scaling of drawish endings: some advantages do not win, however large they look.

The endgame half of the score is multiplied by a learned factor that depends on the stronger side's pawns and on the
kind of ending: opposite-coloured bishops alone, with other pieces, or neither. A side without pawns that is less than a
rook ahead can rarely win at all."""

from engine.board.aliases import Bitboard, Color, Position
from engine.board.types import BISHOP, KNIGHT, LIGHT_SQUARES, ONE, PAWN, QUEEN, ROOK, ZERO
from engine.jit import inlined, popcount

SCALE_UNIT = 128  # the factor that changes nothing

#: Kinds of endings: ordinary, opposite bishops with other pieces, opposite bishops alone, too little ahead to mate.
SCALE_KINDS = 4

SCALE_CLASSES = 9 * SCALE_KINDS  # a class is 9 * kind + the stronger side's pawns

#: Piece values in halves of a minor piece, to measure the lead: a rook is one and a half minor pieces.
_HALVES = {KNIGHT: 2, BISHOP: 2, ROOK: 3, QUEEN: 6}
_KNIGHT_HALVES, _BISHOP_HALVES, _ROOK_HALVES, _QUEEN_HALVES = _HALVES.values()


@inlined
def has_opposite_bishops(bishops: Bitboard, white: Bitboard, black: Bitboard) -> bool:
    """One bishop each, on squares of different colours."""
    ours, theirs = bishops & white, bishops & black
    if ours == ZERO or theirs == ZERO or ours & (ours - ONE) or theirs & (theirs - ONE):
        return False
    return (ours & LIGHT_SQUARES == ZERO) != (theirs & LIGHT_SQUARES == ZERO)


@inlined
def _halves(position: Position, color: Color) -> int:
    """A side's pieces in halves of a minor piece."""
    own = position.colors[color]
    pieces = position.pieces
    return (
        _KNIGHT_HALVES * popcount(pieces[KNIGHT] & own)
        + _BISHOP_HALVES * popcount(pieces[BISHOP] & own)
        + _ROOK_HALVES * popcount(pieces[ROOK] & own)
        + _QUEEN_HALVES * popcount(pieces[QUEEN] & own)
    )


@inlined
def scale_class(position: Position, strong: Color) -> int:
    """The class of the ending if ``strong`` has the better endgame score."""
    pieces = position.pieces
    pawns = popcount(pieces[PAWN] & position.colors[strong])
    kind = 0
    if pawns == 0 and _halves(position, strong) - _halves(position, strong ^ 1) <= _BISHOP_HALVES:
        kind = 3
    elif has_opposite_bishops(pieces[BISHOP], position.colors[0], position.colors[1]):
        kind = 1 if pieces[KNIGHT] | pieces[ROOK] | pieces[QUEEN] else 2
    return 9 * kind + pawns
