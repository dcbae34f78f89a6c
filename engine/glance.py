"""What a chess player sees at a glance: what can be taken now, what can be taken back, and a mate in one."""

from __future__ import annotations

import chess

#: Centipawns of each piece type, as every player counts them.
VALUES = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900, chess.KING: 0}

#: Centipawns that a mate in one counts as: more than all pieces together.
MATE = 10_000


def exchange(board: chess.Board, move: chess.Move) -> int:
    """Centipawns that ``move`` wins when all that follows are captures on its square, by the least valuable piece
    that may legally take, and both sides stop when going on would cost them. A promotion counts as well.

    >>> board = chess.Board("4k3/8/3p4/4n3/8/3N4/8/4K3 w - - 0 1")
    >>> exchange(board, board.parse_san("Nxe5"))
    0
    """
    victim = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    taken = VALUES[victim] if victim and board.is_capture(move) else 0
    gain = taken + (VALUES[move.promotion] - VALUES[chess.PAWN] if move.promotion else 0)
    board.push(move)
    captures = list(board.generate_legal_captures(to_mask=chess.BB_SQUARES[move.to_square]))
    if captures:
        least = min(captures, key=lambda reply: _attacker(board, reply))
        gain -= max(0, exchange(board, least))
    board.pop()
    return gain


def at_a_glance(board: chess.Board, move: chess.Move) -> int:
    """Centipawns that ``move`` wins or loses for those who look no further than what it takes and what the opponent can
    take then. A mate in one, given or allowed, is :data:`MATE`.

    >>> board = chess.Board("4k3/8/3p4/8/8/4B3/8/4K3 w - - 0 1")
    >>> at_a_glance(board, board.parse_san("Bc5")), at_a_glance(board, board.parse_san("Bd4"))
    (-300, 0)
    """
    board = board.copy(stack=False)
    victim = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    gain = VALUES[victim] if victim and board.is_capture(move) else 0
    gain += VALUES[move.promotion] - VALUES[chess.PAWN] if move.promotion else 0
    board.push(move)
    if board.is_checkmate():
        return MATE
    loss = 0
    for reply in board.legal_moves:
        if board.gives_check(reply) and _mates(board, reply):
            return -MATE
        if reply.promotion or board.is_capture(reply):
            loss = max(loss, exchange(board, reply))
    return gain - loss


def _attacker(board: chess.Board, capture: chess.Move) -> int:
    """What is risked by taking; the king comes last."""
    kind = board.piece_type_at(capture.from_square) or chess.PAWN
    return MATE if kind == chess.KING else VALUES[kind]


def _mates(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    found = board.is_checkmate()
    board.pop()
    return found
