"""A compiled search that reports nothing is the search that reports: same lines, same nodes, whatever ends it."""

from __future__ import annotations

import threading
import time
from itertools import takewhile
from typing import Any

import pytest

from engine.board.fen import set_fen
from engine.board.notation import list_moves
from engine.board.setup import new_position
from engine.evaluation.choice import choose
from engine.jit import clock_now, new_record
from engine.search.scores import MAX_PLY
from engine.search.state import CONTROL, NEVER
from engine.search.transposition import TranspositionTable
from engine.search.tunables import Parameters
from engine.search.worker import UNLIMITED, Worker
from tests.search.conversation import PATIENCE
from tests.search.test_deepening import FENS

pytestmark = pytest.mark.usefixtures("running")


class Alone:
    """One worker, ready to search a position, with what its record points to."""

    def __init__(self, fen: str, nodes: int = UNLIMITED) -> None:
        self.control: Any = new_record(CONTROL)
        self.worker = Worker(self.control.__array_interface__["data"][0], choose("Material", ""), Parameters())
        self.table = TranspositionTable(1)
        self.position = new_position()
        set_fen(self.position, fen)
        self.worker.prepare(self.position, list_moves(self.position), self.table, nodes)

    @property
    def found(self) -> list[Any]:
        """The line, and the nodes that it took."""
        return [*self.worker.lines, self.worker.nodes]


def both(fen: str, first: int, last: int, nodes: int = UNLIMITED) -> tuple[list[Any], list[Any]]:
    """What the loop in Python and the compiled one find."""
    one, other = Alone(fen, nodes), Alone(fen, nodes)
    for _ in one.worker.deepen(first, last):
        pass
    other.worker.deepen_alone(first, last)
    lines, found = one.found, other.found
    return [line for line in lines if line != type(line)()], found


@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("nodes", [1, 2, 17, 100, 1_000, 4_321, 20_000])
def test_it_finds_what_the_loop_in_python_finds_with_as_many_nodes(fen: str, first: int, nodes: int) -> None:
    """A line is marked as a bound, and ranked, as that does it."""
    expected, found = both(fen, first, MAX_PLY, nodes)
    assert found == expected


@pytest.mark.parametrize("fen", FENS[:4])
def test_it_ends_at_the_last_depth(fen: str) -> None:
    expected, found = both(fen, 1, 6)
    assert found == expected
    assert found[0].depth == 6


def test_it_finds_nothing_when_it_is_stopped_before(running: object) -> None:
    alone = Alone(FENS[1], 1)
    alone.control["stop"] = 1
    alone.worker.deepen_alone(5, MAX_PLY)
    assert alone.worker.lines == []


def test_a_stop_ends_it_with_the_line_of_the_last_iteration() -> None:
    alone = Alone(FENS[1])
    worker = alone.worker
    thread = threading.Thread(target=worker.deepen_alone, args=(1, MAX_PLY))
    thread.start()
    deadline = time.perf_counter() + PATIENCE
    while worker.record["root_depth"] < 7 and time.perf_counter() < deadline:
        time.sleep(0.001)
    assert worker.lines == []
    alone.control["stop"] = 1
    thread.join(PATIENCE)
    (line,) = worker.lines
    assert line.depth >= 6
    assert line.moves[0] in list_moves(alone.position)
    if not line.bound:
        assert both(FENS[1], 1, line.depth)[0][0] == line


def test_the_limit_of_nodes_is_back_after_depth_1() -> None:
    alone = Alone(FENS[1], 10_000)
    alone.worker.deepen_alone(1, MAX_PLY)
    assert alone.worker.record["node_limit"] == 10_000
    assert alone.worker.nodes <= 10_000 + 1


def test_touching_it_leaves_it_ready() -> None:
    alone = Alone(FENS[1])
    alone.worker.touch()
    assert alone.worker.nodes == 0
    assert not alone.worker.lines


@pytest.mark.parametrize("iterations", [1, 5])
def test_the_clock_ends_it_after_an_iteration_and_the_loop_goes_on(iterations: int) -> None:
    """What comes of a search that is silent at first is what comes of one that never is."""
    whole, parted = Alone(FENS[1]), Alone(FENS[1])
    course = [list(lines) for lines in whole.worker.deepen(1, 9)]
    last, until = (9, clock_now()) if iterations == 1 else (iterations, NEVER)
    assert parted.worker.deepen_alone(1, last, until) is not None
    assert parted.worker.lines == course[iterations - 1]
    assert [list(lines) for lines in parted.worker.deepen(iterations + 1, 9)] == course[iterations:]
    assert parted.found == whole.found


def test_it_tells_what_time_management_asks() -> None:
    """The move and score of the iteration before the last, and for how many iterations the move had been the same."""
    loop, alone = Alone(FENS[1]), Alone(FENS[1])
    best = [(line.moves[0], line.score) for (line,) in loop.worker.deepen(1, 9)]
    move, score = best[-2]
    same = list(takewhile(lambda found: found[0] == move, best[-2::-1]))
    assert alone.worker.deepen_alone(1, 9) == (move, score, len(same) - 1)
