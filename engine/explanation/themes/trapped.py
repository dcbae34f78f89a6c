"""Trapped piece: it is attacked and has no safe square."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import winnable
from engine.play.captures import immediate_gain, value


def find(line: Line, ply: int) -> Finding | None:
    """A piece that the move attacks, that cannot escape, and that is then captured."""
    board = line.boards[ply + 1]
    for later in (ply + 2, ply + 4):
        if later >= len(line) or value(line.captured(later)) < 3 or line.gain < 2:
            continue
        square = line.origin(line.moves[later].to_square, ply + 1, later)
        if (
            board.color_at(square) == (not line.winner)
            and _is_trapped(board, square)
            and not winnable(line.boards[ply], square)  # it was not lost before
            and line.moves[ply].to_square in board.attackers(line.winner, square)
        ):
            return Finding("trapped", ply, later, targets=(Piece.at(board, square),))
    return None


def _is_trapped(board: chess.Board, square: chess.Square) -> bool:
    """Whether the piece on ``square``, whose side is to move, is attacked and would be lost wherever it goes. A flight
    that captures something of equal value counts as an escape."""
    kind = board.piece_type_at(square)
    if kind in (None, chess.PAWN, chess.KING) or board.is_check() or board.is_pinned(board.turn, square):
        return False
    if not winnable(board, square):
        return False
    for move in board.generate_legal_moves(from_mask=chess.BB_SQUARES[square]):
        after = board.copy(stack=False)
        after.push(move)
        if immediate_gain(board, move) >= winnable(after, move.to_square):
            return False
    return True
