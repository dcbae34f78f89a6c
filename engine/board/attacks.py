"""Attack sets: the squares that a piece attacks.

Arguments are int64 squares and uint64 bitboards."""

from engine.board.aliases import Bitboard, Color, Position, Square
from engine.board.tables import Slider, tables
from engine.board.types import BISHOP, FILE_A, FILE_H, KING, KNIGHT, ONE, PAWN, QUEEN, ROOK, U64, WHITE
from engine.jit import HAVE_PEXT, inlined, lsb, pext

if HAVE_PEXT:

    @inlined
    def _lookup(slider: Slider, occupied: Bitboard) -> Bitboard:
        return tables().attacks[slider.start + pext(occupied, slider.mask)]

else:

    @inlined
    def _lookup(slider: Slider, occupied: Bitboard) -> Bitboard:
        return tables().attacks[slider.start + ((occupied & slider.mask) * slider.magic >> slider.shift)]


@inlined
def rook_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Squares a rook on ``square`` attacks, up to and including the first piece on each ray."""
    return _lookup(tables().rook[square], occupied)


@inlined
def bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Squares a bishop on ``square`` attacks, up to and including the first piece on each ray."""
    return _lookup(tables().bishop[square], occupied)


@inlined
def queen_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Squares a queen on ``square`` attacks."""
    return rook_attacks(square, occupied) | bishop_attacks(square, occupied)


@inlined
def knight_attacks(square: Square) -> Bitboard:
    """Squares a knight on ``square`` attacks."""
    return tables().knight[square]


@inlined
def king_attacks(square: Square) -> Bitboard:
    """Squares a king on ``square`` attacks."""
    return tables().king[square]


@inlined
def pawn_attacks(color: Color, square: Square) -> Bitboard:
    """Squares a pawn of ``color`` on ``square`` attacks."""
    return tables().pawn[color, square]


@inlined
def between(a: Square, b: Square) -> Bitboard:
    """The squares strictly between ``a`` and ``b`` on a shared rank, file or diagonal, else none."""
    return tables().between[a, b]


@inlined
def forward(bits: Bitboard, color: Color) -> Bitboard:
    """``bits`` moved one rank ahead, as ``color`` sees it."""
    return bits << U64(8) if color == WHITE else bits >> U64(8)


@inlined
def east(bits: Bitboard) -> Bitboard:
    """``bits`` moved one file towards the h-file; those on the h-file fall off."""
    return (bits & ~FILE_H) << U64(1)


@inlined
def west(bits: Bitboard) -> Bitboard:
    """``bits`` moved one file towards the a-file; those on the a-file fall off."""
    return (bits & ~FILE_A) >> U64(1)


@inlined
def all_pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard:
    """Squares attacked by any of ``pawns``."""
    ahead = forward(pawns, color)
    return east(ahead) | west(ahead)


@inlined
def attackers_to(position: Position, square: Square, occupied: Bitboard) -> Bitboard:
    """Pieces of both colours that attack ``square``, given the ``occupied`` squares."""
    pieces = position.pieces
    straight = pieces[ROOK] | pieces[QUEEN]
    diagonal = pieces[BISHOP] | pieces[QUEEN]
    colors = position.colors
    return (
        (pawn_attacks(0, square) & pieces[PAWN] & colors[1])
        | (pawn_attacks(1, square) & pieces[PAWN] & colors[0])
        | (knight_attacks(square) & pieces[KNIGHT])
        | (king_attacks(square) & pieces[KING])
        | (rook_attacks(square, occupied) & straight)
        | (bishop_attacks(square, occupied) & diagonal)
    )


@inlined
def is_attacked(position: Position, square: Square, by: Color, occupied: Bitboard) -> bool:
    """Whether a piece of colour ``by`` attacks ``square``, given the ``occupied`` squares."""
    pieces = position.pieces
    them = position.colors[by]
    if pawn_attacks(by ^ 1, square) & pieces[PAWN] & them:
        return True
    if knight_attacks(square) & pieces[KNIGHT] & them:
        return True
    if king_attacks(square) & pieces[KING] & them:
        return True
    if bishop_attacks(square, occupied) & (pieces[BISHOP] | pieces[QUEEN]) & them:
        return True
    return (rook_attacks(square, occupied) & (pieces[ROOK] | pieces[QUEEN]) & them) != 0


@inlined
def all_attacks(position: Position, color: Color) -> Bitboard:
    """Squares attacked by any piece of ``color``."""
    own, pieces = position.colors[color], position.pieces
    occupied = position.colors[0] | position.colors[1]
    attacked = all_pawn_attacks(pieces[PAWN] & own, color) | king_attacks(lsb(pieces[KING] & own))
    rest = pieces[KNIGHT] & own
    while rest:
        attacked |= knight_attacks(lsb(rest))
        rest &= rest - ONE
    rest = (pieces[BISHOP] | pieces[QUEEN]) & own
    while rest:
        attacked |= bishop_attacks(lsb(rest), occupied)
        rest &= rest - ONE
    rest = (pieces[ROOK] | pieces[QUEEN]) & own
    while rest:
        attacked |= rook_attacks(lsb(rest), occupied)
        rest &= rest - ONE
    return attacked
