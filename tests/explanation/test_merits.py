"""What is said of the best move in a position, the lines being given."""

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from engine.explanation import merit_of, sentence
from tests.explanation.lines import moves


@pytest.mark.parametrize(
    ("fen", "line", "score", "text"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8#", Mate(1), "Ra8# is back-rank mate."),
        (
            "r5k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1",
            *("Qe8+ Rxe8 Rxe8#", Mate(2)),
            "Qe8+ leads to back-rank mate in 2.",
        ),
        ("6rk/6pp/8/6N1/8/8/7P/6QK w - - 0 1", "Nf7#", Mate(1), "Nf7# is smothered mate."),
        ("8/8/8/8/8/5k2/7q/7K w - - 0 1", "Kxh2", Cp(0), "Kxh2 wins the queen."),
        ("8/8/8/8/8/6k1/q7/7K w - - 0 1", "", Mate(-1), None),
        ("7k/8/5K2/8/8/8/8/R7 b - - 0 1", "Kg8 Ra8#", Mate(-2), "Black is mated in 2 whatever it plays."),
        (
            "r3k3/2p5/8/3N4/8/8/8/4K3 w - - 0 1",
            *("Nxc7+ Kd7 Nxa8 Kc8", Cp(900)),
            "Nxc7+ forks the king and the rook on a8 and wins a rook and a pawn.",
        ),
        ("6k1/8/8/8/8/1q6/3p4/6K1 b - - 0 1", *("d1=Q+ Kg2 Qdd5+", Cp(2000)), "d1=Q+ promotes."),
        (
            "8/8/8/7P/1k6/p1q1K3/3Q4/8 w - - 0 30",  # queens are exchanged: what is won is the new one
            *("Qxc3+ Kxc3 h6 Kb2 h7 Kc3 h8=Q+ Kc4 Qd4+ Kb3 Qa1", Cp(700)),
            "Qxc3+ leads to promotion: after Qxc3+ Kxc3, h6 and the h-pawn queens.",
        ),
        (  # one rook is exchanged, the other is won
            "2kr2nr/ppp5/8/6N1/8/8/5PPP/3R2K1 w - - 0 1",
            *("Rxd8+ Kxd8 Nf7+ Ke7", Cp(100), "Rxd8+ wins a rook: Rxd8+ Kxd8 Nf7+."),
        ),
        ("8/r6k/2PP4/8/8/8/8/6K1 w - - 0 1", "c7 Rxc7 dxc7 Kg7 c8=Q Kf6", Cp(900), None),  # another pawn queens
        ("8/P7/8/8/3k4/8/8/1K5R w - - 0 1", "Rd1+ Kc4", Cp(1000), None),  # the pawn could have queened at once
        (chess.STARTING_FEN, "e4 e5", Cp(30), None),
        (  # a pawn is won in the line, but the score is not that of a side with a pawn more
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 3",
            *("Nf3 Nf6 d3 Na5 Nxe5 Nxc4 Nxc4 d5", Cp(24), None),
        ),
    ],
)
def test_what_the_best_move_does(fen, line, score, text):
    board = chess.Board(fen)
    found = merit_of(board, moves(board, line), PovScore(score, board.turn))
    assert (found and sentence(found)) == text


def test_a_recapture_does_not_win_what_was_lost():
    board = chess.Board()
    for move in moves(board, "e4 e5 Nf3 Nc6 d4 exd4"):
        board.push(move)
    assert merit_of(board, moves(board, "Nxd4 Nxd4 Qxd4 d6"), PovScore(Cp(30), chess.WHITE)) is None


@pytest.mark.parametrize(
    ("fen", "move", "threat", "text"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R4RK1 w - - 0 1", "Rfd1", "Ra8#", "Rfd1 threatens mate with Ra8#."),
        ("8/8/6k1/8/8/2K5/6p1/8 b - - 0 1", "Kf5", "g1=Q", "Kf5 threatens to promote with g1=Q."),
        (
            "4k3/1p6/2n5/8/8/8/4B3/4K3 w - - 0 1",
            *("Bb5", "Bxc6+", None),  # it would be taken back
        ),
        ("4k3/8/2n5/8/8/8/4B3/4K3 w - - 0 1", *("Bf3", "Bxc6+", "Bf3 threatens Bxc6+, which wins the knight on c6.")),
    ],
)
def test_a_threat_is_told_from_what_follows_a_pass(fen, move, threat, text):
    board = chess.Board(fen)
    after = board.copy(stack=False)
    after.push_san(move)
    after.push(chess.Move.null())
    line = [board.parse_san(move)]
    found = merit_of(board, line, PovScore(Cp(100), board.turn), [after.parse_san(threat)])
    assert (found and sentence(found)) == text


def test_a_threat_that_is_not_legal_is_none():
    board = chess.Board("4k3/8/2n5/8/8/8/4B3/4K3 w - - 0 1")
    assert merit_of(board, moves(board, "Bf3"), PovScore(Cp(100), board.turn), moves(board, "Bb5")) is None
