"""Positions of 32 bytes: marlinformat's ``PackedBoard``, the form of training data.

The layout is that of the viriformat crate (github.com/cosmobobak/viriformat, version 3.0.0) and of marlinflow
before it. Occupied squares are one bitboard; the piece on the i-th lowest of them is the i-th nibble, low half
of a byte first: ``color << 3 | type`` with pawn 0 .. king 5, and 6 for a rook that may still castle.
"""

from typing import Annotated, Any, TypeAlias

from engine.board.aliases import Flag, Position
from engine.board.attacks import pawn_attacks
from engine.board.position import POSITION_T, king_square, occupied_by_all, piece_on
from engine.board.setup import complete_setup
from engine.board.types import EMPTY, EP_PSEUDO, I64, KING, NO_SQUARE, ONE, PAWN, RANK_1, RANK_8, ROOK, ZERO
from engine.evaluation.nnue.file import MAX_PIECES
from engine.jit import Array, Record, i2, inlined, int64, kernel, lsb, popcount, record_type, structure, u1, u2, u8

#: The bits of ``extra`` in positions read from games: check, and the kind of the move played.
#: (The format leaves this byte to its users.)
IN_CHECK, NOISY_MOVE = 1, 2


class PackedBoard(Record):
    """A position with the score of its search and the result of its game, 32 bytes, little-endian."""

    occupancy: u8
    pieces: Annotated[Array[u1], (16,)]  # two nibbles each, in the order of the occupied squares
    side_en_passant: u1  # Black to move << 7 | square behind a pawn that may be taken en passant, 64 for none
    rule50: u1  # plies since a capture or pawn move
    fullmove: u2
    score: i2  # centipawns, White's view
    result: u1  # White's half points
    extra: u1


PACKED = structure(PackedBoard)
PACKED_T = record_type(PACKED)

PackedBoards: TypeAlias = Any  # an array of PACKED records
UNMOVED_ROOK = 6  # where a rook's type would stand, while it may castle


@inlined
def pack(position: Position, packed: PackedBoard) -> None:
    """Write ``position`` to ``packed``; score, result and extra byte become 0."""
    occupied = occupied_by_all(position)
    packed.occupancy = occupied
    for index in range(16):
        packed.pieces[index] = 0
    index = 0
    while occupied != ZERO:
        square = lsb(occupied)
        occupied &= occupied - ONE
        code = piece_on(position, square)
        if code & 7 == ROOK:
            for right in range(2 * (code >> 3), 2 * (code >> 3) + 2):
                if I64(position.castling) >> right & 1 and I64(position.castling_rook[right]) == square:
                    code += UNMOVED_ROOK - ROOK
        packed.pieces[index >> 1] |= code << 4 * (index & 1)
        index += 1
    packed.side_en_passant = I64(position.side) << 7 | I64(position.en_passant) & ~EP_PSEUDO
    packed.rule50 = min(I64(position.rule50), 255)
    packed.fullmove = min(I64(position.fullmove), 0xFFFF)
    packed.score = 0
    packed.result = 0
    packed.extra = 0


@kernel(int64(POSITION_T, PACKED_T))
def unpack(position: Position, packed: PackedBoard) -> Flag:
    """Set ``position`` from ``packed``, ready for moves; return 1, or 0 for an illegal position.

    A king and an unmoved rook off the squares of standard chess make it one of Chess960."""
    if popcount(packed.occupancy) > MAX_PIECES or not _place_pieces(position, packed):
        return 0
    position.en_passant = NO_SQUARE
    position.rule50 = packed.rule50
    position.since_null = packed.rule50
    position.fullmove = max(I64(packed.fullmove), 1)
    position.side = I64(packed.side_en_passant) >> 7 ^ 1  # whose king must not stand in check
    complete_setup(position)
    for owner in range(2):
        if I64(position.castling) >> 2 * owner & 3:
            king = king_square(position, owner)
            if king >> 3 != 7 * owner:
                return 0
            if king & 7 != 4:
                position.chess960 = 1
    if position.checkers != ZERO or position.pieces[PAWN] & (RANK_1 | RANK_8) != ZERO:
        return 0
    if not _set_en_passant(position, I64(packed.side_en_passant) & 127):
        return 0
    position.side ^= 1
    complete_setup(position)
    return 1


@inlined
def _place_pieces(position: Position, packed: PackedBoard) -> bool:
    """Set board and castling; False without a king each, or with castling that cannot be."""
    for square in range(64):
        position.board[square] = EMPTY
    for absent in range(4):
        position.castling_rook[absent] = NO_SQUARE
    position.castling = 0
    position.chess960 = 0
    seen = I64(0)  # kings, a bit for each colour: an unmoved rook after its king in square order is the short one
    occupied = packed.occupancy
    index = 0
    while occupied != ZERO:
        square = lsb(occupied)
        occupied &= occupied - ONE
        code = I64(packed.pieces[index >> 1]) >> 4 * (index & 1) & 15
        index += 1
        color, kind = code >> 3, code & 7
        if kind > UNMOVED_ROOK:
            return False
        if kind == KING:
            if seen >> color & 1:
                return False
            seen |= 1 << color
        elif kind == UNMOVED_ROOK:
            kind = I64(ROOK)
            right = 2 * color + 1 - (seen >> color & 1)
            if square >> 3 != 7 * color or I64(position.castling_rook[right]) != NO_SQUARE:
                return False
            position.castling_rook[right] = square
            position.castling |= 1 << right
            if square & 7 != (7 if right & 1 == 0 else 0):
                position.chess960 = 1
        position.board[square] = color << 3 | kind
    return seen == 3


@inlined
def _set_en_passant(position: Position, behind: int) -> bool:
    """Set the square ``behind`` a pawn of the side set in ``position``; False if that pawn cannot have come there.

    Others write the square also where no pawn can take."""
    if behind == NO_SQUARE:
        return True
    pusher = I64(position.side)
    if behind >> 3 != (2 if pusher == 0 else 5) or piece_on(position, behind ^ 8) != pusher << 3 | PAWN:
        return False
    if pawn_attacks(pusher, behind) & position.pieces[PAWN] & position.colors[pusher ^ 1] != ZERO:
        position.en_passant = behind
    return piece_on(position, behind) == EMPTY
