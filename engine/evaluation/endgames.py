"""Endgames by rules: against a lone king instead of the evaluation, and with opposite-coloured bishops on top of it.

The wrong bishop: rook pawns on one file, with or without bishops that do not control the queening corner, do not win
once the lone king is in or next to that corner.

Mop-up: the training games' short searches see no mate yet and score a lone king as little more than the material, so a
network does not learn how to mate it. The win is worth more as the lone king is driven to the edge (by bishop and
knight to a corner of the bishop's colour) and the other king approaches, as in Stockfish's classical evaluation. Elo
figures are in tuning/results/networks.md.

Opposite bishops: with nothing else but pawns, the weaker side's king and bishop stop passed pawns on squares of the
bishop's colour unless these are far apart. A network, which judges by short searches, sees only the pawns."""

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
    RANK_1,
    ROOK,
    U64,
    WHITE,
    ZERO,
)
from engine.evaluation.classical.pawns import pawn_span
from engine.evaluation.classical.scaling import has_opposite_bishops
from engine.evaluation.classical.view import ahead
from engine.jit import boolean, inlined, int64, kernel, popcount

#: Centipawns for the win, which with the pieces exceed any network score of the preceding positions; for each step of
#: the lone king from the centre; and for each step that the other king is nearer. Steps must outweigh differences in
#: length between lines, because the 50-move rule scales a large score down with each ply.
WON, STEP, NEARER = 5000, 75, 45

#: How much more each step from the right corner counts for bishop and knight: on the way there the king often comes
#: nearer to the centre again. These steps cost, so that a queen or rook is always worth more.
_CORNER_STEPS = 4

#: The value with opposite-coloured bishops and pawns only is divided by this if passed pawns do not win: fitted, as the
#: rule for them, to results of TCEC's games.
OPPOSITE_BISHOPS = 4


@inlined
def _is_lone(own: Bitboard) -> bool:
    return own & (own - ONE) == ZERO


@inlined
def has_lone_king(position: Position) -> bool:
    """Whether either side has only its king, which both rules here need: the test before their calls."""
    return _is_lone(position.colors[WHITE]) or _is_lone(position.colors[BLACK])


@kernel(boolean(POSITION_T))
def is_rook_pawn_draw(position: Position) -> bool:
    """Whether pawns, all on one rook's file, and bishops that do not control their queening corner are held by a lone
    king in or next to that corner.

    It is a draw with either side to move: to guard the corner the attacking king would have to stand next to the lone
    king, which can therefore always step there, or capture what has queened there, and is at worst stalemated."""
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


@inlined
def _steps_from_middle(square: Square) -> int:
    """Steps, counted by files and ranks, of ``square`` from the four centre squares: 0 to 6."""
    file, rank = square & 7, square >> 3
    return 6 - min(file, 7 - file) - min(rank, 7 - rank)


@inlined
def _steps_to_corner(square: Square, is_light: bool) -> int:
    """Steps, counted by files and ranks, to the nearer corner of the colour: 0 to 7."""
    file, rank = square & 7, square >> 3
    if is_light:
        file = 7 - file
    return min(file + rank, 14 - file - rank)


@inlined
def _value_against(position: Position, strong: Color, strong_king: Square, weak_king: Square) -> Score:
    """Centipawns by which ``strong``, with all the pieces, is ahead; 0 if they cannot mate."""
    own = position.colors[strong]
    bishops, knights = position.pieces[BISHOP] & own, position.pieces[KNIGHT] & own
    light, dark = bishops & LIGHT_SQUARES, bishops & ~LIGHT_SQUARES
    if (position.pieces[QUEEN] | position.pieces[ROOK]) & own != ZERO or (light != ZERO and dark != ZERO):
        driven = _steps_from_middle(weak_king)
    elif bishops != ZERO and knights != ZERO:
        driven = -_CORNER_STEPS * _steps_to_corner(weak_king, light != ZERO)
    else:
        return I64(0)
    files = abs((strong_king & 7) - (weak_king & 7))
    ranks = abs((strong_king >> 3) - (weak_king >> 3))
    pieces = 0
    for kind in range(PAWN, KING):
        pieces += I64(popcount(position.pieces[kind] & own)) * SEE_VALUES[kind]
    return WON + pieces + STEP * driven + NEARER * (7 - max(files, ranks))


@kernel(int64(POSITION_T))
def mop_up_value(position: Position) -> Score:
    """Centipawns from White's view if one side has a lone king that can be mated, else 0."""
    white, black = position.colors[WHITE], position.colors[BLACK]
    black_alone = _is_lone(black)
    if not black_alone and not _is_lone(white):
        return I64(0)
    white_king, black_king = king_square(position, I64(WHITE)), king_square(position, I64(BLACK))
    if black_alone:
        return _value_against(position, I64(WHITE), white_king, black_king)
    return -_value_against(position, I64(BLACK), black_king, white_king)


@inlined
def _has_winning_passers(position: Position, strong: Color) -> bool:
    """Whether ``strong`` has passed pawns on three files, or on two with at least two others between them."""
    weak = strong ^ 1
    theirs = position.pieces[PAWN] & position.colors[weak]
    files = position.pieces[PAWN] & position.colors[strong] & ~(pawn_span(theirs, weak) | ahead(theirs, weak))
    files |= files >> U64(32)
    files |= files >> U64(16)
    files = (files | files >> U64(8)) & RANK_1
    return files > U64(5) * (files & (~files + ONE))  # one file is 1 times the first, its neighbours make 3, 5 or 7


@inlined
def has_only_bishops(position: Position) -> bool:
    """Whether all pieces are bishops: the test before :func:`opposite_bishops_value`, which needs it too."""
    return position.pieces[KNIGHT] | position.pieces[ROOK] | position.pieces[QUEEN] == ZERO


@kernel(int64(POSITION_T, int64))
def opposite_bishops_value(position: Position, value: Score) -> Score:
    """The centipawns ``value`` for the side to move, divided if the position is drawish by opposite bishops."""
    if not has_only_bishops(position):
        return value
    if not has_opposite_bishops(position.pieces[BISHOP], position.colors[WHITE], position.colors[BLACK]):
        return value
    strong = I64(position.side) if value > 0 else I64(position.side) ^ 1
    if _has_winning_passers(position, strong):
        return value
    return value // OPPOSITE_BISHOPS if value > 0 else -(-value // OPPOSITE_BISHOPS)
