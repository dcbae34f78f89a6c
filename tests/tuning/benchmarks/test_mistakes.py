"""How levels err: what kind a mistake is, by its lines, and the command line."""

import chess
import pytest

from engine import Engine
from tests.explanation.lines import moves
from tuning.benchmarks.mistakes import judge, kind_of, main

START = "rnb1kbnr/pppp1ppp/8/4p1q1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3"


@pytest.mark.parametrize(
    ("fen", "played", "best", "kind"),
    [
        (START, "Qg4 Qxg4 Nf3", "Bxg5 f6 Be3", "hung"),
        (START, "Nf3 Qf6 dxe5", "Bxg5 f6 Be3", "missed"),
        ("4r1k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd7 Re1#", "h3 h6", "mate"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "Ra7 g6", "Ra8#", "mate"),
        # The knight takes a pawn and is trapped; it is lost two moves later.
        ("4k3/p1p5/1p6/3N4/8/8/8/4K3 w - - 0 1", "Nxc7+ Kd7 Nd5 Kd6 Ke2 Kxd5", "Nc3 Kd7 Ke2", "capture"),
        ("4k3/2p5/1p6/3N4/8/8/8/4K3 w - - 0 1", "Kd2 Kd7 Kd3 Kd6 Kd2 Kxd5", "Nc3 Kd7 Kd2 Kd6 Kd3", "distance"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "Kd1 Kd7", "Kf2 Ke7", "slow"),
    ],
)
def test_the_kind_of_a_mistake_follows_from_the_lines(fen, played, best, kind):
    board = chess.Board(fen)
    assert kind_of(board, moves(board, played), moves(board, best)) == kind


def test_a_move_is_judged_by_full_strength():
    board = chess.Board(START.replace("RNBQKBNR", "RNB1KBNR"))  # White has no queen, and can take Black's
    with Engine(hash=1) as engine:
        for san, kind in (("Bxg5", ""), ("Bd2", "missed"), ("Nf3", "hung")):
            played = judge(engine, 5000, board, board.parse_san(san))
            assert (played.kind, played.loss >= 150) == (kind, bool(kind)), san
        hanging = chess.Board("r1bqk2r/pppp1ppp/2n2n2/2b5/3QP3/5N2/PPP2PPP/RNB1KB1R w KQkq - 0 6")
        played = judge(engine, 5000, hanging, hanging.parse_san("a3"))
        assert played is None or played.kind == "hung"
        assert judge(engine, 5000, chess.Board("k7/8/8/8/8/8/8/1RRR3K w - - 0 1"), chess.Move.from_uci("b1b2")) is None


def test_the_command_counts(capsys, tmp_path):
    out = tmp_path / "mistakes.jsonl"
    words = ["--elo", "1000", "--positions", "5", "--nodes", "500", "--json", str(out), "--show"]
    assert main(words) == 0
    assert "1000" in capsys.readouterr().out
    assert out.exists()


def test_an_elo_that_no_level_has_is_refused(capsys):
    assert main(["--elo", "9999"]) == 2
    assert "error" in capsys.readouterr().out
