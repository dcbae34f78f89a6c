"""The outlook of a position where nothing happens at once."""

import chess
import pytest
from chess.engine import Cp, PovScore

from engine.explanation.assessment import imbalance, outlook
from tests.explanation.lines import line_of, short


def facts(fen: str, sans: str) -> dict[chess.Color, list[str]]:
    """The advantages of each side."""
    found = outlook(line_of(fen, sans), PovScore(Cp(0), chess.WHITE)).facts
    return {color: [short(fact) for fact in advantages] for color, advantages in found}


@pytest.mark.parametrize(
    ("fen", "found"),
    [
        (chess.STARTING_FEN, None),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", (chess.WHITE, "P")),
        ("3qk3/8/8/8/8/8/8/R3K2R w - - 0 1", (chess.BLACK, "Q-RR")),
        ("r3k3/8/8/8/8/8/8/2B1K3 w - - 0 1", (chess.BLACK, "exchange")),
        ("r3k3/p7/8/8/8/8/8/2B1K3 w - - 0 1", (chess.BLACK, "exchange P")),
        ("r3k3/8/8/8/8/8/PP6/2B1K3 w - - 0 1", (chess.BLACK, "exchange -PP")),
        ("2n1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", None),
        ("2n1k3/8/8/8/8/8/8/2BBK3 w - - 0 1", (chess.WHITE, "B")),
        ("r3k3/8/8/8/8/8/8/1NB1K3 w - - 0 1", (chess.BLACK, "R-BN")),
        ("2b3k1/5ppp/2nb4/8/8/8/5PPP/R5K1 w - - 0 1", (chess.BLACK, "BBN-R")),
    ],
)
def test_who_has_more_material(fen, found):
    ahead = imbalance(chess.Board(fen))
    assert (ahead and (ahead[0], short(ahead[1]))) == found


@pytest.mark.parametrize(
    ("fen", "sans", "found"),
    [
        # White has taken a knight, and its bishop is taken in turn.
        ("r1bqkbnr/1ppp1ppp/p1B5/4p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 4", "dxc6 O-O Nf6 d3", {}),
        ("4k3/p4ppp/8/8/8/8/P4PPP/4K3 w - - 0 1", "Ke2 Ke7 Ke3 Ke6", {}),
        ("4k3/5ppp/8/2P5/1P6/8/5PPP/4K3 w - - 0 1", "Ke2 Ke7 Ke3 Ke6", {True: ["PP", "passed", "structure"]}),
        ("4k3/p1p2p1p/p4p2/8/8/8/PPP2PPP/4K3 b - - 0 1", "Ke7 Ke2 Ke6 Ke3", {True: ["structure"]}),
        ("4k3/p1p2ppp/p7/8/8/8/PPP2PPP/4K3 w - - 0 1", "Ke2 Ke7 Ke3", {}),  # a short line shows nothing lasting
    ],
)
def test_lasting_advantages(fen, sans, found):
    assert {color: told for color, told in facts(fen, sans).items() if "bishops" not in told} == found


def test_the_bishop_pair_must_last():
    fen = "r3kb1r/pppppppp/2n2n2/8/8/5N2/PPPPPPPP/R1B1KB1R w KQkq - 0 1"
    assert "bishops" in facts(fen, "e3 e6 Be2 Be7")[chess.WHITE]
    assert "bishops" not in facts(fen, "e3 e6 Bb5 Be7 Bxc6 dxc6").get(chess.WHITE, [])


@pytest.mark.parametrize(
    ("score", "other", "choice", "level"),
    [
        (20, None, "best", 0),
        (20, 18, "hardly", 0),
        (20, -10, "best", 0),
        (80, -10, "best", 1),
        (80, -80, "clearly", 1),
        (-120, -600, "clearly", -2),
    ],
)
def test_the_best_move_and_how_the_game_stands(score, other, choice, level):
    second = None if other is None else (chess.Move.from_uci("d2d4"), PovScore(Cp(other), chess.WHITE))
    found = outlook(line_of(chess.STARTING_FEN, "e4 e5 Nf3 Nc6"), PovScore(Cp(score), chess.WHITE), second)
    assert (found.choice, found.level) == (choice, level)


def test_a_forced_move_is_the_only_one():
    forced = line_of("6k1/8/8/8/8/8/r7/6rK w - - 0 1", "Kxg1 Kf7 Kf1 Ke6")
    assert outlook(forced, PovScore(Cp(-900), chess.WHITE)).choice == "only"
