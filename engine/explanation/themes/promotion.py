"""A pawn that queens: it promotes in the line, and the new piece survives."""

import chess

from engine.explanation.claims import Finding
from engine.explanation.line import Line


def find(line: Line) -> Finding | None:
    """The winner's first promotion to a piece that survives the line."""
    for ply in line.turns():
        if line.moves[ply].promotion and _followed(line, ply, len(line)) is not None:
            start = next(first for first in line.turns() if _same_pawn(line, first, ply))
            return Finding("promotion", start, ply, "now" if start == ply else "later")
    return None


def _same_pawn(line: Line, first: int, last: int) -> bool:
    """Whether the piece moved at ``first`` is the pawn that promotes at ``last``."""
    is_pawn = line.boards[first].piece_type_at(line.moves[first].from_square) == chess.PAWN
    return is_pawn and _followed(line, first, last) == line.moves[last].to_square


def _followed(line: Line, first: int, last: int) -> chess.Square | None:
    """Where the piece moved at ``first`` stands after ``last``; None if it was captured."""
    square = line.moves[first].to_square
    for move in line.moves[first + 1 : last + 1]:
        if move.from_square == square:
            square = move.to_square
        elif move.to_square == square:
            return None
    return square
