"""Shared by the terms: squares relative to a colour, and the attack maps of the position being evaluated."""

from typing import Annotated

from engine.board.aliases import Bitboard, Color, Position, Square
from engine.board.attacks import all_pawn_attacks, forward, king_attacks
from engine.board.position import bit, king_square
from engine.board.types import FILE_A, FILE_H, I64, PAWN, U64, WHITE, ZERO
from engine.jit import Array, Record, inlined, u8

ANY = 6  # index of the attacks of all pieces together, after those of each type


class View(Record):
    """The attack maps of the position under evaluation."""

    attacks: Annotated[Array[Array[u8]], (2, 7)]  # [color][type or ANY] squares attacked
    attacked_twice: Annotated[Array[u8], (2,)]  # [color] squares attacked by two pieces or more
    pawns: Annotated[Array[u8], (2,)]  # [color]
    king: Annotated[Array[int], (2,)]  # [color] square
    ring: Annotated[Array[u8], (2,)]  # [color] the king's square, those around it, and three more in front
    reach: Annotated[Array[u8], (2,)]  # [color] squares that count as mobility
    attackers: Annotated[Array[int], (2,)]  # [color] pieces that reach the other king's ring
    ring_hits: Annotated[Array[int], (2,)]  # [color] their attacks on squares of that ring
    passed: u8  # passed pawns of both colours
    pawn_span: Annotated[Array[u8], (2,)]  # [color] squares its pawns attack or may attack once they advance


@inlined
def relative_rank(color: Color, square: Square) -> int:
    """0 for its own back rank, 7 for the enemy's."""
    return (square >> 3) ^ (7 * color)


@inlined
def relative_square(color: Color, square: Square) -> Square:
    """The square as its owner sees it: flipped vertically for Black."""
    return square ^ (56 * color)


@inlined
def file_of(square: Square) -> int:
    """All squares on the file of ``square``."""
    return FILE_A << U64(square & 7)


@inlined
def beside(bits: Bitboard) -> Bitboard:
    """The squares one file to each side."""
    return (bits & ~FILE_H) << U64(1) | (bits & ~FILE_A) >> U64(1)


@inlined
def ahead(bits: Bitboard, color: Color) -> Bitboard:
    """All squares in front of ``bits`` on their files, to the end of the board."""
    if color == WHITE:
        bits <<= U64(8)
        bits |= bits << U64(8)
        bits |= bits << U64(16)
        return bits | bits << U64(32)
    bits >>= U64(8)
    bits |= bits >> U64(8)
    bits |= bits >> U64(16)
    return bits | bits >> U64(32)


@inlined
def distance(a: Square, b: Square) -> int:
    """King moves from one square to the other on an empty board."""
    return max(abs((a >> 3) - (b >> 3)), abs((a & 7) - (b & 7)))


@inlined
def _king_ring(color: Color, square: Square) -> Bitboard:
    """The king's zone: its square and those around it, shifted inwards at the edge, and the row in front."""
    file = min(max(square & 7, 1), 6)
    around = king_attacks(square & 56 | file) | bit(square & 56 | file)
    return around | forward(around, color)


@inlined
def open_view(view: View, position: Position) -> None:
    """Begin the view with pawns and kings; the piece terms add the other attacks."""
    for color in range(2):
        us = I64(color)
        own = position.colors[us]
        pawns = position.pieces[PAWN] & own
        king = king_square(position, us)
        by_pawn, by_king = all_pawn_attacks(pawns, us), king_attacks(king)
        one_way = forward(pawns, us)
        view.pawns[us] = pawns
        view.king[us] = king
        view.ring[us] = _king_ring(us, king)
        for kind in range(1, 5):
            view.attacks[us, kind] = ZERO
        view.attacks[us, 0] = by_pawn
        view.attacks[us, 5] = by_king
        view.attacks[us, ANY] = by_pawn | by_king
        twice = (one_way & ~FILE_H) << U64(1) & (one_way & ~FILE_A) >> U64(1)
        view.attacked_twice[us] = twice | by_pawn & by_king
        view.attackers[us] = 0
        view.ring_hits[us] = 0
    occupied = position.colors[0] | position.colors[1]
    for color in range(2):
        us = I64(color)
        pawns = view.pawns[us]
        stuck = pawns & forward(occupied, us ^ 1)
        view.reach[us] = ~(stuck | bit(view.king[us]) | view.attacks[us ^ 1, 0])
