"""Endings with a bishop that does not control the corner: the search takes them for won, the analysis does not."""

import io
from functools import partial

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Limit, PovScore, PovWdl, Wdl

from engine.analysis.annotate import Annotator
from engine.analysis.judge import Grade, chances_on
from engine.analysis.lines import chances_of
from engine.analysis.wrong_bishop import honest
from engine.api.types import Analysis
from engine.explanation import explain

ROOKS = "8/3k4/5B2/6K1/6R1/P7/6r1/8 b - - 0 71"
LEFT = "8/3k4/5B2/8/6K1/P7/8/8 b - - 0 72"


def annotated(numbat, fen, text):
    game = chess.pgn.read_game(io.StringIO(f'[FEN "{fen}"]\n[SetUp "1"]\n\n{text} *'))
    annotator = Annotator(numbat, Limit(nodes=60_000), "test", explain=partial(explain, marked=True))
    return {judged.san: judged for judged in annotator.annotate(game)}


def test_the_exchange_that_draws_is_no_mistake(numbat):
    judged = annotated(numbat, ROOKS, "71... Rxg4+ 72. Kxg4 Kc6 73. Kf5 Kb7 74. a4 Ka8")
    assert {san: found.grade for san, found in judged.items() if found.grade.bad} == {}
    assert judged["Rxg4+"].score.relative == Cp(0)
    assert judged["Ka8"].score.relative == Cp(0)


def test_the_win_is_given_away(numbat):
    """After Rxg2 White wins by the rook; now the rooks go, and with them the win."""
    judged = annotated(numbat, "8/1k6/5B2/6K1/6R1/P7/6r1/8 w - - 0 71", "71. Be5 Rxg4+ 72. Kxg4 Ka8")
    assert judged["Be5"].grade is Grade.BLUNDER
    assert judged["Be5"].why.startswith("Throws away the win: after Rxg4+ Kxg4 the bishop cannot drive the king from")
    assert not judged["Rxg4+"].grade.bad
    assert not judged["Kxg4"].grade.bad


def test_chances_are_those_of_a_draw():
    board, score = chess.Board(LEFT), PovScore(Cp(355), chess.WHITE)
    draw = Wdl(0, 1000, 0)
    assert chances_on(board, score) == draw
    kept = Analysis(score, pv=(chess.Move.from_uci("d7c8"),), wdl=PovWdl(Wdl(980, 20, 0), chess.WHITE))
    assert chances_of(board, kept) == draw
    left = Analysis(score, pv=(chess.Move.from_uci("d7e6"),))
    assert chances_of(board, left).wins > 900


@pytest.mark.parametrize(("other", "expected"), [(200, 200), (20, 20), (-500, 0)])
def test_a_line_into_the_draw_counts_as_one_and_another_move_may_be_better(other, expected):
    """White's other moves are looked at again: the search preferred the line for a win that there is not."""
    board = chess.Board(ROOKS)
    board.push_san("Rxg4+")
    take = chess.Move.from_uci("g5g4")
    asked = []

    def look(board, moves=None):
        asked.append(moves)
        first = take if moves is None else moves[0]
        return Analysis(PovScore(Cp(355 if moves is None else other), chess.WHITE), pv=(first,))

    found = honest(board, look)
    assert asked == [None, [move for move in board.legal_moves if move != take]]
    assert found.score.white() == Cp(expected)
    assert found.pv[0] == take if expected == 0 else found.pv[0] != take


def test_the_other_side_may_count_on_the_draw_too():
    """Black to move: its line runs into the draw, so what White could play instead decides."""
    board = chess.Board(ROOKS)
    give = chess.Move.from_uci("g2g4")

    def look(board, moves=None):
        if board.turn == chess.BLACK:
            return Analysis(PovScore(Cp(355), chess.WHITE), pv=(give, chess.Move.from_uci("g5g4")))
        return Analysis(PovScore(Cp(355), chess.WHITE), pv=(chess.Move.from_uci("g5g4"),)) if moves is None else (
            Analysis(PovScore(Cp(-500), chess.WHITE), pv=(moves[0],)))  # fmt: skip

    found = honest(board, look)
    assert (found.score.white(), found.pv[0]) == (Cp(0), give)
    assert honest(board, look, [give]).score.white() == Cp(0)


def test_where_nothing_is_known_nothing_is_asked_twice():
    line = Analysis(PovScore(Cp(30), chess.WHITE), pv=(chess.Move.from_uci("e2e4"),))
    asked = []
    assert honest(chess.Board(), lambda board, moves=None: asked.append(moves) or line) is line
    assert asked == [None]
