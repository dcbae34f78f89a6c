"""What is said where no theme, no term and no result is sure: always something, and nothing that scores do not show."""

from __future__ import annotations

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from engine.explanation import explain
from tests.explanation.lines import moves, why

LINES = ("a3", "e4 e5 Nf3 Nc6", "e5 e4 Nf6")


@pytest.mark.parametrize(
    ("had", "has", "text"),
    [
        (80, -80, "After e5 Black stands better; e4 would have kept White's advantage."),
        (90, 0, "After e5 White's advantage is gone; e4 would have kept it."),
        (180, 90, "After e5 White still stands better, but e4 was better by about a pawn."),
        (0, -120, "After e5 Black is clearly better; e4 would have kept the game about level."),
        (20, -20, "After e5 the game is still about level, but e4 was better by about half a pawn."),
        (-110, -150, "After e5 Black's advantage is greater by about half a pawn than after e4."),
        (
            *(-50, -120),
            "After e5 Black's advantage has grown: Black is clearly better, and e4 was better by about half a pawn.",
        ),
    ],
)
def test_how_the_game_stands_and_stood(had, has, text):
    assert why(chess.STARTING_FEN, *LINES, Cp(had), Cp(has)) == text


@pytest.mark.parametrize("scores", [(Cp(900), Cp(600)), (Cp(-500), Cp(-700)), (Cp(30), Cp(25)), (Cp(10), Cp(10))])
@pytest.mark.parametrize("reply", [LINES[2], ""])
def test_of_a_marked_move_something_is_always_said(scores, reply):
    board = chess.Board()
    move = board.push_san("a3")
    after = moves(board, reply)
    board.pop()
    had, has = (PovScore(score, chess.WHITE) for score in scores)
    assert explain(board, move, moves(board, "e4 e5"), after, had, has) is None
    said = explain(board, move, moves(board, "e4 e5"), after, had, has, marked=True)
    assert said is not None
    assert "e4" in said
    assert said.endswith(".")


def test_a_mate_that_no_line_shows_has_its_sentence():
    said = why(chess.STARTING_FEN, "a3", "e4 e5", "", Cp(0), Mate(-4))
    assert said == "Now Black is winning; e4 would have kept the game about level."
