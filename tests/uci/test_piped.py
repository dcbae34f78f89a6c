"""Commands from a pipe or a file: what was asked before ``quit`` or the end of input is answered, as by Stockfish."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.run_python import run_python
from tests.uci.process import COLD_TIMEOUT, MAIN, UciProcess

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals are a Unix matter")


def piped(*lines: str, timeout: float = COLD_TIMEOUT) -> list[str]:
    """What the engine says to ``lines``, which are all that it ever gets."""
    result = run_python(MAIN, input="".join(f"{line}\n" for line in lines), timeout=timeout)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.splitlines()


def in_order(said: list[str], *beginnings: str) -> bool:
    """Whether there are lines with these ``beginnings``, one after the other."""
    rest = iter(said)
    return all(any(line.startswith(beginning) for line in rest) for beginning in beginnings)


def test_all_but_searches_are_answered_in_full() -> None:
    said = piped(
        "d", "bench 2", "eval", "go perft 3", "isready", "nonsense", "setoption name Hash value 0", "quit", "d"
    )
    answers = ["Fen: ", "info string position 1/", "      term", "e2e4: 600", "Nodes searched: 8902", "readyok"]
    assert in_order(said, *answers, "info string unknown command", "info string Hash must be"), said
    assert len([line for line in said if line.startswith("Fen: ")]) == 1  # nothing after quit counts


def test_a_search_is_answered_by_the_move_it_has() -> None:
    said = piped("position startpos moves e2e4", "go depth 6", "go infinite", "go ponder wtime 9", "d", "quit")
    assert len([line for line in said if line.startswith("bestmove ")]) == 3
    assert in_order(said, "bestmove", "bestmove", "bestmove", "Fen: rnbqkbnr/pppppppp/8/8/4P3"), said
    assert "bestmove 0000" not in said


@UNIX
@pytest.mark.parametrize("reads", [True, False])
def test_nothing_is_compiled_without_a_question_or_a_reader(tmp_path: Path, reads: bool) -> None:
    with UciProcess(environment={"NUMBAT_CACHE_DIR": str(tmp_path)}, reads=reads) as process:
        if reads:
            process.ask("uci", "ucinewgame", "position startpos", "setoption name Hash value 32", until="uciok")
            time.sleep(0.5)
        else:
            process.send("uci", "isready")
            process.process.stdout.close()
        process.close_input()
        assert process.end() == 0
        assert process.errors() == ""
    assert not list(tmp_path.rglob("*.nbc"))


@UNIX
def test_non_blocking_pipe_is_read_to_its_end() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    engine = subprocess.Popen([sys.executable, str(MAIN)], stdin=reading, stdout=subprocess.PIPE)
    os.close(reading)
    time.sleep(0.5)
    os.write(writing, b"uci\n")
    os.close(writing)
    said, _ = engine.communicate(timeout=COLD_TIMEOUT)
    assert b"uciok\n" in said


@UNIX
def test_ctrl_c_ends_a_pending_answer() -> None:
    with UciProcess() as process:
        process.synchronise()
        process.send("go perft 12")
        process.close_input()
        time.sleep(0.3)
        assert process.process.poll() is None
        process.process.send_signal(signal.SIGINT)
        assert process.end() == 0
        assert process.errors() == ""


@UNIX
@pytest.mark.parametrize("work", ["go perft 12", "go infinite"])
def test_quit_at_a_terminal_ends_everything_at_once(work: str) -> None:
    ours, theirs = os.openpty()
    engine = subprocess.Popen([sys.executable, str(MAIN)], stdin=theirs, stdout=subprocess.PIPE)
    assert b"help" in engine.stdout.readline()
    os.write(ours, f"{work}\nisready\nquit\n".encode())
    assert engine.wait(COLD_TIMEOUT) == 0
    engine.stdout.close()
    os.close(ours)
    os.close(theirs)
