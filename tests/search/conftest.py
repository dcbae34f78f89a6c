"""One engine for all tests of the search, and the search without the Engine around it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from engine.api import Engine
from engine.board.fen import set_fen
from engine.board.notation import list_moves
from engine.board.setup import new_position
from engine.evaluation.choice import choose
from engine.fen import START_FEN
from engine.messages import Limits, Signals
from engine.search.lazy_smp import SearchTask
from engine.search.pool import Pool
from engine.search.transposition import TranspositionTable
from engine.search.worker import RootLine
from tests.conftest import as_it_was

#: The pools that have searched, each with its table.
Searched = Sequence[tuple[Pool, TranspositionTable]]

#: Megabytes of the shared engine's table.
HASH = 4


@pytest.fixture(scope="session")
def running() -> Iterator[Engine]:
    """A single-threaded engine that lives through all tests of this folder."""
    with Engine(hash=HASH) as engine:
        yield engine


@pytest.fixture
def engine(running: Engine) -> Iterator[Engine]:
    """The engine as it is after ``new_game`` on the start position, with the same options for each test."""
    running.new_game()
    running.set_position(None)
    yield from as_it_was(running)


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> Searched:
    """One entry for each search of any engine, in order."""
    found: list[tuple[Pool, TranspositionTable]] = []
    plain = Pool.search

    def search(pool: Pool, task: SearchTask, *reports: Any) -> RootLine:
        found.append((pool, task.table))
        return plain(pool, task, *reports)

    monkeypatch.setattr(Pool, "search", search)
    return found


@dataclass
class Bare:
    """A pool with a table of its own: the search below :class:`Engine`, where its records can be looked at."""

    pool: Pool
    table: TranspositionTable
    lines: list[RootLine]
    signals: Signals = field(default_factory=Signals)

    def search(self, limits: Limits, fen: str = START_FEN) -> RootLine:
        """Search in this thread; all lines are then in ``lines``."""
        position = new_position()
        set_fen(position, fen)
        self.lines.clear()
        self.signals = Signals()
        task = SearchTask(position, list_moves(position), self.table, limits, signals=self.signals)
        return self.pool.search(task, self.lines.append)

    @property
    def position(self) -> Any:
        """The position record that the main thread searches on."""
        return self.pool.workers[0].record["position"]


@pytest.fixture
def bare(running: Engine) -> Callable[..., Bare]:
    """A function that makes a :class:`Bare` search with so many threads and megabytes (compiled by now)."""
    return lambda threads=1, megabytes=1: Bare(Pool(threads, choose("Material", "")), TranspositionTable(megabytes), [])
