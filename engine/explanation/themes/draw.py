"""Draws by the rules at the end of a line: stalemate, repetition, no material to win with."""

from __future__ import annotations

from engine.explanation.line import Line


def ending(line: Line) -> tuple[str, int] | None:
    """How the line ends drawn, and after how many plies; None if it does not.

    A repetition counts from its second occurrence, as the search counts it; it is a perpetual check if every move
    of the winner in between is a check.
    """
    for ply, board in enumerate(line.boards[1:], 1):
        if board.is_stalemate():
            return "stalemate", ply
        if board.is_insufficient_material():
            return "material", ply
        if board.is_repetition(2):
            return "repetition", ply
    return None


def is_perpetual(line: Line, last: int) -> bool:
    """Whether the winner of the line checks with each of its moves up to ``last``, twice at least."""
    checks = [line.boards[ply + 1].is_check() for ply in line.turns() if ply < last]
    return len(checks) > 1 and all(checks)
