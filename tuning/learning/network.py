"""The network in training: (768 -> N)x2 -> 1 plus a piece-square sum, in floating point.

Two accumulators of N numbers, one for each side's view, are sums of one column per piece; clipped to [0, 1] and squared
(SCReLU) they feed one output per bucket of piece counts. A linear sum over the same features (skip connection) is
trained with them, so that the rest learns only the difference to material and squares. An output of 1.0 means 400
centipawns.

This version uses torch's operations, for GPUs. On a CPU :mod:`tuning.learning.cpu` computes the same.
"""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.evaluation.material import PIECE_NAMES, WEIGHTS_FILE
from engine.evaluation.nnue.file import Net
from engine.evaluation.nnue.shape import INPUTS, OUTPUT_BUCKETS, QA, QB, QS, SCALE, WEIGHT_LIMIT

PADDING = 8  # columns after the features, for NO_FEATURE; matrix products prefer multiples of eight


def outputs(
    features: Tensor, buckets: Tensor,
    transformer: Tensor, transformer_biases: Tensor, skip: Tensor, output: Tensor, output_biases: Tensor,
) -> Tensor:  # fmt: skip
    """The network's outputs float32 [position] for the side to move.

    ``features`` int16 [position][side to move first][32] ends with NO_FEATURE, ``buckets`` int64 [position]."""
    pieces = torch.zeros(2 * len(features), INPUTS + PADDING, device=features.device)
    pieces.scatter_(1, features.flatten(0, 1).long(), 1)
    # In whole units, as products of few bits would not round those.
    sums = pieces @ nn.functional.pad(transformer * QA, (0, 0, 0, PADDING)) / QA
    activations = (sums + transformer_biases).clamp(0, 1).square().view(len(features), -1)
    by_bucket = torch.addmm(output_biases, activations, output.flatten(1).T)
    skips = (pieces @ nn.functional.pad(skip, (0, PADDING))).view(-1, 2)
    return by_bucket.gather(1, buckets[:, None])[:, 0] + (skips[:, 0] - skips[:, 1]) / 2


def _rounded(weights: Tensor, unit: int) -> Tensor:
    """``weights`` in whole units, still as real numbers."""
    return (weights * unit).round_()


class _Representable(torch.autograd.Function):
    """Weights rounded to whole units; for gradients the rounding does not count (straight-through estimator)."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor, unit: int) -> Tensor:
        return _rounded(weights, unit).div_(unit)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0], None


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
        """The :func:`outputs` by the rounded parameters."""
        return outputs(features, buckets, *self.rounded())

    def rounded(self) -> list[Tensor]:
        """The parameters rounded to their integers, so that training makes up for the rounding."""
        return [_Representable.apply(weights, unit) for weights, unit in self._units()]

    @torch.no_grad()
    def integers(self) -> list[np.ndarray]:
        """The rounded parameters as :mod:`tuning.learning.cpu` takes them, and in the order of ``set_gradients``: the
        first two in int16, the rest in real numbers."""
        transformer, biases, *rest = self._units()
        return [_rounded(weights, unit).short().numpy() for weights, unit in (transformer, biases)] + [
            (_rounded(weights, unit) / unit).numpy() for weights, unit in rest
        ]

    def set_gradients(self, gradients: Iterable[Tensor]) -> None:
        """Set the gradients of the parameters, in the order of ``integers``."""
        for (weights, _), gradient in zip(self._units(), gradients, strict=True):
            weights.grad = gradient

    def _units(self) -> list[tuple[nn.Parameter, int]]:
        """Each parameter, and the integer that stands for 1."""
        return [
            (self.transformer, QA),
            (self.transformer_biases, QA),
            (self.skip, SCALE * QS),
            (self.output, QB),
            (self.output_biases, QA * QB),
        ]

    def quantized(self, training: dict[str, Any]) -> Net:
        """The network in the engine's integers; ``training`` goes to its header."""
        with torch.no_grad():
            arrays = [_rounded(weights, unit).cpu().numpy().astype(np.int32) for weights, unit in self._units()]
        transformer, biases, skip, output, output_biases = arrays
        return Net(transformer, biases, skip, output, output_biases, training)

    def weights(self) -> list[nn.Parameter]:
        """The parameters that decay, because large ones overfit."""
        return [self.transformer, self.output]

    def offsets(self) -> list[nn.Parameter]:
        """The parameters that do not decay: the biases, and the values of pieces."""
        return [self.transformer_biases, self.skip, self.output_biases]

    @torch.no_grad()
    def take(self, net: Net) -> None:
        """Start with the parameters of ``net``, which has at most as many columns as this network.

        Additional columns keep their random weights with output weights of 0, so that the values are those of ``net``
        (as in Net2Net by Chen, Goodfellow and Shlens 2016, but with new columns in place of copies)."""
        self.output[:, :, net.hidden :] = 0
        arrays = (net.weights, net.biases, net.skip, net.output_weights, net.output_biases)
        for (weights, unit), array in zip(self._units(), arrays, strict=True):
            part = tuple(slice(length) for length in array.shape)
            weights[part] = torch.from_numpy(array.astype(np.float32)) / unit

    @torch.no_grad()
    def clip(self) -> None:
        for weights in self.weights():
            weights.clamp_(-WEIGHT_LIMIT, WEIGHT_LIMIT)


def material_skip() -> Tensor:
    """The initial skip weights float32 [feature]: the textbook evaluation, halfway between its two stages, equal for
    mirrored squares, because boards may be mirrored."""
    table = json.loads(WEIGHTS_FILE.read_text())
    own = np.empty((len(PIECE_NAMES), 64))
    for kind, name in enumerate(PIECE_NAMES):
        stages = table["piece_square"][name]
        squares = np.add(stages["middlegame"], stages["endgame"])[::-1] / 2  # the first rank first
        own[kind] = (table["material"][name] + (squares + squares[:, ::-1]) / 2).ravel()
    other = -own.reshape(-1, 8, 8)[:, ::-1].reshape(-1, 64)
    return torch.from_numpy(np.concatenate([own, other]).ravel() / SCALE).float()
