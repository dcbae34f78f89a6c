"""Boards from what people write, standard chess or Chess960, and what is wrong with them in words."""

from __future__ import annotations

import chess

from engine.messages import PositionError

#: Faults whose names in python-chess do not say enough.
_WORDS = {
    chess.STATUS_BAD_CASTLING_RIGHTS: "castling without its king or rook in place",
    chess.STATUS_INVALID_EP_SQUARE: "no pawn can be taken on the en passant square",
    chess.STATUS_OPPOSITE_CHECK: "the king of the side that is not to move is in check",
    chess.STATUS_EMPTY: "no pieces",
}


def board_of(fen: str, chess960: bool = False) -> chess.Board:
    """The board for ``fen``, the first position where it is empty or ``startpos``.

    Castling rights that only Chess960 has make it a board of Chess960, as ``chess960`` does. Raises PositionError.
    """
    try:
        board = chess.Board(fen if fen not in ("", "startpos") else chess.STARTING_FEN, chess960=chess960)
    except ValueError as error:
        raise PositionError(f"neither a FEN nor a file: '{fen}' ({error})") from None
    board.chess960 = chess960 or board.has_chess960_castling_rights()
    if not board.is_valid():
        raise PositionError(f"not a legal position: '{fen}' ({faults(board)})")
    return board


def faults(board: chess.Board) -> str:
    """Why ``board`` is no legal position; empty where it is one.

    >>> faults(chess.Board("8/8/8/8/8/8/8/K7 w - - 0 1"))
    'no black king'
    """
    found = [status for status in chess.Status if status and status in board.status()]
    return ", ".join(_WORDS.get(status, (status.name or "").lower().replace("_", " ")) for status in found)
