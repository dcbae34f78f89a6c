"""One step of learning on a CPU: the loss of a batch and its gradient, a position at a time.

A position's numbers stay in the nearest cache from its board to its gradient, where operations on whole batches, such
as torch's, fetch and store them again and again. The first layer is summed in the engine's own integers, which
take half the room of floating-point numbers; so what is learned from is exactly what the engine will compute there.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

import numpy as np

from engine.evaluation.nnue.shape import QA
from tuning.common.compiled import compiled
from tuning.data.features import MOST_PIECES, bucket_of, list_board
from tuning.data.targets import expected_score

#: A batch is cut into this many parts, however many threads there are: sums are then the same everywhere.
PARTS = 4


@compiled
def _learn(
    boards, scales, result_weight, slope, exponent,
    transformer, transformer_biases, skip, output, output_biases,
    learns, d_transformer, d_transformer_biases, d_skip, d_output, d_output_biases,
):  # fmt: skip
    """The sum over ``boards`` of |error| ** ``exponent``; adds its gradient where ``learns`` is true.

    ``transformer`` [feature][unit] and ``transformer_biases`` are int16 in units of 1/QA, all else is float32.
    """
    hidden = transformer.shape[1]
    squares, pieces = np.empty(MOST_PIECES, np.int64), np.empty(MOST_PIECES, np.int64)
    features = np.empty((2, MOST_PIECES), np.int64)
    accumulators = np.empty((2, hidden), np.int16)
    clipped = np.empty((2, hidden), np.float32)
    d_row = np.empty(hidden, np.float32)
    total = 0.0
    for number in range(len(boards)):
        board = boards[number]
        count = list_board(board, squares, pieces, features)
        bucket = bucket_of(count)
        value = output_biases[bucket]
        for view in range(2):
            row = accumulators[view]
            row[:] = transformer_biases
            sign = np.float32(-0.5 if view else 0.5)
            for place in range(count):
                feature = features[view, place]
                value += sign * skip[feature]
                column = transformer[feature]
                for unit in range(hidden):
                    row[unit] += column[unit]
            weights, activation = output[bucket, view], clipped[view]
            for unit in range(hidden):
                activation[unit] = np.float32(min(max(row[unit], 0), QA)) * np.float32(1 / QA)
                value += weights[unit] * activation[unit] * activation[unit]
        success = 1.0 / (1.0 + math.exp(-slope * value))
        expected = expected_score(board, scales, result_weight)
        error = success - (1.0 - expected if board.side_en_passant >> 7 else expected)
        total += abs(error) ** exponent
        if not learns:
            continue
        steepness = exponent * abs(error) ** (exponent - 1) * (1.0 if error > 0 else -1.0)
        d_value = np.float32(steepness * success * (1.0 - success) * slope)
        d_output_biases[bucket] += d_value
        for view in range(2):
            row, activation = accumulators[view], clipped[view]
            weights, d_weights = output[bucket, view], d_output[bucket, view]
            for unit in range(hidden):
                d_weights[unit] += d_value * activation[unit] * activation[unit]
                slope_here = activation[unit] if row[unit] <= QA else np.float32(0)
                d_row[unit] = np.float32(2) * d_value * weights[unit] * slope_here
                d_transformer_biases[unit] += d_row[unit]
            d_view = np.float32(-0.5 if view else 0.5) * d_value
            for place in range(count):
                feature = features[view, place]
                d_skip[feature] += d_view
                column = d_transformer[feature]
                for unit in range(hidden):
                    column[unit] += d_row[unit]
    return total


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="learning")


@dataclass(frozen=True, slots=True)
class Target:
    """What is learned: see :func:`tuning.data.targets.expected_score`, and the error's ``exponent``.

    ``slope`` is the log-odds of success for an output of 1.0.
    """

    scales: np.ndarray
    result_weight: float
    slope: float
    exponent: float


def total_loss(
    boards: np.ndarray, target: Target, weights: Sequence[np.ndarray], gradients: Sequence[Sequence[np.ndarray]] = ()
) -> float:
    """The sum of |error| ** exponent over ``boards``, PACKED, worked out on every core.

    ``weights`` are those of the network in the order of its parameters, the first two int16. ``gradients`` are arrays
    alike for each of :data:`PARTS` parts, float32; each part's share of the gradient is added to its own.
    """
    edges = np.linspace(0, len(boards), PARTS + 1).astype(int)

    def part(number: int) -> float:
        share = boards[edges[number] : edges[number + 1]]
        sums = gradients[number] if gradients else [weight.astype(np.float32)[:0] for weight in weights]
        return _learn(
            share, target.scales, target.result_weight, target.slope, target.exponent,
            *weights, bool(gradients), *sums,
        )  # fmt: skip

    return sum(_pool().map(part, range(PARTS)))
