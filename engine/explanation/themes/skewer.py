"""Skewer: a valuable piece must leave a slider's line of attack, and the piece behind it is lost."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import winnable
from engine.play.captures import value


def find(line: Line, ply: int) -> Finding | None:
    """The front piece steps aside at once, and the one behind is captured."""
    if ply + 2 >= len(line):
        return None
    slider, aside, capture = line.moves[ply : ply + 3]
    board = line.boards[ply + 1]
    if not (
        capture.from_square == slider.to_square
        and line.captured(ply + 2)
        and capture.to_square != aside.to_square
        and aside.from_square in chess.SquareSet.between(slider.to_square, capture.to_square)
        and board.color_at(capture.to_square) == (not line.winner)
        and aside.from_square in board.attacks(slider.to_square)
        and value(board.piece_type_at(aside.from_square)) >= value(board.piece_type_at(capture.to_square))
        and value(board.piece_type_at(aside.from_square)) > value(chess.PAWN)
        and winnable(line.boards[ply + 2], capture.to_square)
    ):
        return None
    front, behind = (Piece.at(board, square) for square in (aside.from_square, capture.to_square))
    return Finding("skewer", ply, ply + 2, targets=(front, behind))
