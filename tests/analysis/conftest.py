"""An engine for all tests of this folder, and games with faults that everybody can see."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from engine import Engine
from tests.strict import REPOSITORY

#: Scholar's mate with a note and a variation of its author, fool's mate, and a stalemate that throws a queen away.
GAMES = """\
[Event "Casual"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 2. Qh5 {early} Nc6 3. Bc4 Nf6 (3... g6 4. Qf3) 4. Qxf7# 1-0

[Event "Second"]
[White "Cid"]
[Black "Dee"]
[Result "0-1"]

1. f3 e5 2. g4 $2 Qh4# 0-1

[Event "Third"]
[White "Eve"]
[Black "Fox"]
[Result "1/2-1/2"]
[FEN "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"]
[SetUp "1"]

1. Qf7 1/2-1/2
"""


@pytest.fixture(scope="session")
def numbat() -> Iterator[Engine]:
    with Engine(hash=2) as running:
        yield running


@pytest.fixture
def pgn(tmp_path: Path, numbat: Engine) -> Path:
    """A file with :data:`GAMES`. By then the engine is compiled, so that no test reads about it on standard error."""
    path = tmp_path / "games.pgn"
    path.write_text(GAMES, encoding="utf-8")
    return path


def on_terminal(*words: object, typed: bytes = b"") -> bytes:
    """What ``uci_main.py`` with ``words`` shows on a terminal of 80 columns that knows no escape sequences."""
    ours, theirs = os.openpty()
    child = subprocess.Popen(
        [sys.executable, REPOSITORY / "uci_main.py", *map(str, words)],
        env=os.environ | {"TERM": "dumb", "COLUMNS": "80"}, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, typed)
    shown = b""
    with suppress(OSError):  # the end
        while data := os.read(ours, 1 << 16):
            shown += data
    os.close(ours)
    assert child.wait(300) == 0, shown
    return shown
