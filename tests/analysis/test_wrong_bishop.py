"""Games that come to a bishop that does not control the corner: the search itself knows that they are drawn."""

import io
from functools import partial

import chess.pgn
from chess.engine import Cp, Limit

from engine.analysis.annotate import Annotator
from engine.analysis.judge import Grade
from engine.explanation import explain


def annotated(numbat, fen, text):
    game = chess.pgn.read_game(io.StringIO(f'[FEN "{fen}"]\n[SetUp "1"]\n\n{text} *'))
    annotator = Annotator(numbat, Limit(nodes=60_000), "test", explain=partial(explain, marked=True))
    return {judged.san: judged for judged in annotator.annotate(game)}


def test_the_exchange_that_draws_is_no_mistake(numbat):
    judged = annotated(
        numbat, "8/3k4/5B2/6K1/6R1/P7/6r1/8 b - - 0 71", "71... Rxg4+ 72. Kxg4 Kc6 73. Kf5 Kb7 74. a4 Ka8"
    )
    assert {san: found.grade for san, found in judged.items() if found.grade.bad} == {}
    assert judged["Rxg4+"].score.relative == Cp(0)
    assert judged["Ka8"].score.relative == Cp(0)


def test_the_win_is_given_away(numbat):
    """After Rxg2 White wins by the rook; now the rooks go, and with them the win."""
    judged = annotated(numbat, "8/1k6/5B2/6K1/6R1/P7/6r1/8 w - - 0 71", "71. Be5 Rxg4+ 72. Kxg4 Ka8")
    assert judged["Be5"].grade is Grade.BLUNDER
    assert judged["Be5"].why == "Throws away the win: after Rxg4+ Kxg4 the king cannot be driven from the corner."
    assert not judged["Rxg4+"].grade.bad
    assert not judged["Kxg4"].grade.bad
