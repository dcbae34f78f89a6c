"""What captures are worth, counted in pawns on python-chess boards: exchanges on one square.

Plain Python for a few moves at a time. The search has a compiled one in :mod:`engine.board.see`.
"""

from __future__ import annotations

import chess

#: Pawns that each kind is worth; the usual numbers, which a reader can add up too.
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}

#: Worth more than all pieces together: a king cannot be given up.
KING_VALUE = 100


def value(kind: chess.PieceType | None) -> int:
    """The pawns that ``kind`` is worth; nothing is worth 0."""
    return 0 if kind is None else VALUES.get(kind, KING_VALUE)


def taken(board: chess.Board, move: chess.Move) -> int:
    """What ``move`` wins at once: the captured piece, and what a pawn becomes."""
    won = 1 if board.is_en_passant(move) else value(board.piece_type_at(move.to_square))
    if board.is_castling(move):
        won = 0
    return won + (value(move.promotion) - 1 if move.promotion else 0)


def exchange(board: chess.Board, move: chess.Move) -> int:
    """What ``move`` wins if both sides then go on capturing on its square as long as that pays.

    With legal moves only, so that pinned pieces do not take part; the cheapest piece captures first.

    >>> board = chess.Board("4k3/8/3p4/4n3/8/3N4/8/4K3 w - - 0 1")
    >>> exchange(board, board.parse_san("Nxe5"))
    0
    """
    won = taken(board, move)
    board.push(move)
    lost = won_on(board, move.to_square)
    board.pop()
    return won - lost


def won_on(board: chess.Board, square: chess.Square) -> int:
    """What the side to move wins by capturing on ``square``. Nobody has to capture, so it is never less than 0."""
    captures = board.generate_legal_captures(to_mask=chess.BB_SQUARES[square])
    cheapest = min(
        captures, key=lambda move: (value(board.piece_type_at(move.from_square)), -(move.promotion or 0)), default=None
    )
    return max(0, exchange(board, cheapest)) if cheapest else 0
