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
from engine.uci.input import reads_at_once
from tests.strict import run_python
from tests.uci.process import COLD_TIMEOUT, MAIN

COMMANDS = b"uci\nisready\nposition startpos\ngo depth 1\n"


@contextmanager
def _file(folder: Path) -> Iterator[int]:
    path = folder / "commands.txt"
    path.write_bytes(COMMANDS)
    with path.open("rb") as file:
        yield file.fileno()


@contextmanager
def _pipe(folder: Path) -> Iterator[int]:
    ours, theirs = os.pipe()
    with os.fdopen(ours, "rb"):
        os.write(theirs, COMMANDS)
        os.close(theirs)
        yield ours


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


@pytest.mark.parametrize("kind", [_file, _pipe, _socket], ids=["file", "pipe", "socket"])
def test_commands_are_read_from_anything(tmp_path: Path, kind: Any) -> None:
    with kind(tmp_path) as handle:
        done = run_python(MAIN, stdin=handle, timeout=COLD_TIMEOUT)
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert "uciok" in said
    assert "readyok" in said
    assert said[-1].startswith("bestmove ")


def test_the_null_device_is_an_end() -> None:
    done = run_python(MAIN, timeout=COLD_TIMEOUT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


class _System:
    """What kernel32 says of one handle."""

    def __init__(self, kind: int, available: int | None) -> None:
        self._kind, self._available = kind, available

    def GetFileType(self, handle: Any) -> int:
        return self._kind

    def PeekNamedPipe(self, handle: Any, buffer: Any, size: int, read: Any, available: Any, left: Any) -> int:
        if self._available is None:
            return 0
        available._obj.value = self._available
        return 1


DISK, CONSOLE, PIPE = 1, 2, 3
ACCESS_DENIED, BROKEN_PIPE = 5, 109


@pytest.mark.parametrize(
    ("kind", "available", "error", "reads"),
    [
        (DISK, None, ACCESS_DENIED, True),
        (CONSOLE, None, ACCESS_DENIED, True),
        (PIPE, 0, 0, False),
        (PIPE, 7, 0, True),
        (PIPE, None, BROKEN_PIPE, True),
        (PIPE, None, ACCESS_DENIED, False),
    ],
    ids=["file", "console", "empty pipe", "filled pipe", "closed pipe", "odd pipe"],
)
def test_windows_is_asked_before_a_read_that_might_wait(kind, available, error, reads):
    """A read that waits while numpy is loaded hangs both."""
    assert reads_at_once(_System(kind, available), None, lambda: error) is reads


def test_file_names_may_come_in_utf_8_or_in_the_ansi_page_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_ANSI", "cp1252")
    name = "setoption name BookFile value C:\\Bücher\\Größe.bin"
    chunks = [f"{name}\r\n".encode("cp1252"), f"{name}\r\n".encode()]
    assert list(source.split_lines(chunks, pytest.fail)) == [name, name]
