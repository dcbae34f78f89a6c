"""Explanations with searches of the engine's own, at a fixed number of nodes."""

import random
import threading
from collections.abc import Callable
from functools import partial

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from engine import Engine, Stopped
from engine.api.explaining import claim_of
from engine.api.types import Analysis
from engine.explanation import sentence
from engine.explanation.effort import counted
from engine.explanation.line import Line
from engine.explanation.positional import shift
from engine.messages import Limits, Signals
from engine.play.captures import QUIESCENCE_NODES
from tests.explanation.lines import moves
from tests.play.queens import QUEENS, with_queens

NODES = Limits(nodes=50_000)


@pytest.mark.parametrize(
    ("fen", "move", "text"),
    [
        (
            "6q1/p6p/6p1/4k3/1P2N3/2B2P2/4K1P1/8 b - - 3 43",
            *("Kd5", "Loses the queen for a bishop, and with it the win: Nf6+ forks the king and the queen on g8."),
        ),
        (chess.STARTING_FEN, "Nf3", None),
    ],
)
def test_a_move_is_explained(shared, fen, move, text):
    board = chess.Board(fen)
    shared.new_game()
    said = shared.explain(board, board.parse_san(move), NODES)
    assert said == text if text else said.endswith(".")


def test_a_position_is_explained(shared):
    shared.new_game()
    board = chess.Board("q3k3/pp3ppp/8/1N6/8/8/PPP2PPP/4K2R w K - 0 1")
    said = shared.explain(board, limit=NODES)
    assert said.startswith("Nc7+ forks the king and the queen on a8 and wins the queen")


def test_where_no_theme_is_sure_the_verdict_on_the_game_is_told(shared):
    shared.new_game()
    said = shared.explain(chess.Board(), limit=NODES)
    assert said.endswith("; the game is about even."), said


def test_a_mate_allowed_in_a_lost_game_is_told():
    lost = chess.Board("4r1k1/4rppp/8/8/8/8/5PPP/5K2 w - - 0 1")

    def look(board: chess.Board, root_moves: object = None) -> Analysis:
        score, line = (Cp(-900), "g3") if board == lost else (Mate(-1), "Re1#")
        return Analysis(score=PovScore(score, chess.WHITE), pv=tuple(moves(board, line)))

    assert sentence(claim_of(lost, lost.parse_san("Kg1"), look)) == "Allows back-rank mate in one with Re1#."


def test_an_explanation_does_not_depend_on_earlier_searches(shared):
    board = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p1N1/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 5 4")
    moves = [None, *map(board.parse_san, ("h6", "d5", "Nxe4"))]
    said = [[shared.explain(board, move, NODES) for move in order] for order in (moves, moves)]
    shared.new_game()
    assert said[0] == said[1] == [shared.explain(board, move, NODES) for move in moves]


def test_a_game_that_is_over_is_told(shared):
    mated = chess.Board("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1")
    assert shared.explain(mated) == "The game is over: checkmate."
    assert shared.explain(chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")) == "The game is over: a draw."


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


def test_tables_have_a_say(shared, tables_folder):
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
        board = chess.Board("8/1K6/3k4/8/8/2P5/8/8 w - - 0 1")
        said = shared.explain(board, board.parse_san("Ka6"), NODES)
        assert "Kb6" in said
        assert "tablebases" in said
        assert shared.explain(board, limit=NODES) == ("White is winning according to the tablebases; only Kb6 wins.")
        drawn = chess.Board("8/8/8/3k4/8/8/3r4/3RK3 b - - 0 1")
        drawn.remove_piece_at(chess.D2)
        assert shared.explain(drawn, limit=NODES) == "Black is lost according to the tablebases."
        alike = chess.Board("8/8/r7/3k4/8/8/7R/4K3 w - - 0 1")
        assert shared.explain(alike, limit=NODES).startswith("It is a draw according to the tablebases")
    finally:
        shared.set_option("SyzygyPath", "")


def test_the_aspect_that_suffers_most_is_named():
    board = chess.Board("r1bq1rk1/ppp2ppp/2n2n2/3p4/3P4/2N2N2/PPP2PPP/R1BQ1RK1 w - - 0 1")
    best = Line.of(board, moves(board, "Bf4 Bf5 Qc1 Qc8 Rd1 Rd8"))
    played = Line.of(board, moves(board, "g4 Bd7 Bf4 Qc8 Rb1 Rd8"), winner=chess.BLACK)
    found = shift(played, best)
    assert (found.aspect, found.own) == ("king", True)
    assert found.loss > 25
    assert shift(best, best) is None


#: Steps of an explanation at most: its lines have some 60 boards, each searched once, and the rest is a few hundred.
STEPS = 60 * QUIESCENCE_NODES


@pytest.mark.parametrize("queens", [0, 3, 4, 5])
def test_an_explanation_takes_no_more_than_its_steps(shared, queens):
    chance = random.Random(queens)
    boards = [with_queens(queens, chance) for _ in range(8)] if queens else [chess.Board(QUEENS)]
    for board in boards:
        for move in (None, chance.choice(list(board.legal_moves))):
            with counted() as effort:
                assert _explained(shared, board, move).endswith("."), board.fen()
            assert 0 < effort.steps <= STEPS, board.fen()


def _explained(engine: Engine, board: chess.Board, move: chess.Move | None) -> str:
    """The explanation, within the caller's count of steps."""

    return sentence(claim_of(board, move, partial(engine.analyse, limit=Limits(nodes=5_000))))


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
