"""A pawn that queens: it promotes in the line, and the new piece lives."""

from __future__ import annotations

import chess

from engine.explanation.line import Line
from engine.explanation.themes.finding import Finding


def find(line: Line) -> Finding | None:
    """The winner's first promotion that leaves it with one more piece at the end of the line."""
    for ply in line.turns():
        promoted = line.moves[ply].promotion
        if promoted is None or line.balance.winner[promoted] >= 0:
            continue
        file = chess.FILE_NAMES[chess.square_file(line.moves[ply].from_square)]
        ahead = [p for p in line.turns() if p <= ply and line.boards[p].piece_type_at(line.moves[p].from_square) == chess.PAWN]
        start = ahead[0] if ahead and _same_pawn(line, ahead[0], ply) else ply
        if start == ply:
            return Finding("promotion", ply, f"{line.san(ply)} makes a new {chess.piece_name(promoted)}")
        return Finding("promotion", start, f"{line.san(start)} and the {file}-pawn gets through")
    return None


def _same_pawn(line: Line, first: int, last: int) -> bool:
    """Whether the pawn moved at ``first`` is the one that promotes at ``last``."""
    square = line.moves[first].to_square
    for ply in range(first + 2, last + 1, 2):
        if line.moves[ply].from_square == square:
            square = line.moves[ply].to_square
    return square == line.moves[last].to_square
