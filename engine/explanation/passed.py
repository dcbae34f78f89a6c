"""Passed pawns."""

from __future__ import annotations

import chess


def passed_pawns(board: chess.Board, color: chess.Color) -> chess.SquareSet:
    """The pawns of ``color`` before which, on their file and those beside it, no pawn of the other side stands.

    >>> [chess.square_name(square) for square in passed_pawns(chess.Board("4k3/5p2/8/8/8/8/P4P2/4K3 w - - 0 1"), True)]
    ['a2']
    """
    others = board.pieces(chess.PAWN, not color)
    return chess.SquareSet(
        square
        for square in board.pieces(chess.PAWN, color)
        if not any(_stops(other, square, color) for other in others)
    )


def _stops(other: chess.Square, square: chess.Square, color: chess.Color) -> bool:
    """Whether a pawn on ``other`` stands before one of ``color`` on ``square`` or guards its way."""
    beside = abs(chess.square_file(other) - chess.square_file(square)) <= 1
    ahead = chess.square_rank(other) - chess.square_rank(square)
    return beside and (ahead if color else -ahead) > 0
