"""All threads of one search: how they start, how the clock stops them, and when the result is ready.

Every thread searches the same position on its own record; they help each other only through the shared transposition
table (Lazy SMP). The calling thread is the main one: it reports and decides when to stop. The helpers search in one
compiled call.

Helpers are created when their number is set, and then wait for work. In a search each wakes the next when it is ready
itself. So the main thread wakes only one of them, and with fewer processors than threads most of those that cannot run
yet are not woken before the search is over.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from engine.board.aliases import Position
from engine.evaluation.choice import Evaluation
from engine.jit import TICKS_PER_SECOND, clock_now, new_record
from engine.messages import Limits
from engine.search.deepening import UNLIMITED
from engine.search.lazy_smp import HelperLatch, Task, vote
from engine.search.mates import Prover, proves_mate
from engine.search.scores import MATE, MAX_PLY
from engine.search.state import CONTROL, NEVER
from engine.search.tablebase import TablebaseAccess
from engine.search.threads import ParkedThread, Signal
from engine.search.timeman import FORCED_MOVE_DEPTH, Budget, NodeClock, pace_of, plan
from engine.search.transposition import TranspositionTable
from engine.search.tunables import Parameters
from engine.search.worker import RootLine, Worker, ranked

#: Seconds before the first report of the root move under search, and between these reports.
FIRST_TICK, TICK = 3.0, 1.0

#: Seconds that the result waits for helpers to leave, so that their lines count too. They take longer only with far
#: more threads than processors; then they have no vote, and the next search waits for them.
GRACE = 0.01

#: Milliseconds, and the share of the optimum, for which a search on the clock reports nothing.
SILENCE, SILENT_SHARE = 10.0, 0.2

#: A search of one thread limited to at most this many nodes is short: it wakes no other thread, and may run in the
#: caller's, where Ctrl-C waits for it.
SHORT = 20_000

#: Threads released, as headroom, when the system refuses another.
HEADROOM = 2

#: Milliseconds, about a century, beyond which the clock for deadlines would overflow.
LONGEST_SEARCH = 4e12


def give_memory_back() -> None:
    """Make the C library return freed memory to the system; glibc keeps blocks of the size of a worker."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # other C libraries have none, and need none
        if trim is not None:
            trim(0)


class Pool:
    """The workers, and the control record through which they are stopped.

    ``report`` gets a line when the system refuses threads. Raises MemoryError without room for one worker.
    """

    def __init__(self, threads: int, evaluation: Evaluation, report: Callable[[str], None] = lambda line: None) -> None:
        self._evaluation = evaluation
        #: The search parameters of all workers.
        self.parameters = Parameters()
        self._report = report
        self._control: Any = new_record(CONTROL)
        self._address = self._control.__array_interface__["data"][0]
        self._released = Signal()
        self._lock = threading.RLock()  # a finalizer may call stop() anywhere
        self._speaking = threading.Lock()  # held during a report of the ticker
        self._pondering = self._infinite = False
        self._limits = Limits()  # of the last search begun, which they identify
        self._began = self._ended = 0.0
        self._due: float | None = None
        self._budget = Budget(None, None)
        self._nodes_before = 0  # nodes searched before ponderhit, not charged to the node clock
        #: Counts nodes as milliseconds if its ``rate`` is not 0.
        self.node_clock = NodeClock()
        self.workers: list[Worker] = [Worker(self._address, evaluation, self.parameters)]  # then the helpers
        self._active: list[Worker] = []  # those that took part in this search
        self._helpers: list[ParkedThread] = []  # one for each worker but the first
        self._ticker: ParkedThread | None = None
        self._process = 0  # of the latch, which does not exist yet
        self._finished = Signal()  # of the ticker's reports
        self.resize(threads)

    def resize(self, threads: int) -> None:
        """Have ``threads`` workers, or as many as the system allows; new ones have empty histories.

        Those that can run at once get their memory now, the others in their first search.
        """
        self.wait_for_helpers()
        self._active = []
        self._shrink(threads)
        try:
            if self._ticker is None:
                self._ticker = ParkedThread("numbat-ticker")
            while len(self.workers) < threads:
                worker = Worker(self._address, self._evaluation, self.parameters)
                self._helpers.append(ParkedThread(f"numbat-helper-{len(self.workers)}"))
                self.workers.append(worker)
                if len(self.workers) <= (os.cpu_count() or 1):
                    self._helpers[-1].run(worker.touch)
        except (RuntimeError, MemoryError):
            # Release some: the rest of the process needs threads and memory too.
            del self._helpers[len(self.workers) - 1 :]
            self._shrink(max(1, len(self.workers) - HEADROOM))
            self._report(f"could not start all threads: searching with {len(self.workers)} of {threads}")
        for helper in self._helpers:
            helper.wait()

    def _shrink(self, threads: int) -> None:
        """Release all but ``threads`` workers."""
        if threads >= len(self.workers):
            return
        for helper in self._helpers[threads - 1 :]:
            helper.wait()
            helper.end()
        del self._helpers[threads - 1 :], self.workers[threads:]
        give_memory_back()

    def wait_for_helpers(self) -> None:
        """Wait until the helpers have left the last search."""
        if self._process != os.getpid():  # at first, or forked during a search, whose threads stayed in the parent
            self._process, self._latch = os.getpid(), HelperLatch()
            self._latch.close()
        self._latch.gone.wait()

    def close(self) -> None:
        """End all threads. The next search starts them again."""
        self.wait_for_helpers()
        self._finished.set()  # ends the ticker's work
        for thread in (*self._helpers, self._ticker):
            if thread is not None:
                thread.wait()
                thread.end()

    @property
    def is_current(self) -> bool:
        """Whether the calling thread is the one that makes this pool's periodic reports."""
        return self._ticker is not None and self._ticker.is_current

    def use(self, evaluation: Evaluation) -> None:
        """Evaluate by ``evaluation`` from the next search on."""
        self._evaluation = evaluation
        for worker in self.workers:
            worker.use(evaluation)

    def run_on_all(self, work: Callable[[int, int], object]) -> None:
        """Call ``work(part, parts)`` for each part, in one thread for each processor, at most one for each worker."""
        helpers = self._helpers[: (os.cpu_count() or 1) - 1]
        parts = len(helpers) + 1
        for part, helper in enumerate(helpers, 1):
            helper.run(partial(work, part, parts))
        work(0, parts)
        for helper in helpers:
            helper.wait()

    def clear(self) -> None:
        """Forget all histories, and the node clock's time."""
        self.node_clock.reset()

        def clear(part: int, parts: int) -> None:
            for worker in self.workers[part::parts]:
                worker.clear()

        self.run_on_all(clear)

    @property
    def nodes(self) -> int:
        """Nodes visited by all threads in this search."""
        return sum(worker.nodes for worker in self._active)

    @property
    def table_hits(self) -> int:
        """Tablebase answers to all threads in this search."""
        return sum(worker.table_hits for worker in self._active)

    @property
    def elapsed(self) -> float:
        """Milliseconds since the search began, or that it took, without the wait for :meth:`stop`."""
        return ((self._ended or time.perf_counter()) - self._began) * 1000

    @property
    def pondering(self) -> bool:
        """Whether the search ponders: it goes on until :meth:`ponderhit`."""
        return self._pondering

    def is_short(self, limits: Limits) -> bool:
        """Whether a search with ``limits`` is short (see :data:`SHORT`)."""
        is_free = limits.mate is None and not limits.infinite and not limits.ponder
        return is_free and limits.nodes is not None and limits.nodes <= SHORT and len(self.workers) == 1

    def timeout(self, most: float) -> float:
        """Seconds, at most ``most``, that may pass before the search begins: half of its maximum."""
        maximum = self._budget.maximum
        return most if maximum is None else min(most, maximum / 2000)

    def begin(self, limits: Limits, white_to_move: bool, overhead: int) -> None:
        """Start the clock of the next search; from here on :meth:`stop` ends it."""
        self.wait_for_helpers()  # a helper still in the last search would take this clock for its own
        with self._lock:
            self._limits = limits
            self._control["deadline"] = NEVER
            self._control["stop"] = 0
            self._released.clear()
            self._began, self._ended = time.perf_counter(), 0.0
            self._due = None
            self._active = []
            self._nodes_before = 0
            counts_nodes = self.node_clock.rate > 0
            limits = self.node_clock.wind(limits, white_to_move)
            self._budget = plan(limits, white_to_move, 0 if counts_nodes else overhead, self.parameters)
            self._pondering, self._infinite = limits.ponder, limits.infinite
            if not limits.ponder:
                self._start_clock()
                if not limits.infinite:
                    self._released.set()

    def _start_clock(self) -> None:
        """Start counting the maximum."""
        maximum = self._budget.maximum
        if maximum is not None and not self.node_clock.rate:
            self._control["deadline"] = clock_now() + int(min(maximum, LONGEST_SEARCH) * TICKS_PER_SECOND / 1000)

    def _limit_nodes(self, worker: Worker) -> None:
        """If nodes count as time, limit ``worker`` to its share of the maximum."""
        rate, maximum = self.node_clock.rate, self._budget.maximum
        if rate and maximum is not None and not self._pondering:
            share = int(maximum * rate) // len(self.workers) + 1
            worker.record["node_limit"] = min(int(worker.record["node_limit"]), worker.nodes + share)

    def _admit(self, worker: Worker) -> None:
        """Let the prepared ``worker`` take part from now on."""
        with self._lock:  # ponderhit may have come already, and may come at any time
            self._active.append(worker)
            self._limit_nodes(worker)

    def stop(self, only: Limits | None = None) -> None:
        """Stop the search, or ``only`` the one with these very limits; harmless when it is not running."""
        with self._lock:
            if only is None or only is self._limits:
                self._control["stop"] = 1
                self._released.set()

    def ponderhit(self) -> None:
        """The expected move was played: from now on the clock runs.

        Time spent pondering counts towards the optimum, so a search that has used it up ends at once; the maximum,
        which protects the clock, counts from here.
        """
        with self._lock:
            if self._pondering:
                self._pondering = False
                self._nodes_before = self.nodes
                if not self._infinite:
                    self._start_clock()
                    for worker in self._active:
                        self._limit_nodes(worker)
                    if self._due is not None and self._spent() >= self._due:
                        self._control["stop"] = 1
                    self._released.set()

    def search(
        self,
        position: Position,
        limits: Limits,
        moves: list[int],
        table: TranspositionTable,
        on_line: Callable[[RootLine], None],
        on_tick: Callable[[int, int, int], None],
        count: int = 1,
        tablebase: TablebaseAccess | None = None,
    ) -> RootLine:
        """Search ``position`` over the root ``moves`` (not empty) until ``limits`` or :meth:`stop` end it.

        Call :meth:`begin` first. ``on_line`` gets each iteration's ``count`` lines, and those of failed windows;
        ``on_tick``, once a second after the first few, the depth, the root move being searched and its number. The
        search probes ``tablebase``. Under ``infinite`` and ``ponder`` the return waits silently for :meth:`stop` or
        :meth:`ponderhit`. The result always holds a legal move; it may differ from the last line of ``on_line``.
        """
        table.new_search()
        share = UNLIMITED if limits.nodes is None else max(1, limits.nodes // len(self.workers))
        last = MAX_PLY if limits.depth is None else min(limits.depth, MAX_PLY)
        task = Task(position, moves, table, share, tablebase, last)
        main = self.workers[0]
        task.prepare(main)
        self._admit(main)
        if self.is_short(limits):
            self._deepen(limits, len(moves), last, count, on_line)
        else:
            self._deepen_with_help(task, limits, count, on_line, on_tick)
        self._ended = time.perf_counter()
        best = main.lines[0] if main.lines else RootLine()
        if count == 1 and limits.depth is None and len(self._active) > 1:
            found = [worker.lines for worker in self._active]  # helpers that are slow to leave may still set theirs
            best = vote([lines[0] for lines in found if lines])
        if not best.moves:  # no root move was searched to the end
            best = RootLine(moves=moves[:1], score=self._evaluation.value(position))
        self.wait_for_release(limits)
        if not self._pondering:  # a ponder miss costs nothing
            self.node_clock.spend(self.nodes - self._nodes_before)
        return best

    def _deepen_with_help(
        self,
        task: Task,
        limits: Limits,
        count: int,
        on_line: Callable[[RootLine], None],
        on_tick: Callable[[int, int, int], None],
    ) -> None:
        """:meth:`_deepen` while the helpers search and the ticker reports."""
        finished = self._finished = Signal()
        if self._ticker is not None:
            self._ticker.run(partial(self._tick, finished, on_tick))
        latch = self._latch = HelperLatch()
        position, moves, last = task.position, task.moves, task.last
        try:
            self._call(1, latch, task)
            prover = None
            if limits.mate is not None:
                prover = Prover(self.workers[0].record, position, moves, min(limits.mate, (last + 1) // 2))
            self._deepen(limits, len(moves), last, count, on_line, prover)
        finally:  # a report may raise
            self._control["stop"] = 1
            latch.close()
            with self._speaking:
                finished.set(wake=False)  # the ticker would compete for the interpreter, and ``bestmove`` needs it
        latch.gone.wait(GRACE)

    def _call(self, index: int, latch: HelperLatch, task: Task) -> None:
        """Wake the helper ``index``, if there is one."""
        if index < len(self.workers):
            self._helpers[index - 1].run(partial(self._help, index, latch, task))

    def _help(self, index: int, latch: HelperLatch, task: Task) -> None:
        """A helper's part: search until stopped. Results go into the shared table, the line into the vote."""
        if not latch.enter():
            return
        try:
            worker = self.workers[index]
            with suppress(MemoryError):  # then the others search without it
                task.prepare(worker)
                self._admit(worker)
                self._call(index + 1, latch, task)
                worker.deepen_quietly(1 + (index - 1) % 2, task.last)
        finally:
            latch.leave()

    def _deepen(
        self,
        limits: Limits,
        choices: int,
        last: int,
        count: int,
        on_line: Callable[[RootLine], None],
        prover: Prover | None = None,
    ) -> None:
        """The main worker's iterations up to depth ``last``, with ``choices`` root moves."""
        main = self.workers[0]
        bounds: list[tuple[int, RootLine]] = []  # those that prove a mate, with the nodes searched by then

        def on_bound(line: RootLine) -> None:
            on_line(line)
            if proves_mate(line, limits):
                bounds.append((main.nodes, line))

        silence = self._silence(limits, count)
        for lines in main.deepen(1, last, count, on_bound, clock_now() + silence if silence else NEVER):
            for line in lines:
                on_line(line)
            if self._is_enough(lines[0], limits, choices):
                break
            if bounds and main.nodes > 2 * bounds[0][0]:  # the exact score with the whole line takes too long
                break
            if prover is not None and self._settles_mate(prover, limits, on_line):
                break
        if bounds and not proves_mate(main.lines[0], limits):
            main.lines = ranked([bounds[-1][1]], main.lines)
            on_line(main.lines[0])

    def _silence(self, limits: Limits, count: int) -> int:
        """For how many clock ticks a search reports nothing.

        On the clock no reader keeps up, and the time between two windows is lost.
        """
        optimum = self._budget.optimum
        if optimum is None or count > 1 or self.node_clock.rate or limits.infinite or limits.ponder:
            return 0
        if (limits.movetime, limits.depth, limits.nodes, limits.mate) != (None,) * 4:  # a user is watching
            return 0
        return int(min(SILENCE, SILENT_SHARE * optimum) * TICKS_PER_SECOND / 1000)

    def _settles_mate(self, prover: Prover, limits: Limits, on_line: Callable[[RootLine], None]) -> bool:
        """Let ``prover`` continue; whether it found a mate, or proved that there is none and no other limit is set."""
        main = self.workers[0]
        plies, moves = prover.advance()
        if moves:
            score = MATE - plies if plies > 0 else -MATE - plies
            proved = RootLine(main.lines[0].depth, abs(plies), score, moves)
            main.lines = ranked([proved], main.lines)
            for line in main.lines:
                on_line(line)
            return True
        is_only_limit = (limits.depth, limits.nodes, self._budget.maximum) == (None,) * 3 and not limits.infinite
        return prover.is_through and is_only_limit

    def _tick(self, finished: Signal, on_tick: Callable[[int, int, int], None]) -> None:
        """Report the progress of the search, once a second after the first few."""
        record = self.workers[0].record
        pause = FIRST_TICK
        while not finished.wait(pause):
            pause = TICK
            with self._speaking:
                if finished.is_set():  # no reports after the end
                    return
                on_tick(int(record["root_depth"]), int(record["current_move"]), int(record["current_number"]))

    def wait_for_release(self, limits: Limits) -> None:
        """If the protocol does not allow an answer yet, wait for :meth:`stop` or :meth:`ponderhit`."""
        if limits.infinite or limits.ponder:
            self._released.wait()

    def _is_enough(self, line: RootLine, limits: Limits, choices: int) -> bool:
        """Whether no further iteration should start."""
        if proves_mate(line, limits):
            return True
        with self._lock:
            if self._budget.optimum is None or limits.movetime is not None:
                return False
            main = self.workers[0]
            pace = pace_of(self.parameters.record, main.share_of(line.moves[0]), main.stable, main.drop)
            is_forced = choices == 1 and line.depth >= FORCED_MOVE_DEPTH
            self._due = 0.0 if is_forced else pace * self._budget.optimum
            return not self._pondering and not self._infinite and self._spent() >= self._due

    def _spent(self) -> float:
        """Milliseconds, or nodes that count as such, since the search began, pondering included."""
        rate = self.node_clock.rate
        return self.nodes / rate if rate else self.elapsed
