"""The end of a conversation: quit, closed input, Ctrl-C, a closed reader."""

import re
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from engine.uci.output import Output
from engine.uci.session import Session
from tests.uci.process import UciProcess

LOADING = ("uci", "isready", "go infinite")


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        ((), "quit"),
        ((), "closed immediately"),
        (("uci",), "quit"),
        (("uci",), "closed later"),
        (LOADING, "quit"),
        (LOADING, "closed later"),
    ],
)
def test_end_before_the_engine_is_loaded(lines, end):
    with UciProcess() as process:
        process.send(*lines)
        time.sleep(0.3 * (end == "closed later"))
        process.send("quit") if end == "quit" else process.close_input()
        assert process.end() == 0
        assert process.errors() == ""


def test_the_end_of_input_during_work_ends_in_answers():
    with UciProcess() as process:
        process.synchronise()
        process.send("go infinite", "go perft 4", "bench 2")
        time.sleep(0.1)
        process.close_input()
        lines = process.rest()
        assert process.end() == 0
        assert process.errors() == ""
        for answer in ("bestmove ", "Nodes searched: 197281", r"\d+ nodes \d+ nps"):
            assert [line for line in lines if re.match(answer, line)]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a Unix matter")
def test_ctrl_c_while_loading_is_never_missed():
    """It came between Python's look for signals and a read that then blocked, in one of 15 processes."""

    def code(number: int) -> int:
        with UciProcess() as process:
            process.send("uci")
            process.read("uciok")
            process.process.send_signal(signal.SIGINT)
            code = process.end()
            assert process.errors() == ""
            return code

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(code, range(8))) == {0}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a Unix matter")
def test_ctrl_c_in_a_search_is_an_orderly_end():
    with UciProcess() as process:
        process.send("isready", "go infinite")
        process.read("info depth")
        process.process.send_signal(signal.SIGINT)
        assert process.end() == 0
        assert process.errors() == ""


def test_a_slow_task_does_not_delay_the_end_at_a_terminal(monkeypatch):
    monkeypatch.setattr("engine.uci.session._QUIT_TIMEOUT", 0.1)
    session, over = Session(Output()), threading.Event()
    engine = SimpleNamespace(close=lambda: None)
    monkeypatch.setattr(session, "_load", lambda: setattr(session, "_engine", engine))
    session.set_option("SyzygyPath", "tables")
    engine.set_option = lambda name, value: over.wait()
    session.open()
    while not session.loaded():
        time.sleep(0.001)
    assert not session.close(immediately=True)
    over.set()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
def test_closed_output_ends_the_engine():
    """Standard output is closed, standard input is not: the engine leaves at its next line."""
    with UciProcess(reads=False) as process:
        process.process.stdout.close()
        process.send("uci")
        assert process.end() == 0
        assert process.errors() == ""
