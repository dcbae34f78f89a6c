"""What a score means, in numbers and in words."""

from __future__ import annotations

import doctest
import itertools

import chess
import pytest
from chess.engine import Cp, Mate, MateGiven, PovScore

from engine.analysis import judge, lines
from engine.analysis.judge import Grade, expectation, grade
from engine.chesstypes import Analysis


@pytest.mark.parametrize("module", [judge, lines], ids=lambda module: module.__name__)
def test_the_examples_in_the_documentation_run(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_expectation_grows_with_the_score_and_is_fair():
    scores = [Mate(0), Mate(-1), Mate(-9), *map(Cp, range(-3000, 3001, 50)), Mate(9), Mate(1), MateGiven]
    values = [expectation(score) for score in scores]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (0, 1)
    for score in scores:
        assert expectation(score) + expectation(-score) == pytest.approx(1)


def test_grades_follow_the_loss():
    steps = [0.0, 0.04, 0.05, 0.09, 0.1, 0.14, 0.15, 1.0]
    grades = [grade(loss) for loss in steps]
    wanted = [Grade.FINE, Grade.INACCURACY, Grade.MISTAKE, Grade.BLUNDER]
    assert grades == list(itertools.chain.from_iterable((found, found) for found in wanted))


def test_a_line_is_written_in_san_from_white_s_view():
    board = chess.Board("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2")
    line = Analysis(PovScore(Mate(1), chess.BLACK), (chess.Move.from_uci("d8h4"),), depth=7)
    text = lines.line_text(board, line)
    assert "#-1" in text
    assert "White 0%" in text
    assert text.endswith("2...Qh4#")
    assert lines.score_text(PovScore(Mate(0), chess.WHITE)) == "#-0"
    assert lines.score_text(PovScore(Mate(0), chess.BLACK)) == "#0"
