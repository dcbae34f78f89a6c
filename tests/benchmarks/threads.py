"""What many threads cost beside searching: the time in Python, and the wait for the interpreter's lock.

    python -m tests.benchmarks.threads [--threads 1 2 16 64 256] [--nodes 20000]

All threads search the same position on a common table, each the same number of nodes, as a search of the engine begins:
each wakes the next. None is stopped before its end, so that all of them are counted, however few processors there are.
A thread holds the interpreter's lock outside of compiled code, between one window of its iterations and the next. Its
processor time there is counted, whatever else the machine does. It is blocked for nothing but the lock, so the rest of
its time, after processor time and the wait for a processor (which Linux counts), was spent waiting for the lock.

    windows     compiled calls of a thread, one or more for each iteration
    inside      processor microseconds in one of them
    outside     processor microseconds in Python for each of them
    prepare     processor microseconds before the first
    blocked     how often a thread had to wait for the lock, for each window
    lock        milliseconds that it waited in the whole search
    python      all threads' processor time in Python, which no number of processors makes shorter, in milliseconds
    deep        milliseconds until the last thread has begun its iteration of depth 8

Medians over the threads. On a busy machine the wait is mostly for a thread that holds the lock and has no processor.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.api import Engine
from engine.board.fen import set_fen
from engine.board.notation import list_moves
from engine.board.setup import new_position
from engine.messages import Limits
from engine.search import worker
from engine.search.pool import Crew, Pool, Task
from engine.search.scores import MAX_PLY
from engine.search.transposition import TranspositionTable

#: A helper this deep is of use to the others.
DEEP = 8

POSITION = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@dataclass
class Count:
    """One thread's seconds."""

    windows: int = 0
    inside: float = 0.0
    processor: float = 0.0
    prepare: float = 0.0
    blocked: int = 0
    lock: float = 0.0
    deep: float = 0.0

    @property
    def outside(self) -> float:
        """In Python between the windows."""
        return self.processor - self.inside - self.prepare


class Meter:
    """Counts what each thread does, in place of the functions that it stands before."""

    def __init__(self) -> None:
        self._own = threading.local()
        self.counts: list[Count] = []
        self._window, self._help = worker.search_window, Pool._help
        self._prepare = Task.prepare

    def __enter__(self) -> Meter:
        worker.search_window = self._timed_window  # type: ignore[assignment]
        Pool._help = lambda own, *arguments: self.thread(lambda: self._help(own, *arguments))  # type: ignore
        Task.prepare = lambda own, whom: self._timed_prepare(own, whom)  # type: ignore
        return self

    def __exit__(self, *what: object) -> None:
        worker.search_window, Pool._help, Task.prepare = self._window, self._help, self._prepare  # type: ignore

    def thread(self, work: Any) -> None:
        """Count ``work``, all that this thread does."""
        count = self._own.count = Count()
        self.counts.append(count)
        began, spent, waited, blocked = time.perf_counter(), time.thread_time(), _waited(), _blocked()
        work()
        count.blocked = _blocked() - blocked
        count.processor = time.thread_time() - spent
        count.lock = time.perf_counter() - began - count.processor - (_waited() - waited)

    def _timed_window(self, record: Any, depth: int, score: int, move: int) -> int:
        count = self._own.count
        if depth == DEEP and not count.deep:
            count.deep = time.perf_counter()
        spent = time.thread_time()
        outcome = self._window(record, depth, score, move)
        count.inside += time.thread_time() - spent
        count.windows += 1
        return outcome

    def _timed_prepare(self, task: Task, whom: worker.Worker) -> None:
        spent = time.thread_time()
        self._prepare(task, whom)
        self._own.count.prepare = time.thread_time() - spent


def _waited() -> float:
    """Seconds that this thread has waited for a processor."""
    state = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text()
    return int(state.split()[1]) / 1e9


def _blocked() -> int:
    """How often this thread gave up its processor to wait for something."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def measure(engine: Engine, threads: int, nodes: int) -> tuple[list[Count], float]:
    """One search by ``threads`` of ``nodes`` each; what they counted, and when it began."""
    engine.configure(threads=threads)
    engine.new_game()
    crowd: Pool = engine._thinker.pool
    position = new_position()
    set_fen(position, POSITION, False)
    moves = list_moves(position)
    table = TranspositionTable(64)
    crowd.arm(Limits(infinite=True), True, 0)
    table.new_search()
    task = Task(position, moves, table, nodes, None, MAX_PLY)
    crew = crowd._crew = Crew()
    with Meter() as meter:
        began = time.perf_counter()

        def lead() -> None:
            main = crowd.workers[0]
            task.prepare(main)
            crowd._admit(main)
            crowd._call(1, crew, task)
            for _ in main.deepen(1, MAX_PLY):
                pass

        meter.thread(lead)
        for helper in crowd._helpers:  # each was woken by the one before
            helper.wait()
        crew.close()
        crowd.stop()
    return meter.counts, began


def report(threads: int, counts: list[Count], began: float) -> None:
    """Print one line."""
    assert len(counts) == threads
    windows = sum(count.windows for count in counts)

    def median(figure: Callable[[Count], float]) -> float:
        return statistics.median(figure(count) for count in counts)

    columns = [
        windows / threads,
        median(lambda count: count.inside / count.windows * 1e6),
        median(lambda count: count.outside / count.windows * 1e6),
        median(lambda count: count.prepare * 1e6),
        median(lambda count: count.blocked / count.windows),
        median(lambda count: count.lock * 1e3),
        sum(count.outside + count.prepare for count in counts) * 1e3,
        (max(count.deep for count in counts) - began) * 1e3,
    ]
    print(f"{threads:7}" + "".join(f"{column:9.1f}" for column in columns), flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 16, 64, 256])
    parser.add_argument("--nodes", type=int, default=20_000, help="of each thread (default %(default)s)")
    chosen = parser.parse_args()
    names = ("windows", "inside", "outside", "prepare", "blocked", "lock", "python", "deep")
    print("threads" + "".join(f"{name:>9}" for name in names), flush=True)
    with Engine() as engine:
        measure(engine, 1, chosen.nodes)  # loads what is loaded at the first call
        for threads in chosen.threads:
            report(threads, *measure(engine, threads, chosen.nodes))


if __name__ == "__main__":
    main()
