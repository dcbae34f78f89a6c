"""Reasons for mistakes: mates and draws, tables, the opposition, material lost and missed, and the scores alone."""

import chess
import pytest

from engine.explanation import reason_of
from tests.explanation.lines import case_of, cases, short

ROOKS = "8/8/8/8/3k4/8/r7/4K2R w - - 0 1"
OPPOSED = "8/1K6/3k4/8/8/2P5/8/8 w - - 0 1"


@pytest.mark.parametrize(("case", "claim"), [(cells, claim) for *cells, claim in cases("reason")])
def test_the_reason_is_claimed(case, claim):
    assert short(reason_of(case_of(*case))) == claim


@pytest.mark.parametrize(
    ("case", "results", "claim"),
    [
        ((OPPOSED, "Ka8", "Kb6 Kd5 Kc7", "Kc6", "20000 0"), {chess.WHITE: 2, chess.BLACK: 0}, "tables 2 0"),
        ((OPPOSED, "Ka6", "Kb6 Kd5", "Kc6", "20000 0"), {chess.WHITE: 2, chess.BLACK: 0}, "tables 2 0, opposition win"),
        ((ROOKS, "Rh8", "Rh4+ Kc3", "Ra1+ Ke2", "0 -20000"), {chess.WHITE: 0, chess.BLACK: 2}, "tables 0 -2"),
        ((ROOKS, "Kf1", "Rh4+ Kc3", "Kc3", "0 -150"), {chess.WHITE: 0, chess.BLACK: 0}, "tables 0 0"),
    ],
)
def test_tables_decide(case, results, claim):
    assert short(reason_of(case_of(*case), lambda board: results[board.turn])) == claim


@pytest.mark.parametrize("scores", ["900 600", "-500 -700", "30 25", "10 10"])
@pytest.mark.parametrize("reply", ["e5 e4 Nf6", ""])
def test_a_marked_move_always_has_a_reason(scores, reply):
    line = ("startpos", "a3", "e4 e5", reply)
    assert reason_of(case_of(*line, scores)) is None
    found = short(reason_of(case_of(*line, f"{scores} marked")))
    assert not {"None", "slightly", "either"} & set(found.split())
