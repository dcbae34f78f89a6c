"""Removed defender: the guard of a piece is captured, and the piece falls."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import recaptures
from engine.play.captures import value


def find(line: Line, ply: int) -> Finding | None:
    """The capture of a guard after which the winner captures, or mates on, the guarded square."""
    if ply + 2 >= len(line) or line.captured(ply) in (None, chess.PAWN):
        return None
    before, guard, capture = line.boards[ply], line.moves[ply].to_square, line.moves[ply + 2]
    square = capture.to_square
    if square == guard or square not in before.attacks(guard) or before.is_pinned(not line.winner, guard):
        return None
    if line.boards[ply + 3].is_checkmate():
        return Finding("removedDefender", ply, ply + 2, "square", squares=(square,))
    attacked = capture.from_square in before.attackers(line.winner, square)
    if not attacked or line.moves[ply + 1].to_square == square or not falls(line, ply):
        return None
    return Finding("removedDefender", ply, ply + 2, "piece", (Piece.at(before, square),))


def falls(line: Line, ply: int) -> bool:
    """Whether the winner's next move after ``ply`` captures for nothing a piece that had one guard before."""
    before, square = line.boards[ply], line.moves[ply + 2].to_square
    return (
        value(line.captured(ply + 2)) > 1
        and before.color_at(square) == (not line.winner)
        and len(before.attackers(not line.winner, square)) == 1
        and not recaptures(line.boards[ply + 3], square)
    )
