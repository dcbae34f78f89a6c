"""Scores of endings that the search takes for won although a bishop of the wrong colour cannot win them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import chess
from chess.engine import Cp, PovScore

from engine.api.types import Analysis
from engine.explanation.wrong_bishop import after, is_drawn, strong

#: Searches a board, or some of its moves alone.
Look = Callable[[chess.Board, Sequence[chess.Move] | None], Analysis]

#: Plies of a line in which such an ending is looked for.
_FAR = 12


def honest(board: chess.Board, look: Look, moves: Sequence[chess.Move] | None = None) -> Analysis:
    """What ``look`` finds, unless it counts on a win that is known to be a draw.

    Then the line is worth a draw, and the side that cannot win so may have a better move: the others are looked at too.
    """
    found = look(board, moves)
    if not found.pv:
        return found
    choice = list(moves) if moves is not None else list(board.legal_moves)
    if is_drawn(board):
        kept = [move for move in (found.pv[0], *choice) if keeps(board, move)]
        if not kept:
            return found
        return _drawn(found) if kept[0] == found.pv[0] else replace(_drawn(found), pv=(kept[0],))
    winner = _deceived(board, found)
    if winner is None:
        return found
    if winner == board.turn:
        choice.remove(found.pv[0])
        other = honest(board, look, choice) if choice else None
        return other if other and other.score.pov(winner) > Cp(0) else _drawn(found)
    answered = board.copy()
    answered.push(found.pv[0])
    answer = honest(answered, look)
    if answer.score.pov(winner) >= found.score.pov(winner):
        return found
    return replace(found, score=answer.score, pv=(found.pv[0], *answer.pv), wdl=None)


def keeps(board: chess.Board, move: chess.Move) -> bool:
    """Whether ``board`` is surely drawn after ``move``."""
    return (is_drawn(board) and strong(board) == board.turn) or is_drawn(after(board, move))


def _deceived(board: chess.Board, found: Analysis) -> chess.Color | None:
    """Who is said to be better in a line that comes to such a draw; None if nobody is."""
    for move in found.pv[:_FAR]:
        board = after(board, move)
        if is_drawn(board):
            return strong(board) if found.score.pov(strong(board)) > Cp(0) else None
    return None


def _drawn(found: Analysis) -> Analysis:
    return replace(found, score=PovScore(Cp(0), found.score.turn), wdl=None)
