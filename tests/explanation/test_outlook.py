"""What is said of a position where nothing happens at once."""

import chess
import pytest
from chess.engine import Cp, PovScore

from engine.explanation.claims import Feature
from engine.explanation.english import gained as won
from engine.explanation.english import sentence
from engine.explanation.lasting import gained, imbalance
from engine.explanation.line import Line
from engine.explanation.outlook import outlook
from tests.explanation.lines import moves


def line(fen: str, sans: str) -> Line:
    board = chess.Board(fen)
    return Line.of(board, moves(board, sans))


def facts(fen: str, sans: str) -> str:
    """What is said beside the move and the standing."""
    return (
        sentence(outlook(line(fen, sans), PovScore(Cp(0), chess.WHITE))).partition("the game is about even.")[2].strip()
    )


@pytest.mark.parametrize(
    ("fen", "found"),
    [
        (chess.STARTING_FEN, None),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", (chess.WHITE, "a pawn")),
        ("3qk3/8/8/8/8/8/8/R3K2R w - - 0 1", (chess.BLACK, "a queen for two rooks")),
        ("r3k3/8/8/8/8/8/8/2B1K3 w - - 0 1", (chess.BLACK, "the exchange")),
        ("r3k3/p7/8/8/8/8/8/2B1K3 w - - 0 1", (chess.BLACK, "the exchange and a pawn")),
        ("r3k3/8/8/8/8/8/PP6/2B1K3 w - - 0 1", (chess.BLACK, "the exchange for two pawns")),
        ("2n1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", None),
        ("2n1k3/8/8/8/8/8/8/2BBK3 w - - 0 1", (chess.WHITE, "a bishop")),
        ("r3k3/8/8/8/8/8/8/1NB1K3 w - - 0 1", (chess.BLACK, "a rook for a bishop and a knight")),
        ("2b3k1/5ppp/2nb4/8/8/8/5PPP/R5K1 w - - 0 1", (chess.BLACK, "two bishops and a knight for a rook")),
    ],
)
def test_who_has_more_material(fen, found):
    ahead = imbalance(chess.Board(fen))
    assert (ahead and (ahead[0], won(ahead[1]))) == found


def test_material_that_is_about_to_be_taken_back_is_not_told():
    """White has taken a knight and its bishop is taken in turn: nobody is a piece up."""
    fen = "r1bqkbnr/1ppp1ppp/p1B5/4p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 4"
    assert imbalance(chess.Board(fen)) is not None
    assert "up" not in facts(fen, "dxc6 O-O Nf6 d3")


@pytest.mark.parametrize(
    ("fen", "sans", "said"),
    [
        ("4k3/p4ppp/8/8/8/8/P4PPP/4K3 w - - 0 1", "Ke2 Ke7 Ke3 Ke6", ""),
        (
            "4k3/5ppp/8/2P5/1P6/8/5PPP/4K3 w - - 0 1",
            *("Ke2 Ke7 Ke3 Ke6", "White is two pawns up and has passed pawns and the better pawn structure."),
        ),
        ("4k3/p1p2p1p/p4p2/8/8/8/PPP2PPP/4K3 b - - 0 1", *("Ke7 Ke2 Ke6 Ke3", "White has the better pawn structure.")),
    ],
)
def test_what_speaks_for_a_side(fen, sans, said):
    assert facts(fen, sans) == said


def test_the_two_bishops_are_told():
    fen = "r3kb1r/pppppppp/2n2n2/8/8/5N2/PPPPPPPP/R1B1KB1R w KQkq - 0 1"
    assert "White has the bishop pair." in facts(fen, "e3 e6 Be2 Be7")
    assert "bishops" not in facts(fen, "e3 e6 Bb5 Be7 Bxc6 dxc6")


def test_what_speaks_against_who_stands_better_is_granted():
    fen = "r1bqkbnr/pppp1ppp/2n5/8/2B1P3/5N2/P4PPP/RNBQ1RK1 w kq - 0 7"
    said = sentence(outlook(line(fen, "Nc3 d6"), PovScore(Cp(200), chess.WHITE)))
    assert said.startswith("Nc3 is the best move; White is clearly better, although Black is two pawns up.")


def test_a_short_line_shows_no_lasting_feature():
    assert facts("4k3/p1p2ppp/p7/8/8/8/PPP2PPP/4K3 w - - 0 1", "Ke2 Ke7 Ke3") == ""


@pytest.mark.parametrize(
    ("score", "other", "start"),
    [
        (20, None, "e4 is the best move; the game is about even."),
        (20, 18, "e4 is the best move, but d4 is hardly worse; the game is about even."),
        (20, -10, "e4 is the best move; the game is about even."),
        (80, -10, "e4 is the best move; White stands better."),
        (80, -80, "e4 is clearly the best move; White stands better."),
        (-120, -600, "e4 is clearly the best move; Black is clearly better."),
    ],
)
def test_the_best_move_and_how_the_game_stands(score, other, start):
    second = other is not None and (chess.Move.from_uci("d2d4"), PovScore(Cp(other), chess.WHITE))
    best = line(chess.STARTING_FEN, "e4 e5 Nf3 Nc6")
    assert sentence(outlook(best, PovScore(Cp(score), chess.WHITE), second or None)).startswith(start)


def test_a_forced_move_is_not_called_best():
    forced = line("6k1/8/8/8/8/8/r7/6rK w - - 0 1", "Kxg1 Kf7 Kf1 Ke6")
    said = sentence(outlook(forced, PovScore(Cp(-900), chess.WHITE)))
    assert said == "Kxg1 is the only move; Black is winning."


def test_what_one_line_brings_and_another_does_not():
    fen = "4k3/pp3p1p/5p2/8/8/5P2/PP3P1P/4K3 w - - 0 1"
    ruined = line("4k3/p1p2p1p/p4p2/8/8/8/PPP2PPP/4K3 b - - 0 1", "Ke7 Ke2 Ke6 Ke3")
    sound = line(fen, "Ke2 Ke7 Ke3 Ke6")
    (feature,) = gained(ruined, sound, chess.WHITE)
    assert isinstance(feature, Feature)
    assert (feature.aspect, feature.color) == ("structure", chess.WHITE)
    for played, best, color in ((ruined, sound, False), (ruined, ruined, True), (sound, ruined, True)):
        assert gained(played, best, color) == ()
