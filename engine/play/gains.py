"""The visible gain of a move: its capture, the best recapture, and a mate in one."""

import chess

from engine.play.captures import Captures, taken

MATE_IN_ONE = 10_000  # centipawns for a mate in one: more than all pieces together

_PAWN_CP = 100


def visible_gain(board: chess.Board, move: chess.Move) -> int:
    """Centipawns that ``move`` wins or loses for a player who sees no further than its capture and the opponent's
    captures in reply. A mate in one, given or allowed, is :data:`MATE_IN_ONE`.

    >>> board = chess.Board("4k3/8/3p4/8/8/4B3/8/4K3 w - - 0 1")
    >>> visible_gain(board, board.parse_san("Bc5")), visible_gain(board, board.parse_san("Bd4"))
    (-300, 0)
    """
    board = board.copy(stack=False)
    gain = taken(board, move)
    board.push(move)
    if board.is_checkmate():
        return MATE_IN_ONE
    captures, loss = Captures(board), 0
    for reply in board.legal_moves:
        if board.gives_check(reply) and _mates(board, reply):
            return -MATE_IN_ONE
        if reply.promotion or board.is_capture(reply):
            loss = max(loss, captures.exchange(reply))
    return _PAWN_CP * (gain - loss)


def _mates(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    found = board.is_checkmate()
    board.pop()
    return found
