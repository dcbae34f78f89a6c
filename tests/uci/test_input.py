"""Standard input of every kind: it is read to its end, and never stands in the way of loading."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.uci import input as source
from tests.run_python import run_python
from tests.uci.process import COLD_TIMEOUT, MAIN

COMMANDS = b"uci\nnonsense\n"


@contextmanager
def _file(folder: Path) -> Iterator[int]:
    path = folder / "commands.txt"
    path.write_bytes(COMMANDS)
    with path.open("rb") as file:
        yield file.fileno()


@contextmanager
def _socket(folder: Path) -> Iterator[int]:
    """What Windows calls a pipe too, though one cannot look into it."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(COMMANDS)
        theirs.shutdown(socket.SHUT_WR)
        if sys.platform == "win32":
            import msvcrt

            yield msvcrt.open_osfhandle(ours.detach(), os.O_RDONLY)
        else:
            yield ours.fileno()


@pytest.mark.parametrize("kind", [_file, _socket], ids=["file", "socket"])
def test_commands_are_read_from_anything(tmp_path: Path, kind: Any) -> None:
    with kind(tmp_path) as handle:
        done = run_python(MAIN, stdin=handle, timeout=COLD_TIMEOUT)
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert "uciok" in said
    assert said[-1].startswith("info string unknown command: nonsense")


def test_the_null_device_is_an_end() -> None:
    done = run_python(MAIN, timeout=COLD_TIMEOUT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


#: Reads a line as on Windows, then what libraries find on standard input, then the rest.
TAKEN = """
import sys
from engine.uci.input import lines, open_stdin
sys.platform = "win32"
found = lines(open_stdin(), print)
print(next(found), [sys.stdin.read()], list(found))
"""


def test_windows_stdin_is_nul_for_libraries() -> None:
    """A read that waits while numpy is loaded would hang both."""
    assert run_python("-c", TAKEN, input="uci\nisready\n").stdout == "uci [''] ['isready']\n"


def test_file_names_come_in_utf_8_or_the_ansi_code_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_ANSI", "cp1252")
    name = "setoption name BookFile value C:\\Bücher\\Größe.bin"
    chunks = [f"{name}\r\n".encode("cp1252"), f"{name}\r\n".encode()]
    assert list(source.split_lines(chunks, pytest.fail)) == [name, name]
