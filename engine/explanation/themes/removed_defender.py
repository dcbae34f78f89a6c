"""Removed defender: the guard of a piece is captured, and the piece falls."""

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import winnable
from engine.play.captures import value


def find(line: Line, ply: int) -> Finding | None:
    """The capture of a guard after which the winner captures, or mates on, the guarded square."""
    if ply + 2 >= len(line) or not line.captured(ply):
        return None
    before, guard, capture = line.boards[ply], line.moves[ply].to_square, line.moves[ply + 2]
    square = capture.to_square
    if square == guard or square not in before.attacks(guard) or before.is_pinned(not line.winner, guard):
        return None
    attacked = capture.from_square in before.attackers(line.winner, square)
    wins = attacked and line.moves[ply + 1].to_square != square and falls(line, ply)
    if wins and len(before.attackers(not line.winner, square)) == 1:
        return Finding("removedDefender", ply, ply + 2, "piece", (Piece.at(before, square),))
    found = Finding("removedDefender", ply, ply + 2, "square", squares=(square,))
    return found if wins or line.boards[ply + 3].is_checkmate() else None


def falls(line: Line, ply: int) -> bool:
    """Whether the winner's next move after ``ply`` captures a piece that could not be won before."""
    before, after, square = line.boards[ply], line.boards[ply + 2], line.moves[ply + 2].to_square
    piece = value(line.captured(ply + 2)) > 1 and before.color_at(square) == (not line.winner)
    return piece and winnable(after, square) > winnable(before, square) + 1
