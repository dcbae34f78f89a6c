"""Double threat: a move threatens mate and a piece at once; the mate is parried and the piece lost."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.effort import spend
from engine.explanation.line import Line
from engine.explanation.material import winnable
from engine.play.captures import value


def find(line: Line) -> Finding | None:
    """The winner's first move that threatens mate in one and attacks the piece that its next move captures."""
    for ply in line.turns():
        if ply + 2 >= len(line) or value(line.captured(ply + 2)) < 3:
            continue
        board, capture = line.boards[ply + 1], line.moves[ply + 2]
        if board.is_check() or line.moves[ply + 1].to_square == capture.to_square:
            continue
        prey = board.color_at(capture.to_square) == (not line.winner)
        if not prey or winnable(line.boards[ply], capture.to_square) or not winnable(board, capture.to_square):
            continue
        mate = mate_in_one(board)
        if mate is not None and mate.to_square != capture.to_square:
            target = Piece.at(board, capture.to_square)
            return Finding("doubleThreat", ply, ply + 2, targets=(target,), threat=mate)
    return None


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
