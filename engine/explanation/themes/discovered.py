"""Discovered attack and double check: a moving piece opens the line of another one."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line


def find(line: Line, ply: int) -> Finding | None:
    """The move opens a line, and one of the two pieces makes the next capture."""
    return _check(line, ply) or _attack(line, ply)


def _check(line: Line, ply: int) -> Finding | None:
    """A check by a piece that did not move. The piece that did must capture now or next."""
    board, move = line.boards[ply + 1], line.moves[ply]
    hidden = [square for square in board.checkers() if square != move.to_square]
    if not hidden or line.boards[ply].is_castling(move) or move.promotion or line.boards[ply].is_en_passant(move):
        return None
    if len(board.checkers()) > 1:
        return Finding("doubleCheck", ply, min(ply + 2, len(line) - 1))
    actor = Piece.at(board, hidden[0])
    if line.captured(ply):
        return Finding("discoveredAttack", ply, ply, "check", actor=actor)
    for later in (ply + 2, ply + 4):  # another check may come first
        if later < len(line) and line.moves[later].from_square == move.to_square and line.captured(later):
            prey = line.moves[later].to_square
            if prey in board.attacks(move.to_square) and board.color_at(prey) == (not line.winner):
                return Finding("discoveredAttack", ply, later, "both", (Piece.at(board, prey),), actor)
        if later >= len(line) or not line.boards[later + 1].is_check():
            return None
    return None


def _attack(line: Line, ply: int) -> Finding | None:
    """An attack by a slider through the square just left; the next move captures."""
    if ply + 2 >= len(line) or not line.captured(ply + 2):
        return None
    board, move, capture = line.boards[ply + 1], line.moves[ply], line.moves[ply + 2]
    target = board.piece_type_at(capture.to_square)
    if (
        capture.from_square == move.to_square
        or move.from_square not in chess.SquareSet.between(capture.from_square, capture.to_square)
        or line.moves[ply + 1].to_square == capture.to_square
        or target in (None, chess.PAWN)
        or board.color_at(capture.to_square) != (not line.winner)
        or capture.to_square not in board.attacks(capture.from_square)
        or line.boards[ply].is_castling(move)
    ):
        return None
    slider, prey = (Piece.at(board, square) for square in (capture.from_square, capture.to_square))
    return Finding("discoveredAttack", ply, ply + 2, "attack", (prey,), slider)
