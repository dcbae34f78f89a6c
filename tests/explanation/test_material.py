"""What captures are worth."""

import chess

from engine.explanation.line import Line
from engine.explanation.material import after_captures, balance, winnable
from tests.explanation.lines import moves


def test_what_the_other_side_could_win():
    board = chess.Board("4k3/1r6/2n5/8/8/5N2/6B1/4K3 b - - 0 1")
    assert winnable(board, chess.C6) == 0  # the knight on f3 is in the way
    board.remove_piece_at(chess.F3)
    assert winnable(board, chess.C6) == 3  # the rook does not guard it
    assert not winnable(board, chess.B7)


def test_captures_that_pay_are_made_until_the_board_is_quiet():
    board = chess.Board("4k3/1p6/2n5/3P4/8/8/6B1/4K3 w - - 0 1")
    assert balance(board, chess.WHITE) == 0
    assert balance(after_captures(board), chess.WHITE) == 3  # dxc6, and bxc6 would cost another pawn
    assert after_captures(chess.Board()) == chess.Board()


def test_lines_end_at_an_illegal_move():
    board = chess.Board()
    line = Line.of(board, [*moves(board, "e4 e5"), chess.Move.from_uci("e1e3")])
    assert len(line) == 2
    assert line.gain == 0
