"""Every form of ``go``, against the real process."""

import re
import threading
import time

import chess
import pytest

from engine.messages import CHESS960, Limits
from engine.uci.output import Output
from engine.uci.parse import Go, Placement
from engine.uci.session import Session
from tests.uci.process import COLD_TIMEOUT, UciProcess


def search(uci: UciProcess, go: str, board: chess.Board | None = None) -> list[str]:
    """Send ``go``; check that the answer is legal and that the last report before it has a score."""
    board = board or chess.Board()
    lines = uci.ask(go, until="bestmove")
    reports = [line for line in lines if line.startswith("info depth")]
    assert reports, lines
    assert " score " in reports[-1]
    assert lines[:-1] == [line for line in lines if line.startswith("info ")]
    words = lines[-1].split()
    move = board.parse_uci(words[1])
    if len(words) > 2:
        board = board.copy()
        board.push(move)
        board.parse_uci(words[3])
    return lines


@pytest.mark.parametrize(
    "limits",
    [
        "movestogo 1 wtime 200 btime 200",
        "depth 4 nodes 100000000 movetime 10000 searchmoves a2a3 h2h3",
        "movetime 0",
        "nodes 1",
    ],
)
def test_every_kind_of_limit_ends_in_a_legal_move(uci, limits):
    search(uci, f"go {limits}")


def test_last_report_and_bestmove_share_one_write():
    """Each write takes from the clock."""

    class Recorder(Output):
        def line(self, text: str) -> None:
            written.append(text)
            if "bestmove" in text:
                answered.set()

    written: list[str] = []
    answered = threading.Event()
    session = Session(Recorder())
    session.open()
    session.set_position(Placement(None))
    session.go(Go(Limits(nodes=5000)))
    assert answered.wait(COLD_TIMEOUT)
    assert session.close()
    assert re.fullmatch(r"info depth .* nodes 5000 .*\nbestmove .*", written[-1])


def test_a_limit_too_small_is_named_and_still_ends_the_search(uci):
    (remark,) = [line for line in search(uci, "go movetime -5") if line.startswith("info string")]
    assert remark == "info string go: movetime takes a whole number of milliseconds, 0 or more, not -5"


def test_infinite_pondering_goes_on_after_ponderhit(uci):
    uci.send("go ponder infinite wtime 100 btime 100")
    uci.read("info depth 2 ")
    uci.send("ponderhit")
    time.sleep(0.3)
    assert not any(line.startswith("bestmove") for line in uci.synchronise())
    uci.send("stop")
    uci.read("bestmove")


def test_a_chess960_position_outlives_the_option(uci):
    """Its castling would otherwise be written as a king's move onto its own square."""
    board = chess.Board("4k3/8/8/8/8/8/8/6KR w H - 0 1", chess960=True)
    uci.send(f"position fen {board.fen(shredder=True)}")
    uci.send("setoption name UCI_Chess960 value false")
    lines = search(uci, "go depth 3 searchmoves g1h1", board)
    assert lines[-1].split()[1] == "g1h1"
    assert [line for line in lines if line.startswith("info string")] == [f"info string {CHESS960}"]


def test_after_a_ponder_miss_the_new_position_is_searched(uci):
    """The GUI stops and at once sends what was really played."""
    uci.send("position startpos moves e2e4 e7e5", "go ponder wtime 1000 btime 1000")
    uci.synchronise()
    uci.send("stop", "position startpos moves e2e4 c7c5", "go wtime 300 btime 300")
    assert "info string" not in "".join(uci.read("bestmove"))
    move = uci.read("bestmove")[-1].split()[1]
    board = chess.Board(uci.fen())
    assert board.parse_uci(move)
    assert board.piece_at(chess.C5) is not None


def test_stop_without_a_search_is_harmless(uci):
    assert uci.remarks("stop", "stop", "ponderhit") == []
    search(uci, "go depth 3")
