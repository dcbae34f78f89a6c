"""What a score means, in numbers and in words."""

import itertools

import chess
import pytest
from chess.engine import Cp, Mate, MateGiven, PovScore, PovWdl, Score, Wdl

from engine.analysis import judge, lines
from engine.api.types import Analysis
from engine.explanation.grades import Grade, grade, lichess_grade
from engine.explanation.verdicts import chances, expectation


def test_expectation_grows_with_the_score_and_is_fair():
    scores = [Mate(0), Mate(-1), Mate(-9), *map(Cp, range(-3000, 3001, 50)), Mate(9), Mate(1), MateGiven]
    values = [expectation(score) for score in scores]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (0, 1)
    for score in scores:
        assert expectation(score) + expectation(-score) == pytest.approx(1)


def test_chances_are_whole_percents_of_one_whole():
    for score in (Mate(0), Mate(-1), *map(Cp, range(-2000, 2001, 7)), Mate(1), MateGiven):
        for move in (1, 32, 90):
            white, black = (lines.percents(chances(view, move)) for view in (score, -score))
            assert sum(white) == 100
            assert min(white) >= 0
            if white[1]:
                assert white == black[::-1]
    assert lines.percents(Wdl(995, 0, 5)) == (100, 0, 0)


def test_what_the_rules_decide_is_certain():
    for fen, wanted in (
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Wdl(0, 1000, 0)),
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", Wdl(1000, 0, 0)),
        ("4k3/8/8/8/8/8/5PPP/r5K1 w - - 0 1", Wdl(0, 0, 1000)),
    ):
        board = chess.Board(fen)
        score = PovScore(Mate(0) if board.is_checkmate() else Cp(0), board.turn)
        assert judge.chances_on(board, score) == wanted
    claimed = chess.Board("4k3/7p/8/8/8/8/P7/R3K3 w - - 100 80")
    assert judge.chances_on(claimed, PovScore(Cp(0), chess.WHITE), last=True) == Wdl(0, 1000, 0)


def test_the_engines_chances_count_before_those_of_the_score():
    board = chess.Board("8/8/8/8/3k4/8/3P4/3K4 b - - 0 1")
    known = Analysis(PovScore(Cp(0), chess.BLACK), wdl=PovWdl(Wdl(0, 900, 100), chess.BLACK))
    assert lines.chances_of(board, known) == Wdl(100, 900, 0)
    guessed = Analysis(PovScore(Cp(-300), chess.BLACK))
    assert lines.chances_of(board, guessed) == judge.chances_on(board, guessed.score)
    assert lines.chances_of(board, guessed).losses == 0  # Black has a bare king


def test_grades_are_those_of_lichess():
    steps = [0.0, 0.049, 0.05, 0.099, 0.1, 0.149, 0.15, 1.0]
    wanted = [Grade.FINE, Grade.INACCURACY, Grade.MISTAKE, Grade.BLUNDER]
    assert [grade(loss) for loss in steps] == list(itertools.chain.from_iterable((found, found) for found in wanted))
    falls = [(0, 50), (0, -50), (0, -60), (0, -115), (0, -190), (1100, 400), (-400, -1100), (1100, 900)]
    assert [lichess_grade(Cp(before), Cp(after)).glyph for before, after in falls] == [
        "",
        "",
        "?!",
        "?",
        "??",
        "??",
        "??",
        "",
    ]


def test_a_line_is_san_with_white_s_score():
    board = chess.Board("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2")
    line = Analysis(PovScore(Mate(1), chess.BLACK), (chess.Move.from_uci("d8h4"),), depth=7)
    text = lines.line_text(board, line)
    assert "#-1" in text
    assert "White   0%  draw   0%  Black 100%" in text
    assert text.endswith("2...Qh4#")
    assert lines.score_text(PovScore(Mate(0), chess.WHITE)) == "#-0"
    assert lines.score_text(PovScore(Mate(0), chess.BLACK)) == "#0"


@pytest.mark.parametrize(
    ("before", "after", "grade"),
    [
        (Cp(-50), Mate(-2), Grade.BLUNDER),
        (Cp(-750), Mate(-2), Grade.MISTAKE),
        (Cp(-1200), Mate(-2), Grade.INACCURACY),
        (Cp(-2100), Mate(-2), Grade.INACCURACY),
        (Mate(4), Cp(300), Grade.BLUNDER),
        (Mate(4), Cp(800), Grade.MISTAKE),
        (Mate(4), Cp(1100), Grade.INACCURACY),
        (Mate(4), Cp(2100), Grade.INACCURACY),
        (Mate(4), Mate(-3), Grade.BLUNDER),
        (Mate(2), Mate(9), Grade.FINE),
        (Mate(-5), Mate(-2), Grade.FINE),
        (Cp(500), Mate(3), Grade.FINE),
        (Mate(-4), Cp(0), Grade.FINE),
        (Mate(1), MateGiven, Grade.FINE),
    ],
)
def test_mates_are_judged_as_on_lichess(before: Score, after: Score, grade: Grade) -> None:
    assert lichess_grade(before, after) is grade
