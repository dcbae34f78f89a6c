"""``analyse`` and ``play`` as a shell runs them: signals, pipes, encodings."""

import io
import os
import re
import signal
import sys

import chess
import pytest

from engine.analysis import cli
from engine.analysis.files import read_games
from engine.commandline import INTERRUPTED
from engine.console import read_line
from tests.analysis.conftest import ByMaterial, on_terminal


@pytest.mark.skipif(sys.platform == "win32", reason="it cannot be sent there")
@pytest.mark.usefixtures("scripted")
def test_sigterm_loses_as_little_as_ctrl_c(pgn, monkeypatch, capsys):
    before = signal.getsignal(signal.SIGTERM)
    plain, ended = ByMaterial.analyse, []

    def analyse(self, board, limit, **options):
        if not ended and chess.Move.from_uci("f2f3") in board.move_stack:  # the second game
            ended.append(board)
            for _ in range(2):  # as timeout(1) does
                os.kill(os.getpid(), signal.SIGTERM)
        return plain(self, board, limit, **options)

    monkeypatch.setattr(ByMaterial, "analyse", analyse)
    assert cli.main("analyse", [str(pgn), "--depth", "4"]) == INTERRUPTED
    assert re.search("interrupted; 1 of 3 games finished", capsys.readouterr().err)
    first, *_ = read_games(pgn.with_suffix(".annotated.pgn"))
    assert sum(node.eval() is not None for node in first.mainline()) == 6
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudoterminals there")
def test_a_line_is_waited_for_as_long_as_the_clock_allows(monkeypatch, capsys):
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "r") as keyboard:
        monkeypatch.setattr(sys, "stdin", keyboard)
        assert read_line("White> ", 0.01) is None
        os.write(ours, b"e4\n")
        assert read_line("White> ", 60) == "e4"
        os.write(ours, b"\x04")  # Ctrl-D
        with pytest.raises(EOFError):
            read_line("White> ", 60)
    os.close(ours)
    assert capsys.readouterr().out == "White> White> White> \n"


def test_a_pipe_is_read_to_its_end(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"e4\n\xe9\n"), "utf-8"))
    assert [read_line("> ", 60), read_line("> ")] == ["e4", "\ufffd"]
    with pytest.raises(EOFError):
        read_line("> ")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudoterminals there")
@pytest.mark.parametrize(
    "words",
    [
        ["analyse", "{pgn}", "--depth", "2"],
        pytest.param(["play", "--nodes", "100"], marks=pytest.mark.slow),
        pytest.param(["lab", "--depth", "2", "--no-engine"], marks=pytest.mark.slow),
        ["help"],
    ],
    ids=["game", "play", "lab", "help"],
)
def test_a_terminal_that_would_print_escape_sequences_gets_none(pgn, words):
    """As consoles of Windows without them; rich knows both by the same questions."""
    said = on_terminal(*(word.format(pgn=pgn) for word in words), typed=b"e4\nresign\nquit\n")
    assert said.count(b"\n") > 3
    assert b"\x1b" not in said
