"""A rook's pawn and a king in its corner: the win that was given away, and the draw that is held."""

import chess
import pytest
from chess.engine import Cp, PovScore

from engine.explanation import merit_of, sentence
from tests.explanation.lines import moves, why


def test_a_win_given_away_for_the_wrong_bishop():
    """White should have taken the rook: no bishop drives the king from a8."""
    said = why("8/1k6/5B2/6K1/6R1/P7/6r1/8 w - - 0 71", "Be5", "Rxg2 Kc6 Kf5", "Rxg4+ Kxg4", Cp(900), Cp(0))
    assert said == "Throws away the win: after Rxg4+ Kxg4 the king cannot be driven from the corner."


@pytest.mark.parametrize(
    ("fen", "line", "text"),
    [
        (
            "8/3k4/5B2/6K1/6R1/P7/6r1/8 b - - 0 71",
            "Rxg4+ Kxg4 Kc8 Kf5 Kb8",
            "Rxg4+ holds the draw: after Kxg4 Kc8 Kf5 Kb8 the king cannot be driven from the corner.",
        ),
        ("8/1k6/5B2/8/6K1/P7/8/8 b - - 0 72", "Ka8", "Ka8 holds the draw: the king cannot be driven from the corner."),
        ("k7/8/1K6/P7/8/8/3B4/8 w - - 0 72", "Bc3", "It is a draw: the king cannot be driven from the corner."),
        ("8/8/8/8/p7/1k6/8/K7 w - - 0 72", "Kb1", "Kb1 holds the draw: the king cannot be driven from the corner."),
    ],
)
def test_a_draw_in_the_corner_is_told(fen, line, text):
    board = chess.Board(fen)
    assert sentence(merit_of(board, moves(board, line), PovScore(Cp(0), chess.WHITE))) == text
