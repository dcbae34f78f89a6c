"""Overloaded and deflected pieces: a guard has to leave for one square and is missing on another."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.themes.removed_defender import falls


def find(line: Line, ply: int) -> Finding | None:
    """A move that a guard answers by capturing, or a check that it has to parry, so that the piece it guarded falls."""
    if ply + 2 >= len(line):
        return None
    bait, answer, blow = line.moves[ply : ply + 3]
    before, checked, square = line.boards[ply], line.boards[ply + 1], blow.to_square
    takes = answer.to_square == bait.to_square
    if (
        square in (bait.to_square, answer.from_square)
        or not (takes or checked.is_check())
        or before.piece_type_at(answer.from_square) in (None, chess.PAWN)
        or square not in before.attacks(answer.from_square)
        or square in line.boards[ply + 2].attacks(answer.to_square)
        or not (falls(line, ply) or line.boards[ply + 3].is_checkmate())
    ):
        return None
    guard = (Piece.at(before, answer.from_square),)
    if line.captured(ply) and takes and bait.to_square in before.attacks(answer.from_square):
        return Finding("overloaded", ply, ply + 2, "both", guard, squares=(bait.to_square, square))
    return Finding("overloaded", ply, ply + 2, "away", guard, squares=(square,))
