"""An engine for all tests of this folder, and games with faults that everybody can see."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import Engine

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
