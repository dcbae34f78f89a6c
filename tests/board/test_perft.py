"""Perft against published counts, Chess960 included."""

import threading

import chess
import numpy as np
import pytest

from engine.board.perft import perft
from engine.messages import PERFT
from tests.board.oracle import KIWIPETE, position_from, position_of

#: The counts of https://www.chessprogramming.org/Perft_Results.
KNOWN = (
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", (1, 20, 400, 8_902, 197_281, 4_865_609)),
    (KIWIPETE, (1, 48, 2_039, 97_862, 4_085_603)),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", (1, 14, 191, 2_812, 43_238, 674_624, 11_030_083)),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", (1, 6, 264, 9_467, 422_333, 15_833_292)),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", (1, 44, 1_486, 62_379, 2_103_487)),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", (1, 46, 2_079, 89_890, 3_894_594)),
)


@pytest.mark.parametrize(("fen", "counts"), KNOWN)
def test_known_counts(fen: str, counts: tuple[int, ...]) -> None:
    for depth, count in enumerate(counts):
        assert perft(position_from(fen), depth) == count


@pytest.mark.parametrize(("fen", "counts"), KNOWN)
def test_small_counts(fen: str, counts: tuple[int, ...]) -> None:
    """Small enough for every mode: uncompiled too."""
    assert perft(position_from(fen), 2, threads=2) == counts[2]


def test_without_threads_the_count_is_made_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = threading.Thread.start, [1]

    def start(thread: threading.Thread) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise RuntimeError("can't start new thread")
        real(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    assert perft(position_from(KIWIPETE), 4, threads=8) == KNOWN[1][1][4]


def test_an_error_ends_the_count() -> None:
    def refuse(move: str, leaves: int) -> None:
        raise KeyboardInterrupt

    stop = np.zeros(1, np.int64)
    with pytest.raises(KeyboardInterrupt):
        perft(position_from(KIWIPETE), 3, threads=2, on_move=refuse, stop=stop)
    assert stop[0] == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_divide_gives_each_root_move_its_share(threads: int) -> None:
    board = chess.Board(KIWIPETE)
    shares: dict[str, int] = {}
    assert perft(position_from(KIWIPETE), 3, threads, shares.__setitem__) == KNOWN[1][1][3]
    expected = {}
    for move in board.legal_moves:
        board.push(move)
        expected[move.uci()] = perft(position_of(board), 2)
        board.pop()
    assert shares == expected


def test_a_raised_stop_flag_ends_the_count() -> None:
    stop = np.ones(1, np.int64)
    assert perft(position_from(KIWIPETE), 8, stop=stop) == 0


@pytest.mark.parametrize("depth", [-1, PERFT.maximum + 1])
def test_a_depth_out_of_range_is_named(depth: int) -> None:
    with pytest.raises(ValueError, match=f"perft depth {depth} is not in"):
        perft(position_from(KIWIPETE), depth)
