"""A training step on a CPU: the loss of a batch and its gradient, one position at a time.

A position's numbers stay in the cache from its board to its gradient, while torch's operations on whole batches load
and store them repeatedly. The first layer is summed in the engine's integers, half the size of floats, so training sees
the same sums as the engine.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, cast

import numpy as np
import torch

from engine.evaluation.nnue.features import bucket_of
from engine.evaluation.nnue.file import MAX_PIECES
from engine.evaluation.nnue.shape import QA
from tuning.common.compiled import compiled
from tuning.data.features import list_board
from tuning.data.marlinformat import PackedBoard, PackedBoards
from tuning.data.shuffled import batches
from tuning.learning.network import Network

PARTS = 4  # parts of a batch, whatever the number of threads, so that sums are the same everywhere

#: The arrays of a network, in the order of :meth:`tuning.learning.network.Network.integers`.
Layers = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@compiled
def expected_score(board: PackedBoard, scales: np.ndarray, result_weight: float) -> float:
    """White's expected score in ``board``, by its score and, with ``result_weight``, by its result.

    ``scales`` are those of :class:`CpuStep`.
    """
    by_score = 1.0 / (1.0 + math.exp(-board.score / scales[board.extra]))
    return (1.0 - result_weight) * by_score + result_weight * (0.5 * board.result)


@compiled
def _learn(
    boards: PackedBoards, scales: np.ndarray, result_weights: np.ndarray, slope: float, exponent: float,
    weights: Layers, learns: bool, gradients: Layers,
) -> float:  # fmt: skip
    """The sum over ``boards`` of |error| ** ``exponent``; adds its gradient to ``gradients`` if ``learns`` is true.

    The first two ``weights``, [feature][unit] and [unit], are int16 in units of 1/QA; all else is float32.
    """
    hidden = weights[0].shape[1]
    squares, pieces = np.empty(MAX_PIECES, np.int64), np.empty(MAX_PIECES, np.int64)
    features = np.empty((2, MAX_PIECES), np.int64)
    accumulators, clipped = np.empty((2, hidden), np.int16), np.empty((2, hidden), np.float32)
    d_row = np.empty(hidden, np.float32)
    total = 0.0
    for number in range(len(boards)):
        board = boards[number]
        count = list_board(board, squares, pieces, features)
        seen = features[:, :count]
        value = _output(seen, weights, accumulators, clipped)
        success = 1.0 / (1.0 + math.exp(-slope * value))
        expected = expected_score(board, scales, result_weights[count])
        error = success - (1.0 - expected if board.side_en_passant >> 7 else expected)
        total += abs(error) ** exponent
        if learns:
            steepness = exponent * abs(error) ** (exponent - 1) * (1.0 if error > 0 else -1.0)
            d_value = np.float32(steepness * success * (1.0 - success) * slope)
            _add_gradient(d_value, seen, weights, gradients, accumulators, clipped, d_row)
    return total


@compiled
def _count_fired(boards: PackedBoards, weights: np.ndarray, biases: np.ndarray, counts: np.ndarray) -> None:
    squares, pieces = np.empty(MAX_PIECES, np.int64), np.empty(MAX_PIECES, np.int64)
    features, row = np.empty((2, MAX_PIECES), np.int64), np.empty(len(biases), np.int16)
    for number in range(len(boards)):
        count = list_board(boards[number], squares, pieces, features)
        for view in range(2):
            row[:] = biases
            for feature in features[view, :count]:
                row += weights[feature]
            counts += row > 0


def fired(boards: np.ndarray, weights: np.ndarray, biases: np.ndarray) -> np.ndarray:
    """The share of the views of ``boards``, PACKED, in which each column is above zero, float64 [column].

    ``weights`` [feature][column] and ``biases`` are int16, in the engine's units."""
    counts = np.zeros(len(biases), np.int64)
    _count_fired(boards, weights, biases, counts)
    return counts / (2 * len(boards))


@compiled
def _output(features: np.ndarray, weights: Layers, accumulators: np.ndarray, clipped: np.ndarray) -> Any:
    """The network's output for ``features`` [side to move first][piece]; sets the sums and activations of its units."""
    transformer, transformer_biases, skip, output, output_biases = weights
    bucket = bucket_of(features.shape[1])
    value = output_biases[bucket]
    for view in range(2):
        row = accumulators[view]
        row[:] = transformer_biases
        sign = np.float32(-0.5 if view else 0.5)
        for feature in features[view]:
            value += sign * skip[feature]
            column = transformer[feature]
            for unit in range(len(row)):
                row[unit] += column[unit]
        out, activation = output[bucket, view], clipped[view]
        for unit in range(len(row)):
            activation[unit] = np.float32(min(max(row[unit], 0), QA)) * np.float32(1 / QA)
            value += out[unit] * activation[unit] * activation[unit]
    return value


@compiled
def _add_gradient(
    d_value: Any, features: np.ndarray, weights: Layers, gradients: Layers,
    accumulators: np.ndarray, clipped: np.ndarray, d_row: np.ndarray,
) -> None:  # fmt: skip
    """Add an output's gradient to ``gradients``; ``d_value``: loss by output; ``d_row`` [unit] is scratch space."""
    output = weights[3]
    d_transformer, d_transformer_biases, d_skip, d_output, d_output_biases = gradients
    bucket = bucket_of(features.shape[1])
    d_output_biases[bucket] += d_value
    for view in range(2):
        row, activation = accumulators[view], clipped[view]
        out, d_out = output[bucket, view], d_output[bucket, view]
        for unit in range(len(row)):
            d_out[unit] += d_value * activation[unit] * activation[unit]
            slope_here = activation[unit] if row[unit] <= QA else np.float32(0)
            d_row[unit] = np.float32(2) * d_value * out[unit] * slope_here
            d_transformer_biases[unit] += d_row[unit]
        d_view = np.float32(-0.5 if view else 0.5) * d_value
        for feature in features[view]:
            d_skip[feature] += d_view
            column = d_transformer[feature]
            for unit in range(len(row)):
                column[unit] += d_row[unit]


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="learning")


class CpuStep:
    """Sets the gradients of ``network``.

    ``scales`` float64 [source] are the centipawns that multiply the odds of success by e, ``slope`` the log-odds of
    success for an output of 1.0, ``result_weights`` float64 [number of pieces] the weight of the result in the target.
    """

    def __init__(self, network: Network, scales: np.ndarray, slope: float, result_weights: np.ndarray) -> None:
        self._network = network
        self._scales = scales
        self._result_weights = result_weights
        self._slope = slope
        shapes = [array.shape for array in network.integers()]
        self._sums = [[np.zeros(shape, np.float32) for shape in shapes] for _ in range(PARTS)]
        self._nothing = [np.zeros((0,) * len(shape), np.float32) for shape in shapes]

    def batches(self, boards: np.ndarray, size: int, seed: Sequence[int]) -> Iterator[np.ndarray]:
        """``boards``, PACKED, in an order drawn by ``seed`` and in parts of about ``size``."""
        return batches(boards[np.random.default_rng(seed).permutation(len(boards))], size)

    def set_gradients(self, boards: np.ndarray, exponent: float) -> float:
        """Set the gradients of the mean of |error| ** ``exponent``; return its sum."""
        for sums in self._sums:
            for array in sums:
                array.fill(0)
        total = self._total(boards, self._result_weights, exponent, self._sums)
        self._network.set_gradients(
            torch.from_numpy(sum(parts[1:], parts[0]) / np.float32(len(boards)))
            for parts in zip(*self._sums, strict=True)
        )
        return total

    def squared_error(self, boards: np.ndarray) -> float:
        """The sum of the squared errors over ``boards``, PACKED, by search alone."""
        return self._total(boards, np.zeros_like(self._result_weights), 2.0, [])

    def _total(
        self, boards: np.ndarray, result_weights: np.ndarray, exponent: float,
        gradients: Sequence[Sequence[np.ndarray]],
    ) -> float:  # fmt: skip
        """The sum of |error| ** ``exponent``, worked out in :data:`PARTS` threads; each adds to its own sums."""
        weights = tuple(self._network.integers())
        edges = np.linspace(0, len(boards), PARTS + 1).astype(int)

        def part(number: int) -> float:
            share = boards[edges[number] : edges[number + 1]]
            return cast("Callable[..., float]", _learn)(
                share, self._scales, result_weights, self._slope, exponent,
                weights, bool(gradients), tuple(gradients[number] if gradients else self._nothing),
            )  # fmt: skip

        return sum(_pool().map(part, range(PARTS)))
