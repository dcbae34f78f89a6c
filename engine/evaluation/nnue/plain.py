"""The network's output in plain numpy, from the whole board: the reference for tests, and the terms of ``eval``."""

import numpy as np

from engine.board.aliases import Position
from engine.board.types import BLACK, EMPTY, KING, WHITE
from engine.evaluation.nnue.file import Net
from engine.evaluation.nnue.shape import OUTPUT_BUCKETS, QA, QB, QS, SCALE


def features(position: Position, perspective: int) -> list[int]:
    """The indices of the active features of ``perspective``."""
    board = position["board"].tolist()
    orientation = 56 if perspective == BLACK else 0
    king = board.index(perspective << 3 | KING)
    if king & 7 >= 4:
        orientation ^= 7
    return [
        ((piece >> 3) ^ perspective) * 384 + (piece & 7) * 64 + (square ^ orientation)
        for square, piece in enumerate(board)
        if piece != EMPTY
    ]


def plain_value(net: Net, position: Position) -> tuple[int, int]:
    """Centipawns for the side to move: the skip connection's part and the rest of the network's."""
    us = int(position["side"])
    seen = [features(position, perspective) for perspective in (us, us ^ 1)]
    skips = [int(net.skip[own].sum()) for own in seen]
    row = min((len(seen[0]) - 2) // 4, OUTPUT_BUCKETS - 1)
    total = 0
    for own, weights in zip(seen, net.output_weights[row].astype(np.int64), strict=True):
        sums = net.biases + net.weights[own].sum(axis=0, dtype=np.int64)
        total += int((np.clip(sums, 0, QA) ** 2 * weights).sum())
    total = total // QA + int(net.output_biases[row])
    return (skips[0] - skips[1]) // (2 * QS), total * SCALE // (QA * QB)


def explain(net: Net, position: Position) -> list[tuple[str, None, None, int]]:
    """The two parts in centipawns, from White's view."""
    sign = 1 if position["side"] == WHITE else -1
    skip, network = plain_value(net, position)
    return [("placement", None, None, sign * skip), ("network", None, None, sign * network)]
