"""Endgames against a lone king, by rules instead of by the evaluation.

The wrong bishop: pawns on one rook's file and bishops that cannot attack the corner where they queen do not win once
the king has reached that corner.

Mop-up: here the games to learn from do not tell a network how to go on. Their searches of few nodes see no mate yet and
score such a position as little more than the material. So a king that stands alone against pieces that can mate it is
not the network's business (what that is worth stands in ``tuning/results/networks.md``). It is a win, worth more as the
king is driven to the edge (by bishop and knight into a corner of the bishop's colour) and the other king comes near, as
in Stockfish's classical evaluation.
"""

from __future__ import annotations

from numba import boolean, int64

from engine.board.aliases import Bitboard, Color, Position, Score, Square
from engine.board.attacks import king_attacks
from engine.board.position import POSITION_T, king_square, occupied_by_all
from engine.board.see import SEE_VALUES
from engine.board.types import (
    BISHOP,
    BLACK,
    FILE_A,
    FILE_H,
    I64,
    KING,
    KNIGHT,
    LIGHT_SQUARES,
    ONE,
    PAWN,
    QUEEN,
    ROOK,
    U64,
    WHITE,
    ZERO,
)
from engine.jit import helper, kernel, popcount

#: Centipawns for the win, with the pieces more than a network says of what leads here (up to 6,300 for a queen,
#: a rook, four minor pieces and four pawns against one pawn); for each step of the lone king from the middle, and for
#: each that the other is nearer. These have to count for more than the plies by which lines differ in length, because
#: the 50-move rule makes a large score smaller with each ply.
WON, STEP, NEARER = 5000, 75, 45

#: Steps from a corner at which bishop and knight have achieved nothing, and how much more a step counts for them: on
#: the way to the right corner the king often comes nearer to the middle again.
_FAR, _CORNER_STEPS = 7, 4


@helper
def _is_lone(own: Bitboard) -> bool:
    """Whether a side has its king alone."""
    return own & (own - ONE) == ZERO


@kernel(boolean(POSITION_T), late=True)
def is_rook_pawn_draw(position: Position) -> bool:
    """Whether pawns, all on one rook's file, and bishops that cannot attack the corner where these would queen are held
    by a lone king in or beside that corner.

    It is a draw with either side to move: a king that guarded the corner would stand beside the lone king, which can
    therefore always step there, or take what has queened there, and in the corner be stalemated at most.
    """
    white_alone = _is_lone(position.colors[WHITE])
    if not white_alone and not _is_lone(position.colors[BLACK]):
        return False
    pawns, bishops = position.pieces[PAWN], position.pieces[BISHOP]
    if occupied_by_all(position) != position.pieces[KING] | pawns | bishops:
        return False
    if pawns & ~FILE_A != ZERO and pawns & ~FILE_H != ZERO:
        return False
    corner = (I64(0) if pawns & ~FILE_A == ZERO else I64(7)) + (I64(0) if white_alone else I64(56))
    square = ONE << U64(corner)
    same_color = LIGHT_SQUARES if square & LIGHT_SQUARES != ZERO else ~LIGHT_SQUARES
    lone = position.pieces[KING] & position.colors[WHITE if white_alone else BLACK]
    return bishops & same_color == ZERO and (king_attacks(corner) | square) & lone != ZERO


@helper
def _steps_from_middle(square: Square) -> int:
    """How many steps, counted by files and by ranks, ``square`` is from the four squares in the middle: 0 to 6."""
    file, rank = square & 7, square >> 3
    return 6 - min(file, 7 - file) - min(rank, 7 - rank)


@helper
def _steps_to_corner(square: Square, is_light: bool) -> int:
    """How many steps, counted by files and by ranks, to the nearer corner of the colour: 0 to 7."""
    file, rank = square & 7, square >> 3
    if is_light:
        file = 7 - file
    return min(file + rank, 14 - file - rank)


@helper
def _value_against(position: Position, strong: Color, strong_king: Square, weak_king: Square) -> Score:
    """Centipawns that ``strong``, with all the pieces, is to the good."""
    own = position.colors[strong]
    bishops, knights = position.pieces[BISHOP] & own, position.pieces[KNIGHT] & own
    light, dark = bishops & LIGHT_SQUARES, bishops & ~LIGHT_SQUARES
    if (position.pieces[QUEEN] | position.pieces[ROOK]) & own != ZERO or (light != ZERO and dark != ZERO):
        driven = _steps_from_middle(weak_king)
    elif bishops != ZERO and knights != ZERO:
        driven = _CORNER_STEPS * (_FAR - _steps_to_corner(weak_king, light != ZERO))
    else:
        return I64(0)
    files = abs((strong_king & 7) - (weak_king & 7))
    ranks = abs((strong_king >> 3) - (weak_king >> 3))
    pieces = 0
    for kind in range(PAWN, KING):
        pieces += I64(popcount(position.pieces[kind] & own)) * SEE_VALUES[kind]
    return WON + pieces + STEP * driven + NEARER * (7 - max(files, ranks))


@kernel(int64(POSITION_T), late=True)
def mop_up_value(position: Position) -> Score:
    """Centipawns from White's view for a king that stands alone; 0 if none does, or nothing can mate it."""
    white, black = position.colors[WHITE], position.colors[BLACK]
    black_alone = _is_lone(black)
    if not black_alone and not _is_lone(white):
        return I64(0)
    white_king, black_king = king_square(position, I64(WHITE)), king_square(position, I64(BLACK))
    if black_alone:
        return _value_against(position, I64(WHITE), white_king, black_king)
    return -_value_against(position, I64(BLACK), black_king, white_king)
