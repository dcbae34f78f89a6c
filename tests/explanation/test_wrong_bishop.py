"""The bishop that does not control the corner: what is known to be drawn is drawn by the endgame tables too."""

import doctest
import itertools
import random

import chess
import pytest
from chess.engine import Cp, PovScore

from engine.explanation import explain_position, wrong_bishop
from engine.explanation.wrong_bishop import is_drawn
from tests.explanation.lines import moves, why
from tuning.benchmarks.endings import random_board

#: Black to move takes on g4 with check, and what is left is a draw.
ROOKS = "8/3k4/5B2/6K1/6R1/P7/6r1/8 b - - 0 71"
LEFT = "8/3k4/5B2/8/6K1/P7/8/8 b - - 0 72"


def test_the_examples_in_the_documentation_run():
    result = doctest.testmod(wrong_bishop)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    ("fen", "drawn"),
    [
        (LEFT, True),
        ("8/3k4/5B2/8/6K1/P7/8/8 w - - 0 72", True),
        ("8/3k4/5B2/1K6/8/P7/8/8 w - - 0 72", False),  # the other king is as near
        ("8/3k4/4B3/8/6K1/P7/8/8 b - - 0 72", False),  # a bishop of the right colour
        ("k7/8/1K6/P7/P7/8/3B4/5B2 w - - 0 72", False),  # one of each
        ("k7/8/1K6/P7/P7/8/3B4/4B3 w - - 0 72", True),
        ("k7/8/1K6/P7/1P6/8/3B4/8 w - - 0 72", False),  # a pawn that queens elsewhere
        ("k7/7p/1K6/P7/8/8/3B4/8 w - - 0 72", False),  # a pawn that has to move when its king cannot
        ("8/8/2K2B2/P7/8/8/5k2/8 b - - 0 72", False),  # too far away
        ("k7/P7/1K6/8/8/8/8/8 w - - 0 72", False),  # no bishop
    ],
)
@pytest.mark.parametrize("transform", [chess.Board.copy, chess.Board.mirror])
@pytest.mark.parametrize("flip", [False, True])
def test_which_positions_are_drawn(fen, drawn, transform, flip):
    """For White and for Black, on the left and on the right, which change places with the colours of the squares."""
    board = transform(chess.Board(fen))
    if flip:
        board.apply_transform(chess.flip_horizontal)
    assert is_drawn(board) is drawn


def test_what_is_drawn_by_the_rule_is_drawn_by_the_tables(oracle):
    """Positions at random; the one beneath takes all of them."""
    chance, drawn = random.Random(1), 0
    for _ in range(20_000):
        board = random_board("KBPvK", chance)
        if is_drawn(board):
            drawn += 1
            assert oracle.probe_wdl(board) == 0, board.fen()
    assert drawn > 300


@pytest.mark.slow
def test_all_that_is_drawn_by_the_rule_is_drawn_by_the_tables(oracle):
    drawn = 0
    squares = itertools.product(range(8, 56, 8), range(64), range(64), range(64), chess.COLORS)
    for pawn, bishop, strong, king, turn in squares:
        if len({pawn, bishop, strong, king}) < 4 or chess.square_distance(strong, king) < 2:
            continue
        board = chess.Board.empty()
        board.set_piece_at(pawn, chess.Piece(chess.PAWN, chess.WHITE))
        board.set_piece_at(bishop, chess.Piece(chess.BISHOP, chess.WHITE))
        board.set_piece_at(strong, chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(king, chess.Piece(chess.KING, chess.BLACK))
        board.turn = turn
        if is_drawn(board) and not board.was_into_check():
            drawn += 1
            assert oracle.probe_wdl(board) == 0, board.fen()
    assert drawn > 100_000


def test_a_win_given_away_for_the_wrong_bishop():
    """White takes the last pawn instead of the rook's exchange: no bishop drives the king from a8."""
    fen = "8/1k6/5B2/6K1/6R1/P7/6r1/8 w - - 0 71"
    said = why(fen, "Be5", "Rxg2 Kc6 Kf5 Kd5 Rg4", "Rxg4+ Kxg4 Kc6 Kf5 Kd5 Bf6", Cp(900), Cp(350))
    assert said == "Throws away the win: after Rxg4+ Kxg4 the bishop cannot drive the king from the corner a8."


def test_a_line_is_no_draw_if_its_side_had_another_move():
    """White need not go to g3, so that the line's end says nothing of the move before."""
    fen, best = "8/3k4/5B2/8/6K1/P7/8/6n1 w - - 0 71", "Bd4 Nh3 Kxh3"
    said = why(fen, "Kf4", best, "Nh3+ Kg3 Ng5 Bxg5 Kc6", Cp(900), Cp(350))
    assert said is None or "win" not in said
    said = why(fen, "Kf4", best, "Nh3+ Kg3 Ng5 Bxg5 Kc6", Cp(900), Cp(0)) or ""
    assert "corner" not in said


def test_the_move_that_comes_to_the_draw_is_no_mistake():
    """A search takes the ending for lost, and other moves for better."""
    assert why(ROOKS, "Rxg4+", "Ra2 a4 Ke6", "Kxg4 Kc6 Kf5 Kd5", Cp(-154), Cp(-355)) is None


@pytest.mark.parametrize(
    ("fen", "line", "text"),
    [
        (ROOKS, "Ra2 a4", "Rxg4+ holds the draw: after Kxg4 the bishop cannot drive the king from the corner a8."),
        (LEFT, "Kc6 Kf5", "Kc6 holds the draw: the bishop cannot drive the king from the corner a8."),
        (LEFT, "Ke6 Kf4", "Kc8 holds the draw: the bishop cannot drive the king from the corner a8."),
        (
            "k7/8/1K6/P7/8/8/3B4/8 w - - 0 72",
            "Bf4",
            "It is a draw: the bishop cannot drive the king from the corner a8.",
        ),
    ],
)
def test_a_position_that_is_drawn_is_told_as_one(fen, line, text):
    board = chess.Board(fen)
    score = PovScore(Cp(355), chess.WHITE)
    assert explain_position(board, moves(board, line), score) == text


def test_an_exchange_that_does_not_draw_is_not_told():
    """The king is too far from the corner, or the bishop controls it."""
    for fen in ("8/8/5B2/6K1/6R1/P7/6r1/3k4 b - - 0 71", "8/3k3B/8/6K1/6R1/P7/6r1/8 b - - 0 71"):
        said = explain_position(chess.Board(fen), moves(chess.Board(fen), "Ra2 a4"), PovScore(Cp(355), chess.WHITE))
        assert "draw" not in (said or "")
