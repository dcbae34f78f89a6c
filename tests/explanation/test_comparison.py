"""What is said where no theme, no term and no result is sure: always something, and nothing that scores do not show."""

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from engine.explanation import Case, explain
from tests.explanation.lines import moves, why

LINES = ("a3", "e4 e5 Nf3 Nc6", "e5 e4 Nf6")


@pytest.mark.parametrize(
    ("had", "has", "text"),
    [
        (80, -140, "After e5 Black is clearly better; e4 would have kept White's advantage."),
        (190, 90, "After e5 White still stands better; e4 was probably better."),
        (110, 10, "After e5 much of White's advantage is gone; e4 would have kept it."),
        (60, -40, "After e5 neither side is clearly better; e4 was probably better."),
        (80, -15, "After e5 much of White's advantage is gone; e4 would have kept it."),
        (50, -45, "After e5 neither side is clearly better; e4 was probably better."),
        (-70, -170, "After e5 Black's advantage has grown, and Black is clearly better; e4 was probably better."),
        (-50, -150, "After e5 Black is clearly better; e4 was probably better."),
        (-40, -230, "After e5 Black is clearly better; e4 was probably better."),  # not surely winning
        (-150, -270, "After e5 Black's advantage has grown, and Black is winning; e4 was probably better."),
        # A search that finds a loss of less than a pawn may be wrong about who is better for it: only what holds for
        # both moves is said.
        (70, 0, "Now Black has e5; e4 was slightly better."),
        (0, -85, "Now Black has e5; e4 was slightly better."),
        (150, 80, "After e5 White still stands better; e4 would not have changed that."),
        (-80, -115, "After e5 Black still stands better; e4 would not have changed that."),
        (-80, -150, "After e5 Black is clearly better; e4 would also have left Black better."),
        (-185, -270, "After e5 Black is winning; e4 would also have left Black clearly better."),
    ],
)
def test_how_the_game_stands_and_stood(had, has, text):
    assert why(chess.STARTING_FEN, *LINES, Cp(had), Cp(has)) == text


@pytest.mark.parametrize(
    ("had", "has", "full", "brief"),
    [
        (20, -140, "After e5 Black is clearly better; e4 was probably better.", "After e5 Black is clearly better."),
        (20, -60, "Now Black has e5; e4 was slightly better.", "Now Black has e5."),
        (0, -800, "After e5 Black is winning; e4 was better.", "After e5 Black is winning."),
        (400, 180, *["After e5 White is still clearly better; e4 was better by two or three pawns."] * 2),
        (80, -80, *["After e5 White's advantage is gone; e4 would have kept it."] * 2),
    ],
)
def test_what_was_better_can_be_left_out_where_its_cost_is_not_said(had, has, full, brief):
    board = chess.Board()
    line = moves(board, "a3 e5 e4 Nf6")
    scores = PovScore(Cp(had), chess.WHITE), PovScore(Cp(has), chess.WHITE)
    case = Case(board, line[0], moves(board, "e4 e5"), line, *scores)
    assert (explain(case), explain(case, skip_better=True)) == (full, brief)


@pytest.mark.parametrize("scores", [(Cp(900), Cp(600)), (Cp(-500), Cp(-700)), (Cp(30), Cp(25)), (Cp(10), Cp(10))])
@pytest.mark.parametrize("reply", [LINES[2], ""])
def test_of_a_marked_move_something_is_always_said(scores, reply):
    case = (chess.STARTING_FEN, "a3", "e4 e5", reply, *scores)
    assert why(*case) is None
    said = why(*case, marked=True)
    assert "e4" in said
    assert said.endswith(".")
    assert "slightly" not in said
    assert "would not have changed" not in said


@pytest.mark.parametrize(
    ("had", "has", "text"),
    [
        (-270, -350, "Black was winning anyway; e4 was probably better."),
        (-270, -450, "Black was winning anyway; e4 was probably better."),
        (-270, -600, "Black was winning anyway; e4 was better."),
        (900, 600, "After e5 White is still winning; e4 was probably better."),  # may not matter
    ],
)
def test_a_mark_in_a_decided_game_is_not_said_to_decide_it(had, has, text):
    assert why(chess.STARTING_FEN, *LINES, Cp(had), Cp(has)) is None
    assert why(chess.STARTING_FEN, *LINES, Cp(had), Cp(has), marked=True) == text


@pytest.mark.parametrize(("distance", "told"), [(10, True), (11, False)])
def test_a_mate_far_away_is_told_as_a_lost_game(distance, told):
    said = why(chess.STARTING_FEN, *LINES, Cp(0), Mate(-distance)) or ""
    assert said.startswith("Allows mate in 10") is told
    assert said.startswith("After e5 Black is winning") is not told


def test_a_mate_that_no_line_shows_has_its_sentence():
    said = why(chess.STARTING_FEN, "a3", "e4 e5", "", Cp(0), Mate(-4))
    assert said == "Now Black is winning; e4 was better."


def test_moves_that_are_written_alike_are_numbered():
    """Both sides have a move d4."""
    board = "rnbqkbnr/ppp2ppp/8/3pp3/8/2N5/PPPPPPPP/R1BQKBNR w KQkq - 0 3"
    assert why(board, "a3", "d3 d4", "d4 Nb1", Cp(0), Cp(-140)) == (
        "After d4 Black is clearly better; d3 was probably better."
    )
    said = why("4k3/8/8/3p4/8/8/3P4/4K3 w - - 0 30", "d3", "d4", "d4", Cp(0), Cp(-160))
    assert said == "After 30...d4 Black is clearly better; 30.d4 was probably better."


def test_what_a_term_of_the_evaluation_tells_comes_with_its_cost_and_is_no_reason_for_a_mark():
    """Where something must be said the scores are surer: of four terms that were told of marks two were false."""
    fen = "r2q1rk1/pbp2ppp/1pn2n2/3p4/3P4/2N2N1P/PPP2PP1/R1BQ1RK1 w - - 0 15"
    case = (fen, "g4", "Bf4 Qd7 Rb1 Rfe8 Rc1 Rad8", "Qd7 Bf4 Rfe8 Rb1 Rad8", Cp(0), Cp(-140))
    cost = "After Qd7 Black is clearly better; Bf4 was probably better."
    assert why(*case) == f"No material is lost at once, but White's king is less safe than after Bf4. {cost}"
    assert why(*case, marked=True) == cost


def test_what_the_other_side_has_gained_is_told_of_a_small_loss():
    """Black takes back with a bishop pair to come; in the best line each side has one bishop less or none more."""
    fen = "r1bq1rk1/pp4bp/n4np1/2pp4/8/2N1PN1P/PP2BPP1/R1BQ1RK1 w - - 0 12"
    best, reply, scores = "b3 Bd7 Bb2 Qe7 Rc1 Rad8", "bxa6 b3 Bb7 Ba3 Qe7", (Cp(30), Cp(-50))
    assert why(fen, "Bxa6", best, reply, *scores) == "After bxa6 Black has the bishop pair; b3 was slightly better."
    assert why(fen, "Bxa6", "b3 Bd7 Bb2", "bxa6", *scores) == "Now Black has bxa6; b3 was slightly better."
    assert why(fen, "Bxa6", best, reply, *scores, marked=True) == (
        "After bxa6 neither side is clearly better; b3 was probably better."
    )
    # Two pieces up, White has more than bishops to think of.
    assert "bishops" not in why(fen.replace("r1bq1", "3q1"), "Bxa6", "b3 Qe7 Bb2", "bxa6", *scores)
