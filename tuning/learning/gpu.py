"""A training step on a GPU: the loss of a batch and its gradient by torch's operations on whole batches.

The first layer is a matrix product: a position is a row with a 1 for each of its pieces. That is far more
arithmetic than adding columns, but faster on a GPU. Boards are unpacked on the GPU too, a chunk at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engine.board.types import KING, ROOK
from engine.evaluation.nnue.file import MAX_PIECES
from engine.evaluation.nnue.shape import INPUTS, OUTPUT_BUCKETS
from tuning.data.features import NO_FEATURE
from tuning.data.marlinformat import PACKED, UNMOVED_ROOK
from tuning.data.shuffled import batches
from tuning.learning.network import Network

SLICE_BOARDS = 1 << 19  # boards unpacked at a time, to bound the memory


@dataclass(frozen=True, slots=True)
class TensorBatch:
    """Positions as the network takes them, and the expected scores of the side to move."""

    features: Tensor  # int16 [position][side to move first][32], NO_FEATURE to the end
    buckets: Tensor  # int64 [position]
    expected: Tensor  # float32 [position]

    def __len__(self) -> int:
        return len(self.buckets)

    def __getitem__(self, rows: Tensor) -> TensorBatch:
        return TensorBatch(self.features[rows], self.buckets[rows], self.expected[rows])


def list_features(boards: Tensor) -> Tensor:
    """The features that :func:`tuning.data.features.list_board` lists of ``boards``, uint8 [position][bytes of PACKED]:
    int16 [position][side to move first][32], then NO_FEATURE."""
    by_square = (boards[:, :8, None] >> torch.arange(8, device=boards.device, dtype=torch.uint8)) & 1
    occupied = by_square.flatten(1).int()
    place = torch.where(occupied == 1, occupied.cumsum(1, dtype=torch.int32) - 1, MAX_PIECES).long()
    squares = torch.zeros(len(boards), MAX_PIECES + 1, dtype=torch.int32, device=boards.device)
    every_square = torch.arange(64, dtype=torch.int32, device=boards.device).expand(len(boards), 64)
    squares = squares.scatter_(1, place, every_square)[:, :MAX_PIECES]
    numbers = torch.arange(MAX_PIECES, device=boards.device)
    present = numbers < occupied.sum(1, keepdim=True)
    pieces = torch.stack((boards[:, 8:24] & 15, boards[:, 8:24] >> 4), 2).flatten(1).int()
    kinds, colors = pieces & 7, pieces >> 3
    kinds = torch.where(kinds == UNMOVED_ROOK, ROOK, kinds)
    side = (boards[:, 24:25] >> 7).int()
    views = []
    for view in range(2):
        perspective = side ^ view
        is_king = present & (kinds == KING) & (colors == perspective)
        king = (squares * is_king).sum(1, keepdim=True)
        orientation = 56 * perspective ^ torch.where(king & 4 != 0, 7, 0)
        seen = (colors ^ perspective) * (INPUTS // 2) + kinds * 64 + (squares ^ orientation)
        views.append(torch.where(present, seen, NO_FEATURE).short())
    return torch.stack(views, 1)


def unpack_boards(boards: Tensor, scales: Tensor, result_weights: Tensor) -> TensorBatch:
    """The batch of ``boards``, uint8 [position][PACKED bytes], with the other arguments of :class:`GpuStep`."""
    features = list_features(boards)
    pieces = (features[:, 0] != NO_FEATURE).sum(1)
    buckets = ((pieces - 2) // 4).clamp(max=OUTPUT_BUCKETS - 1)
    score, result, source = boards[:, 28:30].contiguous().view(torch.int16)[:, 0], boards[:, 30], boards[:, 31]
    white = torch.sigmoid(score / scales[source.long()]).lerp(result / 2, result_weights[pieces])
    return TensorBatch(features, buckets, torch.where(boards[:, 24] >> 7 == 1, 1 - white, white))


class GpuStep:
    """Sets the gradients of ``network``, which is on ``device``.

    The arguments are those of :class:`tuning.learning.cpu.CpuStep`."""

    def __init__(
        self, network: Network, scales: np.ndarray, slope: float, result_weights: np.ndarray, device: str
    ) -> None:
        torch.backends.cuda.matmul.allow_tf32 = True  # eleven bits hold the first layer's integers, so nothing is lost
        self._network = network
        self._scales = torch.from_numpy(scales.astype(np.float32)).to(device)
        self._result_weights = torch.from_numpy(result_weights.astype(np.float32)).to(device)
        self._slope = slope
        self._device = device

    def batches(self, boards: np.ndarray, size: int, seed: Sequence[int]) -> Iterator[TensorBatch]:
        """``boards``, PACKED, in an order drawn by ``seed`` and in parts of about ``size``."""
        order = torch.Generator(self._device)
        order.manual_seed(int(np.random.SeedSequence(seed).generate_state(1)[0]))
        whole = self._load(boards, self._result_weights)
        shuffled = torch.randperm(len(boards), generator=order, device=self._device)
        for part in batches(np.arange(len(boards)), size):
            yield whole[shuffled[part[0] : part[-1] + 1]]

    def set_gradients(self, batch: TensorBatch, exponent: float) -> Tensor:
        """Set the gradients of the mean of |error| ** ``exponent``; return its sum, a tensor on the device."""
        self._network.zero_grad()
        loss = self._errors(batch).pow(exponent).sum()
        (loss / len(batch)).backward()
        return loss.detach()

    @torch.no_grad()
    def squared_error(self, boards: np.ndarray) -> float:
        """The sum of the squared errors over ``boards``, PACKED, by search alone."""
        return float(self._errors(self._load(boards, torch.zeros_like(self._result_weights))).square().sum())

    def _load(self, boards: np.ndarray, result_weights: Tensor) -> TensorBatch:
        """``boards``, PACKED, taken apart on the device."""
        packed = torch.from_numpy(boards.view(np.uint8).reshape(-1, PACKED.itemsize)).to(self._device)
        parts = [unpack_boards(part, self._scales, result_weights) for part in packed.split(SLICE_BOARDS)]
        return TensorBatch(
            torch.cat([part.features for part in parts]), torch.cat([part.buckets for part in parts]),
            torch.cat([part.expected for part in parts]),
        )  # fmt: skip

    def _errors(self, batch: TensorBatch) -> Tensor:
        return (torch.sigmoid(self._slope * self._network(batch.features, batch.buckets)) - batch.expected).abs()
