"""Trapped piece: it is attacked and has no safe square."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import winnable
from engine.play.captures import taken, value


def find(line: Line) -> Finding | None:
    """The first piece that the winner attacks, that cannot escape, and that is then captured."""
    for ply in line.turns():
        for later in (ply + 2, ply + 4):
            if later >= len(line) or value(line.captured(later)) < 3 or line.gain < 2:
                continue
            square = _origin(line, ply + 1, later)
            board = line.boards[ply + 1]
            if square is not None and board.color_at(square) == (not line.winner) and _is_trapped(board, square):
                if winnable(line.boards[ply], square):
                    continue  # it was lost before
                if not board.attackers(line.winner, square) & chess.BB_SQUARES[line.moves[ply].to_square]:
                    continue
                return Finding("trapped", ply, later, targets=(Piece.at(board, square),))
    return None


def _origin(line: Line, first: int, last: int) -> chess.Square | None:
    """The square at ``first`` of the piece captured at ``last``."""
    square = line.moves[last].to_square
    for ply in range(last - 1, first - 1, -1):
        if line.moves[ply].to_square == square:
            square = line.moves[ply].from_square
    return square


def _is_trapped(board: chess.Board, square: chess.Square) -> bool:
    """Whether the piece on ``square``, whose side is to move, is attacked and would be lost wherever it goes. A flight
    that captures something of equal value counts as an escape."""
    kind = board.piece_type_at(square)
    if kind in (None, chess.PAWN, chess.KING) or board.is_check() or board.is_pinned(board.turn, square):
        return False
    if not winnable(board, square):
        return False
    for move in board.generate_legal_moves(from_mask=chess.BB_SQUARES[square]):
        won = taken(board, move)
        after = board.copy(stack=False)
        after.push(move)
        if won >= winnable(after, move.to_square):
            return False
    return True
