"""Double threat: a move threatens mate and a piece at once; the mate is parried and the piece lost."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.effort import spend
from engine.explanation.line import Line
from engine.explanation.material import winnable
from engine.play.captures import value


def find(line: Line, ply: int) -> Finding | None:
    """A move that threatens mate in one and attacks the piece that the winner's next move captures."""
    if ply + 2 >= len(line) or value(line.captured(ply + 2)) < 3:
        return None
    board, square = line.boards[ply + 1], line.moves[ply + 2].to_square
    if (
        board.is_check()
        or line.moves[ply + 1].to_square == square
        or board.color_at(square) != (not line.winner)
        or winnable(line.boards[ply], square)
        or not winnable(board, square)
    ):
        return None
    mate = mate_in_one(board)
    if mate is None or mate.to_square == square:
        return None
    return Finding("doubleThreat", ply, ply + 2, targets=(Piece.at(board, square),), threat=mate)


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
