"""Measures the overhead of many threads: the time in Python, and the wait for the GIL.

    python -m tuning.benchmarks.threads [--threads 1 2 16 64 256] [--nodes 20000]

All threads search the same position with a shared table, each the same number of nodes, and begin as in the engine's
search: each wakes the next. None is stopped early, so that all of them count, however few processors there are. A
thread holds the GIL outside of compiled code: a helper before and after its search, the main thread also between the
windows of its iterations. It blocks on nothing but the GIL, so its time minus processor time and the wait for a
processor (which Linux counts) is the wait for the GIL.

    calls       compiled calls of a helper
    inside      processor milliseconds in all of them
    outside     processor microseconds in Python, except for the preparation
    prepare     processor microseconds before the first call, partly compiled
    blocked     number of waits for the GIL
    lock        milliseconds waited in the whole search
    python      all threads' processor milliseconds in Python, which more processors do not shorten
    elapsed     milliseconds from the start to the end of the last thread

Medians over the helpers, or the main thread if it is alone. On a busy machine a thread mostly waits for another that
holds the GIL but has no processor.
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
from engine.search import worker as worker_module
from engine.search.lazy_smp import HelperLatch, Task
from engine.search.pool import Pool
from engine.search.scores import MAX_PLY
from engine.search.transposition import TranspositionTable

worker: Any = worker_module  # its functions are replaced

POSITION = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@dataclass
class Count:
    """One thread's seconds."""

    calls: int = 0
    inside: float = 0.0
    processor: float = 0.0
    prepare: float = 0.0
    blocked: int = 0
    lock: float = 0.0

    @property
    def outside(self) -> float:
        """In Python, but for the preparation."""
        return self.processor - self.inside - self.prepare


class Meter:
    """Counts what each thread does, in place of the functions that it stands before."""

    def __init__(self) -> None:
        self._own = threading.local()
        self.counts: list[Count] = []
        self._deepen = worker.deepen
        self._help, self._prepare = Pool._help, Task.prepare

    def __enter__(self) -> Meter:
        worker.deepen = self._timed(self._deepen)
        Pool._help = lambda own, *arguments: self.thread(lambda: self._help(own, *arguments))  # type: ignore
        Task.prepare = lambda own, whom: self._timed_prepare(own, whom)  # type: ignore
        return self

    def __exit__(self, *what: object) -> None:
        worker.deepen = self._deepen
        Pool._help, Task.prepare = self._help, self._prepare  # type: ignore

    def thread(self, work: Any) -> None:
        """Count ``work``, all that this thread does."""
        count = self._own.count = Count()
        self.counts.append(count)
        began, spent, waited, blocked = time.perf_counter(), time.thread_time(), _waited(), _blocked()
        work()
        count.blocked = _blocked() - blocked
        count.processor = time.thread_time() - spent
        count.lock = time.perf_counter() - began - count.processor - (_waited() - waited)

    def _timed(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            count = self._own.count
            spent = time.thread_time()
            outcome = kernel(*arguments)
            count.inside += time.thread_time() - spent
            count.calls += 1
            return outcome

        return call

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
    """One search by ``threads`` of ``nodes`` each; what they counted, and the seconds that it took."""
    engine.configure(threads=threads)
    engine.new_game()
    crowd: Pool = engine._thinker.pool
    position = new_position()
    set_fen(position, POSITION, False)
    moves = list_moves(position)
    table = TranspositionTable(64)
    crowd.begin(Limits(infinite=True), True, 0)
    table.new_search()
    task = Task(position, moves, table, nodes, None, MAX_PLY)
    latch = crowd._latch = HelperLatch()
    with Meter() as meter:
        began = time.perf_counter()

        def lead() -> None:
            main = crowd.workers[0]
            task.prepare(main)
            crowd._admit(main)
            crowd._call(1, latch, task)
            for _ in main.deepen(1, MAX_PLY):
                pass

        meter.thread(lead)
        for helper in crowd._helpers:  # each was woken by the previous one
            helper.wait()
        elapsed = time.perf_counter() - began
        latch.close()
        crowd.stop()
    return meter.counts, elapsed


def report(threads: int, counts: list[Count], elapsed: float) -> None:
    """Print one line."""
    assert len(counts) == threads
    helpers = counts[1:] or counts  # the main thread begins first

    def median(figure: Callable[[Count], float]) -> float:
        return statistics.median(figure(count) for count in helpers)

    columns = [
        median(lambda count: count.calls),
        median(lambda count: count.inside * 1e3),
        median(lambda count: count.outside * 1e6),
        median(lambda count: count.prepare * 1e6),
        median(lambda count: count.blocked),
        median(lambda count: count.lock * 1e3),
        sum(count.outside + count.prepare for count in counts) * 1e3,
        elapsed * 1e3,
    ]
    print(f"{threads:7}" + "".join(f"{column:9.1f}" for column in columns), flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 16, 64, 256])
    parser.add_argument("--nodes", type=int, default=20_000, help="nodes of each thread (default %(default)s)")
    chosen = parser.parse_args()
    names = ("calls", "inside", "outside", "prepare", "blocked", "lock", "python", "elapsed")
    print("threads" + "".join(f"{name:>9}" for name in names), flush=True)
    with Engine() as engine:
        measure(engine, 2, chosen.nodes)  # loads the spare kernels
        for threads in chosen.threads:
            report(threads, *measure(engine, threads, chosen.nodes))


if __name__ == "__main__":
    main()
