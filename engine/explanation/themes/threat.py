"""A threat of mate."""

import chess

from engine.explanation.effort import spend


def mate_in_one(board: chess.Board) -> chess.Move | None:
    """The move that would mate the side to move if it passed."""
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    for move in passed.legal_moves:
        spend()
        passed.push(move)
        mated = passed.is_checkmate()
        passed.pop()
        if mated:
            return move
    return None
