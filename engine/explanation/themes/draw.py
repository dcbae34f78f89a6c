"""Draws at the end of a line: stalemate, repetition, insufficient material, the corner of a rook's pawn."""

from typing import Literal

import chess
from chess.engine import Score

from engine.board.setup import new_position
from engine.evaluation.endgames import is_rook_pawn_draw
from engine.explanation.line import Line
from engine.play.boards import put_board

_MAX_DRAW_CP = 30  # centipawns up to which a score can mean a draw


def is_level(score: Score) -> bool:
    """Whether ``score`` can mean a draw."""
    return abs(score.score(mate_score=10_000)) <= _MAX_DRAW_CP


def ending(line: Line) -> tuple[Literal["stalemate", "material", "perpetual", "repetition", "corner"], int] | None:
    """The kind of draw in which the line ends, and its ply; None if it does not. A position counts as a repetition when
    it occurs a second time, moves of the game before the line included: by perpetual check if every move of the line's
    winner was a check, at least two."""
    for ply, board in enumerate(line.boards[1:], 1):
        if board.is_stalemate():
            return "stalemate", ply
        if board.is_insufficient_material():
            return "material", ply
        if board.is_repetition(2):
            checks = [line.boards[turn + 1].is_check() for turn in line.turns() if turn < ply]
            return "perpetual" if len(checks) > 1 and all(checks) else "repetition", ply
        if _is_cornered(board):
            return "corner", ply
    return None


def _is_cornered(board: chess.Board) -> bool:
    """Whether a lone king has the draw in the corner of a rook's pawn."""
    if all(board.occupied_co[color] & ~board.kings for color in chess.COLORS):
        return False
    position = new_position()
    put_board(position, board, board.chess960)
    return bool(is_rook_pawn_draw(position))
