"""A search that reports nothing is the search that reports: same lines, same nodes, whatever ends it."""

import threading
import time
from itertools import pairwise
from typing import Any

import pytest

from engine.board.notation import list_moves
from engine.jit import TICKS_PER_SECOND, clock_now
from engine.search.deepening import UNLIMITED
from engine.search.scores import MAX_PLY
from tests.search.conversation import PATIENCE
from tests.search.test_deepening import FENS, Ready

pytestmark = pytest.mark.usefixtures("running")


def found(ready: Ready) -> list[Any]:
    """The line, and the nodes that it took."""
    return [*ready.worker.lines, ready.worker.nodes]


def both(fen: str, first: int, last: int, nodes: int = UNLIMITED) -> tuple[list[Any], list[Any]]:
    """The results of a search that reports and of a quiet one."""
    one, other = Ready(fen, nodes), Ready(fen, nodes)
    for _ in one.worker.deepen(first, last, on_bound=lambda line: None):
        pass
    other.worker.deepen_silently(first, last)
    return found(one), found(other)


@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("nodes", [1, 17, 1_000, 20_000])
def test_quiet_search_agrees_with_a_reporting_one(fen: str, first: int, nodes: int) -> None:
    """A line is marked as a bound, and ranked, as that does it."""
    for expected, quiet in (both(fen, first, MAX_PLY, nodes), both(fen, first, 4)):
        assert quiet == expected


def test_it_finds_nothing_when_it_is_stopped_before(running: object) -> None:
    ready = Ready(FENS[1], 1)
    ready.control["stop"] = 1
    ready.worker.deepen_silently(5, MAX_PLY)
    assert ready.worker.lines == []


def test_a_stop_ends_it_with_the_line_of_the_last_iteration() -> None:
    ready = Ready(FENS[1])
    worker = ready.worker
    thread = threading.Thread(target=worker.deepen_silently, args=(1, MAX_PLY))
    thread.start()
    deadline = time.perf_counter() + PATIENCE
    while worker.record["root_depth"] < 7 and time.perf_counter() < deadline:
        time.sleep(0.001)
    assert worker.lines == []
    ready.control["stop"] = 1
    thread.join(PATIENCE)
    (line,) = worker.lines
    assert line.depth >= 6
    assert line.moves[0] in list_moves(ready.position)
    if not line.bound:
        assert both(FENS[1], 1, line.depth)[0][0] == line


@pytest.mark.parametrize("fen", FENS)
def test_the_clock_ends_the_quiet_after_an_iteration(fen: str) -> None:
    whole, parted = Ready(fen), Ready(fen)
    course = [list(lines) for lines in whole.worker.deepen(1, 9)]
    told = [list(lines) for lines in parted.worker.deepen(1, 9, quiet_until=clock_now() + TICKS_PER_SECOND // 1000)]
    assert told == course[-len(told) :]
    assert found(parted) == found(whole)


def test_lines_are_ranked_and_survive_an_aborted_iteration() -> None:
    """Best first, with different first moves; those that an aborted iteration did not reach are among them."""
    unreached = 0
    for nodes in range(2_000, 12_000, 250):
        ready = Ready(FENS[1], nodes)
        before: list[Any] = []
        for lines in ready.worker.deepen(1, MAX_PLY, multipv=4):
            assert [line.rank for line in lines] == [1, 2, 3, 4]
            assert len({line.moves[0] for line in lines}) == 4
            assert [line.score for line in lines] == sorted((line.score for line in lines), reverse=True)
            depth = max(line.depth for line in lines)
            fresh = [line for line in lines if line.depth == depth]
            stale = [line for line in lines if line.depth < depth]
            searched = {line.moves[0] for line in fresh}
            others = [line.moves for line in before if line.moves[0] not in searched]
            assert [line.moves for line in stale] == others[: len(stale)]
            unreached += len(stale)
            before = lines
    assert unreached


def test_stability_and_score_drop_are_recorded() -> None:
    """For how many iterations the best move has been the same, and by how much its score fell."""
    ready = Ready(FENS[1])
    best = [
        (line.moves[0], line.score, ready.worker.stable, ready.worker.drop) for (line,) in ready.worker.deepen(1, 9)
    ]
    assert best[0][2:] == (0, 0)
    for (move, score, stable, _), (new_move, new_score, new_stable, drop) in pairwise(best):
        assert new_stable == (stable + 1 if new_move == move else 0)
        assert drop == score - new_score
