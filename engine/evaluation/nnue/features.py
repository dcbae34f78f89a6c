"""What a perspective sees: the features of a board, and the row of output weights."""

from __future__ import annotations

from engine.board.aliases import Color, Piece, Square
from engine.board.types import BLACK
from engine.evaluation.nnue.shape import INPUTS, KING_BUCKETS, OUTPUT_BUCKETS
from engine.jit import helper

_RIGHT_HALF = 4

#: Views of one perspective: king buckets, each with the board as it is and mirrored.
VIEWS = 2 * KING_BUCKETS


@helper
def view_of(king_buckets: int, perspective: Color, king: Square) -> int:
    """How a network with so many ``king_buckets`` sees the board from ``perspective``, whose ``king`` stands there.

    The lowest six bits are what a square is xored with, those above them the king bucket.
    """
    orientation = 56 if perspective == BLACK else 0
    if king & _RIGHT_HALF:
        orientation ^= 7
    if king_buckets == 1:
        return orientation
    seen = king ^ orientation
    bucket = seen >> 1 if seen < 8 else (2 if seen < 16 else 3)
    return bucket << 6 | orientation


@helper
def number_of(view: int) -> int:
    """The number of ``view`` among the VIEWS of its perspective."""
    return (view >> 6) * 2 + (view & 1)


@helper
def feature_of(perspective: Color, view: int, piece: Piece, square: Square) -> int:
    """The index of ``piece`` on ``square``."""
    other = (piece >> 3) ^ perspective
    return (view >> 6) * INPUTS + other * 384 + (piece & 7) * 64 + (square ^ (view & 63))


@helper
def bucket_of(pieces: int) -> int:
    """The row of output weights for so many ``pieces`` on the board."""
    return min((pieces - 2) // 4, OUTPUT_BUCKETS - 1)
