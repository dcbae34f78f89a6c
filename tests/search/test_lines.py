"""Reports of the search are true of its position, which stays as it was."""

import itertools
from collections.abc import Callable

import chess
import pytest
from chess.engine import Limit, Mate

from engine.api import Engine
from engine.board.notation import to_uci
from engine.messages import Info, Limits
from engine.search.scores import MATE
from tests.board.oracle import state_of
from tests.search.conftest import Bare, Searched
from tests.search.conversation import reports, start
from tests.search.kernels import get
from tests.search.positions import varied_boards

BOARDS = varied_boards()


def check_line(board: chess.Board, info: Info) -> None:
    """Every move of the line is legal, and none follows the end of the game."""
    board = board.copy()
    for ply, text in enumerate(info.pv):
        over = board.is_game_over() or board.is_fifty_moves() or board.is_repetition(3)
        assert ply == 0 or not over, f"{board.fen()}: {text} after the end, in {info}"
        move = board.parse_uci(text)  # raises when it is not legal
        board.push(move)


def check_reports(board: chess.Board, infos: list[Info]) -> None:
    assert infos
    for info in infos:
        assert info.pv
        check_line(board, info)
        assert (info.score.cp is None) != (info.score.mate is None)
        assert info.seldepth <= 300
        assert 0 <= info.hashfull <= 1000
    for before, after in itertools.pairwise(infos):
        assert before.depth <= after.depth or (before.score.bound and after.final)  # the iteration was not finished
        assert before.nodes <= after.nodes
        assert before.time <= after.time


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.fen())
def test_all_reports_hold(engine: Engine, board: chess.Board) -> None:
    running = start(engine, Limits(depth=8), board)
    result = running.result()
    check_reports(board, running.infos)
    moves = [result.bestmove, result.ponder] if result.ponder else [result.bestmove]
    assert tuple(moves) == running.infos[-1].pv[:2]


@pytest.mark.parametrize("moves", ["Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", "Nc3 Nc6 Nb1 Nb8 Nc3 Nc6 Nb1 Nb8"])
def test_no_reply_follows_a_third_repetition(engine: Engine, moves: str) -> None:
    """Though the table, after a search of the position that recurs, has one."""
    board = chess.Board()
    engine.analyse(board, Limit(depth=6))
    *before, last = moves.split()
    for move in before:
        board.push_san(move)
    repeated = board.parse_san(last)
    assert engine.analyse(board, Limit(depth=1), root_moves=[repeated]).pv == (repeated,)


def test_lines_stay_legal_over_a_game_with_a_warm_table(engine: Engine) -> None:
    board = chess.Board()
    while not board.is_game_over(claim_draw=True) and board.ply() < 120:
        running = start(engine, Limits(nodes=3000), board)
        result = running.result()
        check_reports(board, running.infos)
        board.push_uci(result.bestmove)
    assert board.ply() > 20


def test_aborted_search_restores_the_position(bare: Callable[..., Bare]) -> None:
    search = bare()
    for board in BOARDS[::4]:
        if board.chess960:
            continue
        search.search(Limits(nodes=1), board.fen())
        before = state_of(search.position)
        for limits in (Limits(depth=6), Limits(nodes=2000), Limits(nodes=777)):
            search.search(limits, board.fen())
            assert state_of(search.position) == before


def test_reports_of_two_threads_hold() -> None:
    with Engine(hash=2, threads=2) as threaded:
        for board in BOARDS[::6]:
            check_reports(board, reports(threaded, board, Limits(depth=9)))


def test_a_search_that_ends_in_a_failed_window_has_a_reply(engine: Engine) -> None:
    """By the table; else the GUI has nothing to ponder on."""
    board, replies = chess.Board("r2q3k/p2P3p/1p3p2/3QP1r1/8/B7/P5PP/2R3K1 w - - 0 1"), []
    for nodes in range(500, 6000, 100):
        engine.new_game()
        result = start(engine, Limits(nodes=nodes), board).result()
        after = board.copy()
        after.push_uci(result.bestmove)
        replies.append(bool(result.ponder) or after.is_game_over())
    assert sum(replies) >= len(replies) - 1


def test_lines_of_an_unfinished_iteration_are_in_order(engine: Engine) -> None:
    for nodes in range(1000, 20_000, 700):
        lines = engine.analyse(BOARDS[0], Limit(nodes=nodes), multipv=4)
        scores = [line.score.relative for line in lines]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("others", ["lines", "searchmoves"])
def test_other_root_moves_leave_the_roots_entry_alone(engine: Engine, searched: Searched, others: str) -> None:
    """The best move among those that are left is not what the root is worth."""
    board = chess.Board("6k1/5ppp/8/8/8/8/q4PPP/3R2K1 w - - 0 1")
    lines = engine.analyse(board, Limit(depth=10), multipv=3 if others == "lines" else 1)
    assert [line.multipv for line in lines] == [1, 2, 3][: len(lines)]
    assert lines[0].score.relative == Mate(1)
    if others == "searchmoves":
        engine.analyse(board, Limit(depth=10), root_moves=[chess.Move.from_uci("g1h1")])
    engine.set_board(board)
    entry = get(searched[-1][1], engine.key())
    assert entry
    assert entry.score == MATE - 1
    assert to_uci(entry.move, False) == "d1d8"
