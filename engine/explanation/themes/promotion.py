"""A pawn that queens: it promotes in the line, and the new piece survives."""

from engine.explanation.claims import Finding
from engine.explanation.line import Line


def find(line: Line, ply: int) -> Finding | None:
    """A promotion at ``ply`` to a piece that survives the line; it begins with the pawn's first move."""
    move, *rest = line.moves[ply:]
    if not move.promotion:
        return None
    square = move.to_square
    for later in rest:
        if later.from_square == square:
            square = later.to_square
        elif later.to_square == square:
            return None
    pawn = move.from_square
    start = next(first for first in line.turns() if line.moves[first].from_square == line.origin(pawn, first, ply))
    return Finding("promotion", start, ply, "now" if start == ply else "later")
