"""The features of packed positions."""

import numpy as np

from engine.board.types import I64, KING, ONE, ROOK
from engine.evaluation.nnue.features import feature_of, orientation_of
from engine.evaluation.nnue.shape import INPUTS
from engine.jit import lsb
from tuning.common.compiled import compiled
from tuning.data.marlinformat import UNMOVED_ROOK, PackedBoard

NO_FEATURE = INPUTS  # fills a list of features to its end


@compiled
def list_board(board: PackedBoard, squares: np.ndarray, pieces: np.ndarray, features: np.ndarray) -> int:
    """List the features of both sides of ``board``, a record of :data:`tuning.data.marlinformat.PACKED`.

    ``features`` [side to move first][32] gets the indices that ``engine.evaluation.nnue.shape`` describes. Returns
    their number, the same for both. ``squares`` and ``pieces``, int64[32], are scratch space."""
    rest = board.occupancy
    count = 0
    white_king = black_king = I64(0)
    while rest:
        piece = I64(board.pieces[count >> 1]) >> 4 * (count & 1) & 15
        if piece & 7 == UNMOVED_ROOK:
            piece += ROOK - UNMOVED_ROOK
        square = I64(lsb(rest))
        squares[count], pieces[count] = square, piece
        if piece == KING:
            white_king = square
        elif piece & 7 == KING:
            black_king = square
        rest &= rest - ONE
        count += 1
    for view in range(2):
        perspective = (I64(board.side_en_passant) >> 7) ^ view
        king = black_king if perspective else white_king
        orientation = orientation_of(perspective, king)
        for place in range(count):
            features[view, place] = feature_of(perspective, orientation, pieces[place], squares[place])
    return count
