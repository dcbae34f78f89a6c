"""Moves as 16-bit numbers: ``from | to << 6 | kind << 12``.

The kind (the "from-to based" encoding of the chess programming wiki) tells captures and promotions by one
bit each. Castling is written as the king taking its own rook, which serves Chess960 and standard chess alike.
In kernels a move is an int64; 0 is no move (and, made, the null move).
"""

from engine.board.types import KNIGHT
from engine.jit import helper

NO_MOVE = 0

QUIET, DOUBLE_PUSH, CASTLE_SHORT, CASTLE_LONG, CAPTURE, EN_PASSANT = range(6)
PROMOTION = 8  # + (piece type - KNIGHT), + CAPTURE when it takes


@helper
def encode(origin, target, kind):
    """The move of ``kind`` from square ``origin`` to square ``target``."""
    return origin | target << 6 | kind << 12


@helper
def origin_of(move):
    """The square the piece leaves."""
    return move & 63


@helper
def target_of(move):
    """The square the piece goes to; for castling the square of the rook."""
    return move >> 6 & 63


@helper
def kind_of(move):
    """QUIET .. EN_PASSANT, or PROMOTION + piece (+ CAPTURE)."""
    return move >> 12 & 15


@helper
def is_capture(move):
    """Whether the move takes a piece (en passant included)."""
    return (move & CAPTURE << 12) != 0


@helper
def is_promotion(move):
    """Whether a pawn becomes a piece."""
    return (move & PROMOTION << 12) != 0


@helper
def is_noisy(move):
    """Whether the move changes material: a capture or a promotion."""
    return (move & (CAPTURE | PROMOTION) << 12) != 0


@helper
def is_castling(move):
    """Whether the move castles."""
    kind = kind_of(move)
    return kind == CASTLE_SHORT or kind == CASTLE_LONG


@helper
def promoted_type(move):
    """The piece type a promotion makes; meaningless for other moves."""
    return (move >> 12 & 3) + KNIGHT


@helper
def castled_king_square(move):
    """Where the king ends when ``move`` castles: the g- or c-file of its rank."""
    return (move & 56) + (6 if kind_of(move) == CASTLE_SHORT else 2)


@helper
def castled_rook_square(move):
    """Where the rook ends when ``move`` castles: the f- or d-file of its rank."""
    return (move & 56) + (5 if kind_of(move) == CASTLE_SHORT else 3)
