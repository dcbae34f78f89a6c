"""Training targets: expected scores from the score of a search and the result of the game."""

from __future__ import annotations

import math

import numpy as np

from tuning.common.compiled import compiled
from tuning.data.marlinformat import Packed


@compiled
def expected_score(board: Packed, scales: np.ndarray, result_weight: float) -> float:
    """White's expected score in ``board``, whose ``extra`` byte is the number of its source.

    ``scales`` float64 [source] are the centipawns that multiply the odds of success by e.
    """
    by_score = 1.0 / (1.0 + math.exp(-board.score / scales[board.extra]))
    return (1.0 - result_weight) * by_score + result_weight * (0.5 * board.result)
