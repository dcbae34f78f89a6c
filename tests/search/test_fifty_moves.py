"""The clock of the 50-move rule is part of what the transposition table knows a position by."""

from collections.abc import Callable

import chess
import pytest

from engine.api import Engine
from engine.messages import Limits, Score
from tests.search.conftest import Bare

ROOK_ENDING = "8/8/8/3k4/8/8/8/K6R w - - {} 80"


@pytest.mark.parametrize("rule50", [60, pytest.param(78, marks=pytest.mark.slow), 82, 90])
def test_a_clock_near_its_end_does_not_blow_the_search_up(engine: Engine, rule50: int) -> None:
    """With one entry for all clocks, scores of other clocks kept the search from ever settling: 273 million nodes."""
    info = engine.search(chess.Board(ROOK_ENDING.format(rule50)), Limits(depth=24, nodes=40_000_000))
    assert info.depth == 24


def test_high_fifty_move_clock_turns_a_win_into_a_draw(engine: Engine) -> None:
    board = chess.Board(ROOK_ENDING.format(0))
    won = engine.search(board, Limits(depth=22)).score
    assert won.mate is not None or (won.cp is not None and won.cp > 300)
    board.halfmove_clock = 94  # the table is full of the search before
    drawn = engine.search(board, Limits(depth=8)).score
    assert drawn == Score(cp=0)


def test_table_mate_beyond_fifty_moves_is_no_mate(bare: Callable[..., Bare]) -> None:
    search = bare()
    fen = "7k/8/8/8/8/8/R7/1R2K3 w - - {} 80"
    assert search.search(Limits(depth=8), fen.format(0)).score > 30_000
    assert abs(search.search(Limits(depth=8), fen.format(98)).score) < 30_000
