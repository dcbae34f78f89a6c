"""The network as it is trained: (768 -> N)x2 -> 1 beside a piece-square sum, in floating point.

Two accumulators of N numbers, one as each side sees the board, are sums of one column for each piece; clipped to [0, 1]
and squared (SCReLU) they go to one output for each bucket of piece counts. A linear sum over the same features is
learned along with them (skip connection), so that the rest has to learn only what material and squares do not say. An
output of 1.0 stands for 400 centipawns.

On a CPU the network and its gradient are two kernels of our own that keep a position's numbers in the nearest cache;
torch's own operations, each of which passes over a whole batch, do the same elsewhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.evaluation.material import PIECE_NAMES, WEIGHTS_FILE
from engine.evaluation.nnue.file import Net
from engine.evaluation.nnue.shape import INPUTS, OUTPUT_BUCKETS, QA, QB, QS, SCALE, WEIGHT_LIMIT
from tuning.common.compiled import compiled
from tuning.data.features import NO_FEATURE

#: A batch is cut into this many parts, however many threads there are: sums are then the same everywhere.
_PARTS = 8


# On a CPU ------------------------------------------------------------------------------------------------------------


@compiled
def _forward(features, buckets, transformer, transformer_biases, skip, output, output_biases, accumulators, out):
    """Set ``accumulators`` [position][perspective][unit] and ``out`` [position]."""
    for number in range(len(features)):
        bucket = buckets[number]
        total = output_biases[bucket]
        for view in range(2):
            row = accumulators[number, view]
            row[:] = transformer_biases
            sign = np.float32(-0.5 if view else 0.5)
            for feature in features[number, view]:
                if feature == NO_FEATURE:
                    break
                total += sign * skip[feature]
                column = transformer[feature]
                for unit in range(len(row)):
                    row[unit] += column[unit]
            weights = output[bucket, view]
            for unit in range(len(row)):
                clipped = min(max(row[unit], np.float32(0)), np.float32(1))
                total += weights[unit] * clipped * clipped
        out[number] = total


@compiled
def _backward(
    features, buckets, accumulators, output, gradient,
    d_transformer, d_transformer_biases, d_skip, d_output, d_output_biases,
):  # fmt: skip
    """Add the gradient of all parameters, given that of every position's output."""
    d_row = np.empty(accumulators.shape[2], np.float32)
    for number in range(len(features)):
        bucket = buckets[number]
        d_out = gradient[number]
        d_output_biases[bucket] += d_out
        for view in range(2):
            row = accumulators[number, view]
            weights, d_weights = output[bucket, view], d_output[bucket, view]
            for unit in range(len(row)):
                clipped = min(max(row[unit], np.float32(0)), np.float32(1))
                d_weights[unit] += d_out * clipped * clipped
                slope = clipped if row[unit] <= np.float32(1) else np.float32(0)
                d_row[unit] = np.float32(2) * d_out * weights[unit] * slope
                d_transformer_biases[unit] += d_row[unit]
            d_view = np.float32(-0.5 if view else 0.5) * d_out
            for feature in features[number, view]:
                if feature == NO_FEATURE:
                    break
                d_skip[feature] += d_view
                column = d_transformer[feature]
                for unit in range(len(row)):
                    column[unit] += d_row[unit]


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="network")


def _in_parts(count: int, job: Callable[[slice], Any]) -> list[Any]:
    """Run ``job`` on each part of ``count`` positions, on every core, and return the results in order."""
    edges = np.linspace(0, count, _PARTS + 1).astype(int)
    parts = [slice(start, stop) for start, stop in pairwise(edges)]
    return list(_pool().map(job, parts))


class _OnCpu(torch.autograd.Function):
    """The whole network as one function of its parameters."""

    @staticmethod
    def forward(context, features: Tensor, buckets: Tensor, *parameters: Tensor) -> Tensor:
        output = parameters[3]
        accumulators = torch.empty(len(features), *output.shape[1:])
        context.save_for_backward(features, buckets, accumulators, *parameters)
        inputs = [features.numpy(), buckets.numpy()]
        weights = [parameter.detach().numpy() for parameter in parameters]
        rows, out = accumulators.numpy(), np.empty(len(features), np.float32)
        _in_parts(len(out), lambda part: _forward(*(x[part] for x in inputs), *weights, rows[part], out[part]))
        return torch.from_numpy(out)

    @staticmethod
    def backward(context, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        features, buckets, accumulators, *parameters = context.saved_tensors
        inputs = [features.numpy(), buckets.numpy(), accumulators.numpy()]
        output, gradient = parameters[3].detach().numpy(), gradients[0].contiguous().numpy()

        def sums(part: slice) -> list[np.ndarray]:
            totals = [np.zeros(parameter.shape, np.float32) for parameter in parameters]
            _backward(*(x[part] for x in inputs), output, gradient[part], *totals)
            return totals

        parts = _in_parts(len(gradient), sums)
        return None, None, *(torch.from_numpy(np.sum(totals, axis=0)) for totals in zip(*parts, strict=True))


# Anywhere ------------------------------------------------------------------------------------------------------------


def _by_torch(
    features: Tensor, buckets: Tensor,
    transformer: Tensor, transformer_biases: Tensor, skip: Tensor, output: Tensor, output_biases: Tensor,
) -> Tensor:  # fmt: skip
    """The same by torch's own operations."""
    lists = features.flatten(0, 1).int()

    def row_sums(rows: Tensor) -> Tensor:
        return nn.functional.embedding_bag(
            lists, nn.functional.pad(rows, (0, 0, 0, 1)), mode="sum", padding_idx=NO_FEATURE
        )

    activations = (row_sums(transformer) + transformer_biases).clamp(0, 1).square().view(len(features), -1)
    by_bucket = torch.addmm(output_biases, activations, output.flatten(1).T)
    skips = row_sums(skip[:, None]).view(-1, 2)
    return by_bucket.gather(1, buckets[:, None])[:, 0] + (skips[:, 0] - skips[:, 1]) / 2


def _rounded(weights: Tensor, unit: int) -> Tensor:
    """``weights`` in whole units, still as real numbers."""
    return (weights.double() * unit).round()


class Network(nn.Module):
    """The network; ``hidden`` is the width N of each accumulator."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.transformer = nn.Parameter(torch.empty(INPUTS, hidden))
        self.transformer_biases = nn.Parameter(torch.zeros(hidden))
        self.skip = nn.Parameter(material_skip())
        self.output = nn.Parameter(torch.empty(OUTPUT_BUCKETS, 2, hidden))
        self.output_biases = nn.Parameter(torch.zeros(OUTPUT_BUCKETS))
        # About 25 pieces stand on the board, so that an accumulator begins with a spread of some 0.5.
        nn.init.uniform_(self.transformer, -0.1, 0.1)
        nn.init.constant_(self.transformer_biases, 0.25)
        nn.init.uniform_(self.output, -((2 * hidden) ** -0.5), (2 * hidden) ** -0.5)

    def forward(self, features: Tensor, buckets: Tensor) -> Tensor:
        """Outputs float32 [position] for the side to move; for the arguments see :class:`tuning.data.dataset.Batch`."""
        evaluate = _OnCpu.apply if features.device.type == "cpu" else _by_torch
        return evaluate(features, buckets, *self.rounded())

    def rounded(self) -> list[Tensor]:
        """The parameters as the integers will have them, so that what is learned makes up for the rounding.

        For gradients the rounding does not count (straight-through estimator).
        """
        return [
            weights + (_rounded(weights, unit) / unit - weights).float().detach() for weights, unit in self._units()
        ]

    def _units(self) -> list[tuple[nn.Parameter, int]]:
        """Every parameter and the integer that stands for 1."""
        return [
            (self.transformer, QA),
            (self.transformer_biases, QA),
            (self.skip, SCALE * QS),
            (self.output, QB),
            (self.output_biases, QA * QB),
        ]

    def quantised(self, training: dict[str, Any]) -> Net:
        """The network in the engine's integers; ``training`` goes to its header."""
        with torch.no_grad():
            arrays = [_rounded(weights, unit).cpu().numpy().astype(np.int32) for weights, unit in self._units()]
        transformer, biases, skip, output, output_biases = arrays
        return Net(transformer, biases, skip, output, output_biases, training)

    def weights(self) -> list[nn.Parameter]:
        """What had better be small: weights that bend the evaluation to the positions learned from."""
        return [self.transformer, self.output]

    def offsets(self) -> list[nn.Parameter]:
        """What has no reason to be near 0: the biases, and the values of pieces."""
        return [self.transformer_biases, self.skip, self.output_biases]

    @torch.no_grad()
    def clip(self) -> None:
        """Bring all weights back into what their integers can hold."""
        for weights in self.weights():
            weights.clamp_(-WEIGHT_LIMIT, WEIGHT_LIMIT)


def material_skip() -> Tensor:
    """The skip weights float32 [feature] to begin with: the textbook evaluation, halfway between its two stages.

    A board may be mirrored, so a square counts as much as its mirror image.
    """
    table = json.loads(WEIGHTS_FILE.read_text())
    own = np.empty((len(PIECE_NAMES), 64))
    for kind, name in enumerate(PIECE_NAMES):
        stages = table["piece_square"][name]
        squares = np.add(stages["middlegame"], stages["endgame"])[::-1] / 2  # the first rank first
        own[kind] = (table["material"][name] + (squares + squares[:, ::-1]) / 2).ravel()
    other = -own.reshape(-1, 8, 8)[:, ::-1].reshape(-1, 64)
    return torch.from_numpy(np.concatenate([own, other]).ravel() / SCALE).float()
