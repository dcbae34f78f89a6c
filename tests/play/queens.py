"""Positions in which captures lead to captures without end."""

import random

import chess

#: Nine queens a side, all of them attacked.
QUEENS = "q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1"


def with_queens(count: int, chance: random.Random) -> chess.Board:
    """A random legal position with ``count`` queens and two of each other piece a side."""
    while True:
        pieces = [(kind, color) for color in chess.COLORS for kind in
                  [chess.KING, *[chess.QUEEN] * count, *[chess.ROOK, chess.BISHOP, chess.KNIGHT] * 2]]  # fmt: skip
        board = chess.Board(None)
        for square, piece in zip(chance.sample(chess.SQUARES, len(pieces)), pieces, strict=True):
            board.set_piece_at(square, chess.Piece(*piece))
        board.turn = chance.random() < 0.5
        if board.is_valid() and any(board.legal_moves):
            return board
