"""The features of a board from one perspective, and the output bucket."""

from engine.board.aliases import Color, Flag, Piece, Square
from engine.evaluation.nnue.shape import OUTPUT_BUCKETS
from engine.jit import inlined


@inlined
def is_mirrored(king: Square) -> Flag:
    """1 if the ``king`` is on the files e to h, so that its side's perspective is mirrored."""
    return (king >> 2) & 1


@inlined
def orientation_of(perspective: Color, king: Square) -> int:
    """The mask to XOR squares with for ``perspective``: its own side first, its ``king`` on the files a to d."""
    return 56 * perspective ^ 7 * is_mirrored(king)


@inlined
def feature_of(perspective: Color, orientation: int, piece: Piece, square: Square) -> int:
    """The index of ``piece`` on ``square``."""
    other = (piece >> 3) ^ perspective
    return other * 384 + (piece & 7) * 64 + (square ^ orientation)


@inlined
def bucket_of(pieces: int) -> int:
    """The row of output weights for this number of ``pieces`` on the board."""
    return min((pieces - 2) // 4, OUTPUT_BUCKETS - 1)
