"""The number of a position in a table.

Groups of pieces are kept as bitboards: their bits come out in ascending order, the order of the format, and earlier
pieces on lower squares are counted by one instruction. ``swapped`` is 1 if the position's White is the table's Black.
"""

from typing import NamedTuple

from engine.board.aliases import Bitboard, Piece, Position, Square
from engine.board.position import bit
from engine.board.types import I64, ONE, PAWN, U64, ZERO
from engine.jit import inlined, lsb, popcount
from engine.syzygy.layout import Maps, Part, SyzygyTable

_FILES, _RANKS = 7, 56  # masks to XOR squares with, to flip the board horizontally and vertically


class _TableView(NamedTuple):
    """A position as the table numbers it."""

    position: Position
    swapped: int
    mask: int  # see _turn
    transposed: int


@inlined
def _squares_of(position: Position, piece: Piece, swapped: int) -> Bitboard:
    """The squares of the table's ``piece``."""
    piece = I64(piece)
    return position.pieces[U64(piece & 7)] & position.colors[U64((piece >> 3) ^ swapped)]


@inlined
def _above_diagonal(square: Square) -> int:
    """Ranks above (positive) or below the diagonal a1-h8."""
    return (square >> 3) - (square & 7)


@inlined
def _turn(square: Square, mask: int, transposed: int) -> Square:
    """``square`` on a board flipped by ``mask``, then, if ``transposed``, mirrored at the diagonal a1-h8."""
    square ^= mask
    return (square >> 3 | square << 3) & 63 if transposed != 0 else square


@inlined
def _turned_squares_of(view: _TableView, piece: Piece) -> Bitboard:
    """The squares of the table's ``piece``, turned."""
    squares, turned = _squares_of(view.position, piece, view.swapped), ZERO
    while squares:
        turned |= bit(_turn(lsb(squares), view.mask, view.transposed))
        squares &= squares - ONE
    return turned


@inlined
def _choice(maps: Maps, group: Bitboard, placed: Bitboard, start: Square) -> int:
    """The number of the set ``group`` among all of its size on the squares from ``start`` that are not ``placed``."""
    number, taken = I64(0), 0
    while group:
        square = lsb(group)
        group &= group - ONE
        taken += 1
        number += maps.binomial[taken, square - start - popcount(placed & (bit(square) - ONE))]
    return number


@inlined
def _number_of_groups(
    maps: Maps, table: SyzygyTable, part: Part, view: _TableView, first: int, placed: Bitboard
) -> int:
    """The number of the groups from the one at ``first`` on; ``placed`` are the pieces before."""
    number = I64(0)
    while first < table.pieces:
        piece = part.piece[first]
        group = _turned_squares_of(view, piece)
        start = 8 if piece & 7 == PAWN else 0
        number += part.factor[first] * _choice(maps, group, placed, start)
        placed |= group
        first += max(part.group[first], I64(1))
    return number


@inlined
def _three_singles(maps: Maps, a: Square, b: Square, c: Square) -> int:
    """The number of three unique pieces, of which the first off the diagonal a1-h8 is below it."""
    b_after = 1 if b > a else 0
    c_after = (1 if c > a else 0) + (1 if c > b else 0)
    if _above_diagonal(a) != 0:
        return maps.triangle[a] * 63 * 62 + (b - b_after) * 62 + c - c_after
    number = I64(6 * 63 * 62)
    if _above_diagonal(b) != 0:
        return number + (maps.long_diagonal[a] * 28 + maps.lower[b]) * 62 + c - c_after
    number += 4 * 28 * 62
    first_two = maps.long_diagonal[a] * 7 + maps.long_diagonal[b] - b_after
    if _above_diagonal(c) != 0:
        return number + first_two * 28 + maps.lower[c]
    return number + 4 * 7 * 28 + first_two * 6 + maps.long_diagonal[c] - c_after


@inlined
def _number_without_pawns(maps: Maps, table: SyzygyTable, part: Part, position: Position, swapped: int) -> int:
    a = lsb(_squares_of(position, part.piece[0], swapped))
    b = lsb(_squares_of(position, part.piece[1], swapped))
    mask = (_FILES if a & 4 != 0 else 0) | (_RANKS if a & 32 != 0 else 0)
    height = _above_diagonal(a ^ mask)
    if height == 0:
        height = _above_diagonal(b ^ mask)
    c = I64(0)
    if table.singles == 3:
        c = lsb(_squares_of(position, part.piece[2], swapped))
        if height == 0:
            height = _above_diagonal(c ^ mask)
    transposed = 1 if height > 0 else 0
    a, b = _turn(a, mask, transposed), _turn(b, mask, transposed)
    placed = bit(a) | bit(b)
    if table.singles == 3:
        c = _turn(c, mask, transposed)
        placed |= bit(c)
        number = _three_singles(maps, a, b, c)
    else:
        number = maps.kings[maps.triangle[a], b]
    view = _TableView(position, swapped, mask, transposed)
    return number * part.factor[0] + _number_of_groups(maps, table, part, view, table.singles, placed)


@inlined
def _leading_pawn(maps: Maps, table: SyzygyTable, position: Position, swapped: int) -> Square:
    """The square, seen from the table's White, of the pawn that selects the part of a table with pawns."""
    mask = _RANKS * swapped
    pawns = _squares_of(position, table.part[0].piece[0], swapped)
    lead = lsb(pawns) ^ mask
    while pawns:
        square = lsb(pawns) ^ mask
        pawns &= pawns - ONE
        if maps.flap[square] < maps.flap[lead]:
            lead = square
    return lead


@inlined
def _number_with_pawns(
    maps: Maps, table: SyzygyTable, part: Part, position: Position, swapped: int, lead: Square
) -> int:
    """The number of ``position``, whose leading pawn is on ``lead``, in a table with pawns."""
    mask = _RANKS * swapped
    if lead & 4 != 0:
        mask ^= _FILES
        lead ^= _FILES
    view = _TableView(position, swapped, mask, 0)
    placed = _turned_squares_of(view, part.piece[0])
    others, twisted = placed ^ bit(lead), ZERO
    while others:
        twisted |= bit(maps.twist[lsb(others)])
        others &= others - ONE
    number = maps.lead[table.pawns - 1, maps.flap[lead]] + _choice(maps, twisted, ZERO, 0)
    return number * part.factor[0] + _number_of_groups(maps, table, part, view, table.pawns, placed)


@inlined
def part_and_number(maps: Maps, table: SyzygyTable, position: Position, swapped: int, side: int) -> tuple[int, int]:
    """The part of ``table`` with ``position`` for ``side`` to move (0: the table's White), and its number there."""
    if table.pawns == 0:
        return side, _number_without_pawns(maps, table, table.part[U64(side)], position, swapped)
    lead = _leading_pawn(maps, table, position, swapped)
    index = 2 * min(lead & 7, 7 - (lead & 7)) + side  # by the file from the edge
    return index, _number_with_pawns(maps, table, table.part[U64(index)], position, swapped, lead)
