"""Every form of ``go``, against the real process."""

import itertools
import re
import threading
import time

import chess
import pytest

from engine.messages import Limits
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


def last_report(lines: list[str]) -> dict[str, str]:
    """Words that are followed by a number in the last report."""
    words = [line for line in lines if " score " in line][-1].split()
    return dict(itertools.pairwise(words))


@pytest.mark.parametrize(
    "limits",
    [
        "wtime 100",
        "btime 100",
        "wtime 100 btime 100",
        "wtime 100 winc 10 btime 100 binc 10",
        "binc 10 winc 10 btime 100 wtime 100",
        "movestogo 1 wtime 200 btime 200",
        "wtime 1000 btime 1000 movestogo 40",
        "movetime 50",
        "depth 5",
        "nodes 5000",
        "mate 1 movetime 100",
        "movetime 50 wtime 100000 btime 100000",
        "depth 4 nodes 100000000 movetime 10000 searchmoves a2a3 h2h3",
        "wtime 1 btime 1",
        "wtime 0 btime 0",
        "wtime -100 btime -100",
        "movetime 0",
        "nodes 1",
        "wtime 999999999999 btime 999999999999 depth 3",
    ],
)
def test_every_kind_of_limit_ends_in_a_legal_move(uci, limits):
    search(uci, f"go {limits}")


@pytest.mark.parametrize("lines", [1, 3])
def test_the_last_report_has_all_nodes(uci, lines):
    uci.send(f"setoption name MultiPV value {lines}")
    said = search(uci, "go nodes 20000")
    uci.send("setoption name MultiPV value 1")
    for rank, line in enumerate(said[-1 - lines : -1], 1):
        report = last_report([line])
        assert (report["multipv"], report["nodes"]) == (str(rank), "20000")
        assert {"time", "nps", "hashfull", "pv"} <= report.keys()


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
    session.place(Placement(None))
    session.go(Go(Limits(nodes=5000)))
    assert answered.wait(COLD_TIMEOUT)
    assert session.close()
    assert re.fullmatch(r"info depth .* nodes 5000 .*\nbestmove .*", written[-1])


def test_movetime_is_used_and_kept_to(uci):
    sent = uci.send("go movetime 500")
    took = uci.read_timed("bestmove")[-1].time - sent
    assert 0.3 < took < 10  # seconds; the upper bound only says that it ends


def test_mate_is_found(uci):
    board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    uci.send(f"position fen {board.fen()}")
    lines = search(uci, "go mate 1", board)
    assert lines[-1].startswith("bestmove a1a8")
    assert any("score mate 1 " in line for line in lines)


@pytest.mark.parametrize("go", ["go movetime -5", "go depth 0", "go mate 0 depth 3"])
def test_limits_too_small_are_named_and_still_end_the_search(uci, go):
    said = search(uci, go)
    assert said[-1] != "bestmove 0000"
    (remark,) = [line for line in said if line.startswith("info string")]
    assert remark.startswith(f"info string go: {go.split()[1]} takes a whole number of ")
    assert remark.endswith(f", not {go.split()[2]}")


@pytest.mark.parametrize("go", ["go wtime -100 btime 5", "go wtime 0 btime -1 winc 0 binc 0 movestogo 0"])
def test_a_clock_may_run_out(uci, go):
    """A GUI may subtract too much from it."""
    said = search(uci, go)
    assert said[-1] != "bestmove 0000"
    assert not [line for line in said if line.startswith("info string")]


@pytest.mark.parametrize("go", ["go movetime inf", "go depth 1e3"])
def test_malformed_limit_is_named_and_ignored(uci, go):
    uci.send(go)
    said = uci.read("info depth 2 ") + uci.synchronise()
    (remark,) = [line for line in said if line.startswith("info string")]
    assert remark.startswith(f"info string go: {go.split()[1]} takes a whole number of ")
    uci.ask("stop", until="bestmove [a-h]")


@pytest.mark.parametrize("go", ["go movetime 999999999999999999", "go wtime 999999999999999999"])
def test_huge_limits_search_until_stop(uci, go):
    uci.send(go)
    uci.read("info depth ")
    uci.send("stop")
    assert uci.read("bestmove")[-1] != "bestmove 0000"


def test_infinite_pondering_goes_on_after_ponderhit(uci):
    uci.send("go ponder infinite wtime 100 btime 100")
    uci.read("info depth 2 ")
    uci.send("ponderhit")
    time.sleep(0.3)
    assert not any(line.startswith("bestmove") for line in uci.synchronise())
    uci.send("stop")
    uci.read("bestmove")


def test_a_chess960_position_stays_one_when_the_option_is_switched_off(uci):
    """Its castling would otherwise be written as a king's move onto its own square."""
    board = chess.Board("4k3/8/8/8/8/8/8/6KR w H - 0 1", chess960=True)
    uci.send(f"position fen {board.fen()}")
    uci.send("setoption name UCI_Chess960 value false")
    lines = search(uci, "go depth 3 searchmoves g1h1", board)
    assert lines[-1].split()[1] == "g1h1"
    assert not any(line.startswith("info string") for line in lines)


def test_searchmoves_bind(uci):
    assert search(uci, "go depth 5 searchmoves a2a3")[-1].split()[1] == "a2a3"
    assert search(uci, "go searchmoves h2h4 depth 5")[-1].split()[1] == "h2h4"


def test_illegal_searchmoves_are_named(uci):
    lines = search(uci, "go depth 3 searchmoves e2e5 b2b3")
    assert "info string go: 'e2e5' after searchmoves is not a legal move here" in lines
    assert lines[-1].split()[1] == "b2b3"


@pytest.mark.parametrize("go", ["go infinite", "go", "go infinite depth 2", "go ponder wtime 50 btime 50"])
def test_no_bestmove_before_stop(uci, go):
    uci.send(go)
    said = uci.read("info depth 2 ") + uci.synchronise()
    assert not [line for line in said if line.startswith("bestmove")]
    uci.ask("stop", until="bestmove [a-h]")


def test_ponderhit_starts_the_clock(uci):
    uci.send("go ponder wtime 300 btime 300")
    assert not [line for line in uci.synchronise() if line.startswith("bestmove")]
    uci.ask("ponderhit", until="bestmove")


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


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "mate 0"),  # back rank
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "mate 0"),  # fool's mate
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"),  # stalemate
    ],
)
@pytest.mark.parametrize("go", ["go depth 3", "go wtime 1000 btime 1000"])
def test_a_finished_game_is_answered_by_0000(uci, fen, score, go):
    uci.send(f"position fen {fen}")
    assert uci.ask(go, until="bestmove") == [f"info depth 0 score {score}", "bestmove 0000"]


def test_stop_without_a_search_is_harmless(uci):
    assert uci.remarks("stop", "stop", "ponderhit") == []
    search(uci, "go depth 3")


def test_a_game_of_600_plies_is_followed(uci):
    """600 plies in one position command, and one more each time, as GUIs send them."""
    board = chess.Board()
    for move in itertools.islice(itertools.cycle(["g1f3", "g8f6", "f3g1", "f6g8"]), 600):
        board.push_uci(move)
        if board.ply() >= 598:
            uci.send("position startpos moves " + " ".join(move.uci() for move in board.move_stack))
            search(uci, "go depth 3", board)


def test_a_long_search_shows_signs_of_life_and_still_ends_with_a_score(uci):
    uci.send("position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "go infinite")
    uci.read("info depth .* currmove ")
    uci.read("info depth [0-9]+ nodes ")
    lines = uci.ask("stop", until="bestmove")
    reports = [line for line in lines if line.startswith("info depth")]
    assert " score " in reports[-1]
