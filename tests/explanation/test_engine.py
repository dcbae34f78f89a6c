"""Explanations with searches of the engine's own, at a fixed number of nodes."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import pytest

from engine import Engine
from engine.explanation.line import Line
from engine.explanation.positional import shift
from engine.explanation.terms import aspects
from engine.messages import Limits
from tests.explanation.lines import moves

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
            *("d6", "Allows mate at once with Qxf7#."),
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
    former = engine.fen()
    engine.explain(chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"), limit=NODES)
    assert engine.fen() == former


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
        assert "endgame tables" in said
        assert engine.explain(board, limit=NODES) == (
            "White is winning according to the endgame tables; only Kb6 wins."
        )
        drawn = chess.Board("8/8/8/3k4/8/8/3r4/3RK3 b - - 0 1")
        drawn.remove_piece_at(chess.D2)
        assert engine.explain(drawn, limit=NODES) == "Black is lost according to the endgame tables."
        alike = chess.Board("8/8/r7/3k4/8/8/7R/4K3 w - - 0 1")
        assert engine.explain(alike, limit=NODES).startswith("It is a draw according to the endgame tables")
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
    assert found is not None
    assert (found.aspect, found.own) == ("king", True)
    assert found.loss > 25
    assert shift(best, best) is None
