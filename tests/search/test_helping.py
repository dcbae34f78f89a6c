"""A helper's compiled search is the search of the other workers: same lines, same nodes, whatever ends it."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from engine.board.fen import set_fen
from engine.board.notation import list_moves
from engine.board.setup import new_position
from engine.evaluation.choice import choose
from engine.jit import new_record
from engine.search.helping import Helper
from engine.search.scores import MAX_PLY
from engine.search.state import CONTROL
from engine.search.transposition import TranspositionTable
from engine.search.tunables import Parameters
from engine.search.worker import UNLIMITED, Worker
from tests.search.conversation import PATIENCE
from tests.search.test_deepening import FENS

pytestmark = pytest.mark.usefixtures("running")


class Alone:
    """One worker of either kind, ready to search a position, with what its record points to."""

    def __init__(self, kind: type[Worker], fen: str, nodes: int = UNLIMITED) -> None:
        self.control: Any = new_record(CONTROL)
        self.worker = kind(self.control.__array_interface__["data"][0], choose("Material", ""), Parameters())
        self.table = TranspositionTable(1)
        self.position = new_position()
        set_fen(self.position, fen)
        self.worker.prepare(self.position, list_moves(self.position), self.table, nodes)

    @property
    def found(self) -> list[Any]:
        """The line, and the nodes that it took."""
        return [*self.worker.lines, self.worker.nodes]


def both(fen: str, first: int, last: int, nodes: int = UNLIMITED) -> tuple[list[Any], list[Any]]:
    """What a worker and a helper find."""
    one, other = Alone(Worker, fen, nodes), Alone(Helper, fen, nodes)
    for _ in one.worker.deepen(first, last):
        pass
    assert isinstance(other.worker, Helper)
    other.worker.help(first, last)
    lines, found = one.found, other.found
    return [line for line in lines if line != type(line)()], found


@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("nodes", [1, 2, 17, 100, 1_000, 4_321, 20_000])
def test_it_finds_what_a_worker_finds_with_as_many_nodes(fen: str, first: int, nodes: int) -> None:
    """A line is marked as a bound, and ranked, as a worker does it."""
    expected, found = both(fen, first, MAX_PLY, nodes)
    assert found == expected


@pytest.mark.parametrize("fen", FENS[:4])
def test_it_ends_at_the_last_depth(fen: str) -> None:
    expected, found = both(fen, 1, 6)
    assert found == expected
    assert found[0].depth == 6


def test_it_finds_nothing_when_it_is_stopped_before(running: object) -> None:
    alone = Alone(Helper, FENS[1], 1)
    assert isinstance(alone.worker, Helper)
    alone.control["stop"] = 1
    alone.worker.help(5, MAX_PLY)
    assert alone.worker.lines == []


def test_a_stop_ends_it_with_the_line_of_the_last_iteration() -> None:
    alone = Alone(Helper, FENS[1])
    helper = alone.worker
    assert isinstance(helper, Helper)
    thread = threading.Thread(target=helper.help, args=(1, MAX_PLY))
    thread.start()
    deadline = time.perf_counter() + PATIENCE
    while helper.record["root_depth"] < 7 and time.perf_counter() < deadline:
        time.sleep(0.001)
    assert helper.lines == []
    alone.control["stop"] = 1
    thread.join(PATIENCE)
    (line,) = helper.lines
    assert line.depth >= 6
    assert line.moves[0] in list_moves(alone.position)
    if not line.bound:
        assert both(FENS[1], 1, line.depth)[0][0] == line


def test_the_limit_of_nodes_is_back_after_depth_1() -> None:
    alone = Alone(Helper, FENS[1], 10_000)
    assert isinstance(alone.worker, Helper)
    alone.worker.help(1, MAX_PLY)
    assert alone.worker.record["node_limit"] == 10_000
    assert alone.worker.nodes <= 10_000 + 1


def test_touching_it_leaves_it_ready() -> None:
    alone = Alone(Helper, FENS[1])
    alone.worker.touch()
    assert alone.worker.nodes == 0
    assert not alone.worker.lines
