"""Removed defender: the guard of a piece is captured, and the piece falls."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import recaptures
from engine.play.captures import value


def find(line: Line) -> Finding | None:
    """The first capture of a guard after which the winner captures, or mates on, the guarded square."""
    for ply in line.turns():
        if ply + 2 >= len(line):
            return None
        guard = line.moves[ply].to_square
        if line.captured(ply) in (None, chess.PAWN):
            continue
        before, capture = line.boards[ply], line.moves[ply + 2]
        square = capture.to_square
        if square == guard or square not in before.attacks(guard) or before.is_pinned(not line.winner, guard):
            continue
        if line.boards[ply + 3].is_checkmate():
            return Finding("removedDefender", ply, ply + 2, "square", squares=(square,))
        if (
            line.captured(ply + 2)
            and line.moves[ply + 1].to_square != square
            and before.color_at(square) == (not line.winner)
            and value(line.captured(ply + 2)) > 1
            and len(before.attackers(not line.winner, square)) == 1
            and not recaptures(line.boards[ply + 3], square)
            and capture.from_square in before.attackers(line.winner, square)
        ):
            return Finding("removedDefender", ply, ply + 2, "piece", (Piece.at(before, square),))
    return None
