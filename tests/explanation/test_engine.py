"""Explanations with searches of the engine's own, at a fixed number of nodes."""

import random
import threading
from collections.abc import Callable, Iterator

import chess
import pytest

from engine import Engine, Stopped
from engine.api.explaining import what_for, why_bad
from engine.explanation.effort import counted
from engine.explanation.line import Line
from engine.explanation.positional import shift
from engine.explanation.terms import aspects
from engine.messages import Limits
from engine.play.captures import QUIESCENCE_NODES
from tests.explanation.lines import moves
from tests.play.queens import QUEENS, with_queens

NODES = Limits(nodes=50_000)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(hash=4) as running:
        yield running


@pytest.mark.parametrize(
    ("fen", "move", "text"),
    [
        (
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3",
            *("d6", "Allows mate in one with Qxf7#."),
        ),
        (
            "6q1/p6p/6p1/4k3/1P2N3/2B2P2/4K1P1/8 b - - 3 43",
            *("Kd5", "Loses the queen for a bishop, and with it the win: Nf6+ forks the king and the queen on g8."),
        ),
        (chess.STARTING_FEN, "Nf3", None),
    ],
)
def test_a_move_is_explained(engine, fen, move, text):
    board = chess.Board(fen)
    engine.new_game()
    said = engine.explain(board, board.parse_san(move), NODES)
    assert said == text if text else said.endswith(".")


def test_a_position_is_explained(engine):
    engine.new_game()
    board = chess.Board("q3k3/pp3ppp/8/1N6/8/8/PPP2PPP/4K2R w K - 0 1")
    said = engine.explain(board, limit=NODES)
    assert said.startswith("Nc7+ forks the king and the queen on a8 and wins the queen")


def test_where_no_theme_is_sure_the_verdict_on_the_game_is_told(engine):
    engine.new_game()
    said = engine.explain(chess.Board(), limit=NODES)
    assert said.endswith(" is the best move; the game is about even."), said


def test_a_game_that_is_over_is_told(engine):
    mated = chess.Board("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1")
    assert engine.explain(mated) == "The game is over: checkmate."
    assert engine.explain(chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")) == "The game is over: a draw."


def test_the_engines_own_position_stays(engine):
    engine.set_position(None, ["e2e4"])
    before = engine.fen()
    engine.explain(chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"), limit=NODES)
    assert engine.fen() == before


def test_a_move_that_is_not_legal_is_named(engine):
    with pytest.raises(ValueError, match="e2e5"):
        engine.explain(chess.Board(), chess.Move.from_uci("e2e5"))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((chess.STARTING_FEN,), "for a FEN use chess.Board"),
        ((chess.Board(), "e4"), "use chess.Move.from_uci"),
        ((chess.Board(), chess.Move.from_uci("e2e4"), 0.5), r"Limit\(time=0.5\)"),
    ],
)
def test_arguments_of_another_kind_are_named(engine, arguments, text):
    with pytest.raises(TypeError, match=text):
        engine.explain(*arguments)


def test_tables_have_a_say(engine, tables_folder):
    engine.set_option("SyzygyPath", str(tables_folder))
    try:
        board = chess.Board("8/8/8/8/8/5k2/r7/4K2R w - - 0 1")
        assert engine.table_outcome(board) is not None
        assert engine.table_outcome(chess.Board()) is None
        board = chess.Board("8/1K6/3k4/8/8/2P5/8/8 w - - 0 1")
        said = engine.explain(board, board.parse_san("Ka6"), NODES)
        assert "Kb6" in said
        assert "tablebases" in said
        assert engine.explain(board, limit=NODES) == ("White is winning according to the tablebases; only Kb6 wins.")
        drawn = chess.Board("8/8/8/3k4/8/8/3r4/3RK3 b - - 0 1")
        drawn.remove_piece_at(chess.D2)
        assert engine.explain(drawn, limit=NODES) == "Black is lost according to the tablebases."
        alike = chess.Board("8/8/r7/3k4/8/8/7R/4K3 w - - 0 1")
        assert engine.explain(alike, limit=NODES).startswith("It is a draw according to the tablebases")
    finally:
        engine.set_option("SyzygyPath", "")


def test_the_terms_see_a_torn_shelter():
    whole = chess.Board("r1bq1rk1/ppp2ppp/2n5/8/8/2N5/PPP2PPP/R1BQ1RK1 w - - 0 1")
    torn = chess.Board("r1bq1rk1/ppp2ppp/2n5/8/6PP/2N5/PPP2P2/R1BQ1RK1 w - - 0 1")
    assert aspects(torn)[chess.WHITE]["king"] < aspects(whole)[chess.WHITE]["king"] - 25
    assert aspects(torn)[chess.BLACK]["passed"] == aspects(whole)[chess.BLACK]["passed"]


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
def test_an_explanation_takes_no_more_than_its_steps(engine, queens):
    chance = random.Random(queens)
    boards = [with_queens(queens, chance) for _ in range(8)] if queens else [chess.Board(QUEENS)]
    for board in boards:
        for move in (None, chance.choice(list(board.legal_moves))):
            with counted() as effort:
                assert _explained(engine, board, move).endswith("."), board.fen()
            assert 0 < effort.steps <= STEPS, board.fen()


def _explained(engine: Engine, board: chess.Board, move: chess.Move | None) -> str:
    """The explanation, within the caller's count of steps."""

    def look(position: chess.Board):
        return engine.analyse(position, Limits(nodes=5_000))

    return why_bad(board, move, look) if move else what_for(board, look)


def _elsewhere(task: Callable[[], object]) -> None:
    """Run ``task`` in another thread, to its end."""
    thread = threading.Thread(target=task)
    thread.start()
    thread.join()


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_stop_from_another_thread_ends_the_search_of_an_explanation(engine, monkeypatch, delay):
    """Also one just before the search begins, which forgets it."""
    place = engine.set_board

    def set_board(board: chess.Board) -> None:
        place(board)
        if delay:
            threading.Timer(delay, engine.stop).start()
        else:
            _elsewhere(engine.stop)

    monkeypatch.setattr(engine, "set_board", set_board)
    with pytest.raises(Stopped):
        engine.explain(chess.Board(), limit=Limits(nodes=10**12))
    monkeypatch.undo()
    assert engine.explain(chess.Board(), limit=NODES).endswith("."), "the next one is not stopped"


def test_stop_between_the_searches_ends_an_explanation(engine, monkeypatch):
    """Where nothing is searched, at the next step."""
    asked = []

    def outcome(board: chess.Board) -> int:
        asked.append(board)
        _elsewhere(engine.stop)
        return 0

    monkeypatch.setattr(engine, "table_outcome", outcome)
    with pytest.raises(Stopped):
        engine.explain(chess.Board(), limit=NODES)
    assert len(asked) == 1


def test_explanations_in_two_threads_take_turns(engine):
    said: list[str] = []
    threads = [
        threading.Thread(target=lambda: said.append(engine.explain(chess.Board(), limit=NODES))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 2
