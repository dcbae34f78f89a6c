"""Packed positions as a network sees them: lists of features."""

from __future__ import annotations

import numpy as np

from engine.board.types import I64, KING, ONE, ROOK
from engine.evaluation.nnue.shape import INPUTS, OUTPUT_BUCKETS
from engine.jit import lsb
from tuning.common.compiled import compiled
from tuning.data.marlinformat import UNMOVED_ROOK

#: The most pieces that a position has.
MOST_PIECES = 32

#: Fills a list of features to its end.
NO_FEATURE = INPUTS


@compiled
def list_features(boards, order, features, buckets):
    """Write what both sides see of ``boards[order]``, an array of :data:`tuning.data.marlinformat.PACKED`.

    ``features`` int16 [position][side to move first][32] gets the indices that ``engine.evaluation.nnue.shape``
    describes and then NO_FEATURE; ``buckets`` int64 [position] the row of output weights.
    """
    squares = np.empty(MOST_PIECES, np.int64)
    pieces = np.empty(MOST_PIECES, np.int64)
    kings = np.empty(2, np.int64)
    for number in range(len(order)):
        board = boards[order[number]]
        rest = board.occupancy
        count = 0
        while rest:
            piece = I64(board.pieces[count >> 1]) >> 4 * (count & 1) & 15
            if piece & 7 == UNMOVED_ROOK:
                piece += ROOK - UNMOVED_ROOK
            squares[count], pieces[count] = lsb(rest), piece
            if piece & 7 == KING:
                kings[piece >> 3] = squares[count]
            rest &= rest - ONE
            count += 1
        buckets[number] = min((count - 2) // 4, OUTPUT_BUCKETS - 1)
        for view in range(2):
            perspective = (I64(board.side_en_passant) >> 7) ^ view
            orientation = 56 * perspective ^ (7 if kings[perspective] & 4 else 0)
            row = features[number, view]
            row[count:] = NO_FEATURE
            for place in range(count):
                piece = pieces[place]
                seen = ((piece >> 3) ^ perspective) * (INPUTS // 2) + (piece & 7) * 64
                row[place] = seen + (squares[place] ^ orientation)
