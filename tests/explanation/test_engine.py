"""Explanations with searches of the engine's own, at a fixed number of nodes."""

import random
import re
import threading
from collections.abc import Callable, Sequence
from functools import partial

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from engine import Engine, Stopped
from engine.api.explaining import claim_of
from engine.api.types import Analysis
from engine.explanation import sentence
from engine.explanation.effort import count_steps
from engine.messages import Limits, Signals
from engine.play.captures import QUIESCENCE_NODES
from tests.explanation.lines import board_of, moves, short
from tests.play.queens import QUEENS, with_queens

NODES = Limits(nodes=50_000)


def claimed(engine: Engine, fen: str, move: str | None = None) -> str:
    """The claim in short, which ``explain`` puts into words. Each search has a clear table."""
    board = board_of(fen)

    def look(board: chess.Board, root_moves: Sequence[chess.Move] | None = None) -> Analysis:
        engine.new_game()
        return engine.analyse(board, NODES, root_moves=root_moves)

    asked = board.parse_san(move) if move else None
    claim = claim_of(board, asked, look, engine.table_outcome)
    assert engine.explain(board, asked, NODES) == sentence(claim)
    return short(claim)


@pytest.mark.parametrize(
    ("fen", "move", "claim"),
    [
        ("6q1/p6p/6p1/4k3/1P2N3/2B2P2/4K1P1/8 b - - 3 43", "Kd5", "loses fork/fork Q-B and the win"),
        ("q3k3/pp3ppp/8/1N6/8/8/PPP2PPP/4K2R w K - 0 1", None, "wins fork/fork Q"),
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", None, "over checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", None, "over draw"),
    ],
)
def test_what_is_claimed(shared, fen, move, claim):
    assert claimed(shared, fen, move) == claim


def test_where_no_theme_is_sure_the_verdict_on_the_game_is_told(shared):
    assert re.match(r"outlook \w+ 0\b", claimed(shared, "startpos"))


def test_a_mate_allowed_in_a_lost_game_is_told():
    lost = chess.Board("4r1k1/4rppp/8/8/8/8/5PPP/5K2 w - - 0 1")

    def look(board: chess.Board, root_moves: object = None) -> Analysis:
        score, line = (Cp(-900), "g3") if board == lost else (Mate(-1), "Re1#")
        return Analysis(score=PovScore(score, chess.WHITE), pv=tuple(moves(board, line)))

    assert short(claim_of(lost, lost.parse_san("Kg1"), look)) == "allows backRankMate 1"


def test_an_explanation_does_not_depend_on_earlier_searches(shared):
    board = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p1N1/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 5 4")
    moves = [None, *map(board.parse_san, ("h6", "d5", "Nxe4"))]
    said = [[shared.explain(board, move, NODES) for move in order] for order in (moves, moves)]
    shared.new_game()
    assert said[0] == said[1] == [shared.explain(board, move, NODES) for move in moves]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((chess.STARTING_FEN,), TypeError, "for a FEN use chess.Board"),
        ((chess.Board(), "e4"), TypeError, "use chess.Move.from_uci"),
        ((chess.Board(), chess.Move.from_uci("e2e4"), 0.5), TypeError, r"Limit\(time=0.5\)"),
        ((chess.Board(), chess.Move.from_uci("e2e5")), ValueError, "e2e5"),
    ],
)
def test_arguments_that_cannot_be_are_named(shared, arguments, error, text):
    with pytest.raises(error, match=text):
        shared.explain(*arguments)


def test_explanations_use_tablebases(shared, tables_folder):
    shared.set_option("SyzygyPath", str(tables_folder))
    try:
        board = chess.Board("8/8/8/8/8/5k2/r7/4K2R w - - 0 1")
        assert shared.table_outcome(board) is not None
        assert shared.table_outcome(chess.Board()) is None
        shared.configure(syzygyprobelimit=3)
        assert shared.table_outcome(board) is None
        shared.configure(syzygyprobelimit=7, syzygy50moverule=False)
        late = chess.Board("7k/8/8/8/8/8/1R6/K7 w - - 90 80")
        assert shared.table_outcome(late) == 2
        shared.configure(syzygy50moverule=True)
        assert shared.table_outcome(late) == 1
        assert claimed(shared, "8/1K6/3k4/8/8/2P5/8/8 w - - 0 1", "Ka6").startswith("tables 2 0")
        assert claimed(shared, "8/1K6/3k4/8/8/2P5/8/8 w - - 0 1") == "tables 2 Kb6"
        assert claimed(shared, "8/8/8/3k4/8/8/8/3RK3 b - - 0 1") == "tables -2"
        assert claimed(shared, "8/8/r7/3k4/8/8/7R/4K3 w - - 0 1").startswith("tables 0 ")
    finally:
        shared.set_option("SyzygyPath", "")


#: Steps of an explanation at most: its lines have some 60 boards, each searched once, and the rest is a few hundred.
STEPS = 60 * QUIESCENCE_NODES


@pytest.mark.parametrize("queens", [0, 3, 4, 5])
def test_an_explanation_takes_no_more_than_its_steps(shared, queens):
    chance = random.Random(queens)
    boards = [with_queens(queens, chance) for _ in range(8)] if queens else [chess.Board(QUEENS)]
    for board in boards:
        for move in (None, chance.choice(list(board.legal_moves))):
            with count_steps() as effort:
                claim = claim_of(board, move, partial(shared.analyse, limit=Limits(nodes=5_000)))
                assert sentence(claim).endswith("."), board.fen()
            assert 0 < effort.steps <= STEPS, board.fen()


def _elsewhere(task: Callable[[], object]) -> None:
    """Run ``task`` in another thread, to its end."""
    thread = threading.Thread(target=task)
    thread.start()
    thread.join()


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_stop_from_another_thread_ends_an_explanation(shared, delay):
    signals = Signals()
    threading.Timer(delay, signals.stop).start()
    with pytest.raises(Stopped):
        shared.explain(chess.Board(), limit=Limits(nodes=10**12), signals=signals)
    assert shared.explain(chess.Board(), limit=NODES).endswith("."), "the next one is not stopped"


def test_stop_between_the_searches_ends_an_explanation(shared, monkeypatch):
    """Where nothing is searched, at the next step."""
    asked = []

    def outcome(board: chess.Board) -> int:
        asked.append(board)
        _elsewhere(shared.stop)
        return 0

    monkeypatch.setattr(shared, "table_outcome", outcome)
    with pytest.raises(Stopped):
        shared.explain(chess.Board(), limit=NODES)
    assert len(asked) == 1


def test_explanations_in_two_threads_take_turns(shared):
    said: list[str] = []
    threads = [
        threading.Thread(target=lambda: said.append(shared.explain(chess.Board(), limit=NODES))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 2
