"""Static exchange evaluation against a plain Python version, and by hand."""

import chess
import numpy as np
import pytest

from engine.board.notation import find_move, to_uci
from engine.board.position import MOVE_LIST
from engine.board.see import SEE_VALUES, see_ge
from engine.board.setup import legal_moves
from engine.jit import new_record
from tests.board import kernels
from tests.board.exchange import VALUES, exchange
from tests.board.oracle import position_from, position_of

#: Each sum that an exchange can come to lies between two of these, or on one.
THRESHOLDS = np.arange(-1000, 1901, 50)

#: Position, move, value: the exchanges that people check by hand.
CASES = (
    ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
    ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -200),
    ("4k3/8/3p4/4p3/3P4/8/8/4K3 w - - 0 1", "d4e5", 0),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
    ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
    ("3rk3/8/8/3pP3/8/8/8/3RK3 w - d6 0 1", "e5d6", 100),  # the taken pawn bares the rook's file
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 800),
    ("3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7d8q", 500 + 800 - 900),
    ("3r2k1/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7d8n", 500 + 200),
    ("1r4k1/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", 500 + 800),
    ("6k1/8/8/3r4/8/8/3R4/3Q2K1 w - - 0 1", "d2d5", 500),
    ("3r2k1/8/8/3p4/8/8/3R4/3Q2K1 w - - 0 1", "d2d5", 100),  # taking back would only trade rooks
    ("8/8/8/3k4/3p4/8/3R4/3RK3 w - - 0 1", "d2d4", 100),  # the king may not take
    ("8/8/8/3k4/3p4/8/3R4/4K3 w - - 0 1", "d2d4", -400),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", 0),
    ("4k3/8/3p4/8/8/8/8/2B1K3 w - - 0 1", "c1f4", 0),
    ("4k3/8/8/4p3/8/8/8/2B1K3 w - - 0 1", "c1f4", -300),
    ("4k3/8/4n3/2p5/8/1N6/8/4RK2 w - - 0 1", "b3c5", 100),  # the knight is pinned
    ("4k3/8/4n3/2p5/8/1N6/8/5K2 w - - 0 1", "b3c5", -200),
    ("4k3/8/3bn3/2p5/3N4/8/8/4RK2 w - - 0 1", "d4e6", 300),  # nothing pins the bishop
    ("4k3/4b3/1p6/2p5/4R3/N7/8/4RK2 w - - 0 1", "a3c4", 0),
)


def test_the_values_are_those_of_the_definition() -> None:
    assert SEE_VALUES.tolist() == [*VALUES.values(), 0, 0]


@pytest.mark.parametrize(("fen", "text", "value"), CASES)
def test_see_agrees_with_exchanges_counted_by_hand(fen: str, text: str, value: int) -> None:
    board, position = chess.Board(fen), position_from(fen)
    assert exchange(board, chess.Move.from_uci(text)) == value
    move = find_move(position, text)
    assert see_ge(position, move, value)
    assert not see_ge(position, move, value + 1)


def test_every_legal_move_of_many_positions(boards: list[chess.Board]) -> None:
    moves = new_record(MOVE_LIST)
    answers = np.zeros((256, len(THRESHOLDS)), np.bool_)
    captures = 0
    for board in boards[::9]:
        position = position_of(board)
        count = int(legal_moves(position, moves))
        kernels.see_bounds(position, moves, count, THRESHOLDS, answers)
        for index, number in enumerate(moves["move"][:count].tolist()):
            move = board.parse_uci(to_uci(number, board.chess960))
            expected = exchange(board, move)
            assert answers[index].tolist() == (expected >= THRESHOLDS).tolist(), (board.fen(), move, expected)
            captures += board.is_capture(move)
    assert captures > 200
