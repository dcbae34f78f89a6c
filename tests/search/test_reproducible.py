"""One thread is deterministic, and a new game knows nothing of the one before."""

import chess
import pytest

from engine.api import Engine
from engine.messages import Limits
from tests.search.conftest import HASH
from tests.search.conversation import reports
from tests.search.positions import random_board

BOARDS = [chess.Board(), *(random_board(seed, 30) for seed in range(4))]
DEPTH = 8


def course(engine: Engine, board: chess.Board) -> list[tuple]:
    """All that a search reports but times."""
    infos = reports(engine, board, Limits(depth=DEPTH))
    return [(info.depth, info.seldepth, info.score, info.nodes, info.hashfull, info.pv) for info in infos]


def test_the_same_search_takes_the_same_course_after_a_new_game(engine: Engine) -> None:
    first = []
    for board in BOARDS:
        engine.new_game()
        first.append(course(engine, board))
    for board, expected in zip(BOARDS, first, strict=True):
        engine.search(chess.Board(), Limits(nodes=1000))  # aborted, and forgotten by the new game
        engine.new_game()
        assert course(engine, board) == expected


def test_a_second_engine_takes_the_same_course(engine: Engine) -> None:
    with Engine(hash=HASH) as other:
        for board in BOARDS:  # without a new game in between: what is carried over is the same too
            assert course(other, board) == course(engine, board)


@pytest.mark.parametrize(("option", "value"), [("Clear Hash", None), ("Hash", 5), ("Threads", 1)])
def test_options_between_searches_do_no_harm(engine: Engine, option: str, value: int | None) -> None:
    board = BOARDS[3]
    engine.search(board, Limits(depth=DEPTH))
    engine.set_option(option, value)
    after = engine.search(board, Limits(depth=1))
    assert after.pv
    if option != "Threads":  # the table was emptied or replaced
        assert after.hashfull == 0
