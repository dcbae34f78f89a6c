"""Colours, pieces, squares and bitboards.

Squares run from a1 = 0 to h8 = 63, rank by rank. A piece is ``color << 3 | type``; bitboards are ``uint64`` with bit
``square`` set."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # for type checkers they return plain numbers (see aliases)

    def U64(value: Any) -> int: ...
    def I64(value: Any) -> int: ...

else:
    U64 = np.uint64
    I64 = np.int64

WHITE, BLACK = 0, 1

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
NO_TYPE = 6

PIECE_VALUES = (1, 3, 3, 5, 9)  # pawns by type, from pawns to queens: the usual numbers, which a reader can add up too
EMPTY = NO_TYPE  # the content of an empty square
PIECE_LETTERS = "PNBRQK..pnbrqk"  # letters by piece, as FEN writes them

NO_SQUARE = 64

#: Flag on an en passant square: the capture is pseudo-legal, but not legal. The key ignores such a square (FIDE 9.2.3);
#: X-FEN and Polyglot books do not.
EP_PSEUDO = 128

ZERO = U64(0)
ONE = U64(1)
ALL = U64(0xFFFF_FFFF_FFFF_FFFF)
FILE_A = U64(0x0101_0101_0101_0101)
FILE_H = U64(0x8080_8080_8080_8080)
RANK_1 = U64(0xFF)
RANK_3 = U64(0xFF << 16)
RANK_6 = U64(0xFF << 40)
RANK_8 = U64(0xFF << 56)
LIGHT_SQUARES = U64(0x55AA_55AA_55AA_55AA)

MAX_MOVES = 256  # maximum number of legal moves of a position; the known maximum is 218
