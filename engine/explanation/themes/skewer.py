"""Skewer: a valuable piece must leave a slider's line of attack, and the piece behind it is lost."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import winnable
from engine.play.captures import value


def find(line: Line, ply: int) -> Finding | None:
    """The front piece steps aside immediately, and one of the slider's next two moves captures the one behind."""
    if ply + 2 >= len(line):
        return None
    slider, aside = line.moves[ply : ply + 2]
    board = line.boards[ply + 1]
    later = next(
        (at for at in range(ply + 2, min(ply + 5, len(line)), 2) if line.moves[at].from_square == slider.to_square),
        None,
    )
    if later is None or not line.captured(later):
        return None
    behind = line.moves[later].to_square
    if not (
        behind == line.origin(behind, ply + 1, later)
        and aside.from_square in chess.SquareSet.between(slider.to_square, behind)
        and board.color_at(behind) == (not line.winner)
        and aside.from_square in board.attacks(slider.to_square)
        and value(board.piece_type_at(aside.from_square)) >= value(board.piece_type_at(behind))
        and value(board.piece_type_at(aside.from_square)) > value(chess.PAWN)
        and winnable(line.boards[ply + 2], behind)
    ):
        return None
    return Finding("skewer", ply, later, targets=(Piece.at(board, aside.from_square), Piece.at(board, behind)))
