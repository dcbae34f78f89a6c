"""Draws at the end of a line: stalemate, repetition, insufficient material, the wrong bishop."""

from __future__ import annotations

import chess

from engine.explanation.line import Line
from engine.explanation.wrong_bishop import is_drawn, strong


def ending(line: Line) -> tuple[str, int] | None:
    """The kind of draw in which the line ends, and its ply; None if it does not.

    A repetition counts from its second occurrence, as in the search; it is a perpetual check if every move of the
    winner in between is a check.
    """
    for ply, board in enumerate(line.boards[1:], 1):
        if board.is_stalemate():
            return "stalemate", ply
        if board.is_insufficient_material():
            return "material", ply
        if board.is_repetition(2):
            return "repetition", ply
        if is_drawn(board) and _is_forced(line, ply, strong(board)):
            return "bishop", ply
    return None


def _is_forced(line: Line, last: int, color: chess.Color) -> bool:
    """Whether ``color`` had no choice between the line's first move and ``last``: only recaptures and single moves."""
    return all(
        line.boards[ply].is_capture(line.moves[ply]) or line.boards[ply].legal_moves.count() == 1
        for ply in range(1, last)
        if line.boards[ply].turn == color
    )


def is_perpetual(line: Line, last: int) -> bool:
    """Whether every move of the line's winner up to ``last`` is a check, at least two."""
    checks = [line.boards[ply + 1].is_check() for ply in line.turns() if ply < last]
    return len(checks) > 1 and all(checks)
