"""All threads of one search: how they start, how the clock stops them, and when the result is ready.

Every thread searches the same position on its own record; they help each other only through the shared transposition
table (Lazy SMP). The calling thread is the main one: it reports and decides when to stop. The helpers search in one
compiled call.

Helpers are created when their number is set, and then wait for work. In a search each wakes the next when it is ready
itself. So the main thread wakes only one of them, and with fewer processors than threads most of the others sleep
through a short search."""

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from engine.evaluation.choice import Evaluation
from engine.jit import TICKS_PER_SECOND, callback, clock_now, new_record
from engine.search.deepening import REPORT_ALL
from engine.search.lazy_smp import SearchTask, vote
from engine.search.mates import MateGoal, proves_mate
from engine.search.parameters import Parameters
from engine.search.state import CONTROL, NO_DEADLINE
from engine.search.threads import TaskThread, ThreadTask
from engine.search.timeman import FORCED_MOVE_DEPTH, Budget, NodeClock, pace_of, plan
from engine.search.transposition import start_generation
from engine.search.worker import RootLine, Worker

OnLine = Callable[[RootLine], None]

OnTick = Callable[[int, int, int], None]  # gets the depth of the iteration, the root move under search and its number

#: Seconds before the first report of progress within an iteration, and between these reports.
FIRST_TICK_SECONDS, TICK_SECONDS = 3.0, 1.0

#: Seconds to wait for helpers before the vote. They take longer only with far more threads than processors; then they
#: have no vote, and the next search waits for them.
GRACE_SECONDS = 0.01

#: Milliseconds, and the share of the optimum, for which a search on the clock reports nothing.
MIN_REPORT_MS, MIN_REPORT_SHARE = 10.0, 0.2

HEADROOM = 2  # threads released, as headroom, when the system refuses another
LONGEST_SEARCH = 4e12  # milliseconds, about a century, beyond which the clock for deadlines would overflow


def trim_heap() -> None:
    """Make the C library return freed memory to the system; glibc keeps blocks of the size of a worker."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # other C libraries have none, and need none
        if trim is not None:
            trim(0)


def _nothing() -> None:
    pass


class Ticker:
    """The function that compiled code calls once a second, for reports within an iteration."""

    def __init__(self) -> None:
        #: Gets the root move under search and its number; raises nothing.
        self.on_tick: Callable[[int, int], None] | None = None
        self.address, self._callback = callback(self._tick)  # which must live as long as its address is used

    def _tick(self, move: int, number: int) -> int:
        """Report, and return the clock ticks of the next call."""
        if self.on_tick is not None:
            self.on_tick(move, number)
        return clock_now() + int(TICK_SECONDS * TICKS_PER_SECOND)


class Pool:
    """The workers, and the control record through which they are stopped. ``report`` gets a line when the system
    refuses threads. Raises MemoryError without room for one worker."""

    def __init__(self, threads: int, evaluation: Evaluation, report: Callable[[str], None] = lambda line: None) -> None:
        self._evaluation = evaluation
        self.parameters = Parameters()  # the search parameters of all workers
        self._report = report
        self.control: Any = new_record(CONTROL)  # the stop flag and the deadline, which all threads read as they search
        self._address = self.control.__array_interface__["data"][0]
        self._lock = threading.RLock()  # a finalizer may signal a stop anywhere
        self._task: SearchTask | None = None  # under search
        self._pondering = False
        self._began = self._ended = 0.0  # of the search, in seconds
        self._errors: list[BaseException] = []  # of its reports
        self._due: float | None = None
        self._budget = Budget(None, None)
        self._nodes_before = 0  # nodes searched before ponderhit, not charged to the node clock
        self.node_clock = NodeClock()  # counts nodes as milliseconds if its ``rate`` is not 0
        self.workers: list[Worker] = [Worker(self._address, evaluation, self.parameters)]  # then the helpers
        self._active: list[Worker] = []  # the workers that took part in this search
        self._helpers: list[TaskThread] = []  # one for each worker but the first
        self._helping: list[ThreadTask[None]] = []  # what they were asked to do in the last search
        self._ticker = Ticker()
        self.workers[0].record["tick_address"] = self._ticker.address
        self.resize(threads)

    def resize(self, threads: int) -> None:
        """Have ``threads`` workers, or as many as the system allows; new ones have empty histories. One worker for each
        processor gets its memory now, the others in their first search."""
        self.wait_for_helpers()
        self._active = []
        touched: list[ThreadTask[None]] = []
        self._shrink(threads)
        try:
            while len(self.workers) < threads:
                worker = Worker(self._address, self._evaluation, self.parameters)
                self._helpers.append(TaskThread(f"numbat-helper-{len(self.workers)}"))
                self.workers.append(worker)
                if len(self.workers) <= (os.cpu_count() or 1):
                    touched.append(self._helpers[-1].put(ThreadTask(worker.touch)))
        except (RuntimeError, MemoryError):
            # Release some: the rest of the process needs threads and memory too.
            self._shrink(max(1, len(self.workers) - HEADROOM))
            self._report(f"could not start all threads: searching with {len(self.workers)} of {threads}")
        for job in touched:
            job.result()

    def _shrink(self, threads: int) -> None:
        """Release all but ``threads`` workers."""
        if threads >= len(self.workers):
            return
        for helper in self._helpers[threads - 1 :]:
            helper.end()
        del self._helpers[threads - 1 :], self.workers[threads:]
        trim_heap()

    def wait_for_helpers(self) -> None:
        """Wait until the helpers have left the last search, and no longer use its table, evaluation and records."""
        for job in self._helping:  # each calls the next before it ends
            job.result()
        self._helping = []

    def close(self) -> None:
        self.wait_for_helpers()
        for helper in self._helpers:
            helper.end()

    def use(self, evaluation: Evaluation) -> None:
        """Evaluate by ``evaluation`` from the next search on."""
        self.wait_for_helpers()
        self._evaluation = evaluation
        for worker in self.workers:
            worker.use(evaluation)

    def run_on_all(self, work: Callable[[int, int], object]) -> None:
        """Call ``work(part, parts)`` for each part, in one thread for each processor, at most one for each worker."""
        self.wait_for_helpers()
        helpers = self._helpers[: (os.cpu_count() or 1) - 1]
        parts = len(helpers) + 1
        jobs = [helper.put(ThreadTask(partial(work, part, parts))) for part, helper in enumerate(helpers, 1)]
        work(0, parts)
        for job in jobs:
            job.result()

    def clear(self) -> None:
        """Forget all histories, and the node clock's time."""
        self.node_clock.reset()

        def clear(part: int, parts: int) -> None:
            for worker in self.workers[part::parts]:
                worker.clear()

        self.run_on_all(clear)

    @property
    def nodes(self) -> int:
        return sum(worker.nodes for worker in self._active)

    @property
    def table_hits(self) -> int:
        return sum(worker.table_hits for worker in self._active)

    @property
    def elapsed(self) -> float:
        """Milliseconds since the search began, or that it took, without the wait for a signal."""
        return ((self._ended or time.perf_counter()) - self._began) * 1000

    @property
    def pondering(self) -> bool:
        return self._pondering

    def search(self, task: SearchTask, on_line: OnLine, on_tick: OnTick = lambda *state: None) -> RootLine:
        """Search until the limits or signals of ``task`` end it, and return the best line.

        ``on_line`` gets each iteration's lines, and those of failed windows; ``on_tick`` is called once a second after
        the first few. Both run in this thread, which needs a deep stack. Under ``infinite`` and ``ponder`` the return
        waits silently for a signal. The result's move may differ from the last line's."""
        main, limits = self.workers[0], task.limits
        self._begin(task, on_tick)
        try:
            try:
                task.prepare(main, len(self.workers))
                self._admit(main)
                self._call_helper(1, task)
                goal = None if limits.mate is None else MateGoal(task, main, self._budget.maximum, on_line)
                on_bound = goal.on_bound if goal else on_line
                for lines in main.deepen(1, task.max_depth, task.multipv, on_bound, self._quiet_until(task)):
                    for line in lines:
                        on_line(line)
                    if self._should_stop(task, lines[0]) or (goal is not None and goal.is_reached()):
                        break
                if goal is not None:
                    goal.finish()
            finally:
                self._end()
            if self._errors:
                raise self._errors[0]
            task.signals.wait(limits)
            if not self._pondering:  # a ponder miss costs nothing
                self.node_clock.spend(self.nodes - self._nodes_before)
            return self._best_line(task)
        finally:
            self._task, task.signals.on_change = None, _nothing

    def _begin(self, task: SearchTask, on_tick: OnTick) -> None:
        """Start the clock of a search; from here on its signals end it."""
        self.wait_for_helpers()  # a helper still in the last search would obey the new deadline
        start_generation(task.table.record)
        limits = self.node_clock.limits_for(task.limits, task.white_to_move)
        overhead = 0 if self.node_clock.rate > 0 else task.overhead
        self._budget = plan(limits, task.white_to_move, overhead, self.parameters)
        self._began, self._ended, self._due = task.began, 0.0, None
        self._active, self._errors, self._nodes_before = [], [], 0
        record = self.workers[0].record
        record["next_tick"] = clock_now() + int(FIRST_TICK_SECONDS * TICKS_PER_SECOND)
        self._ticker.on_tick = partial(self._tick, on_tick)
        with self._lock:
            self.control["deadline"] = NO_DEADLINE
            self.control["stop"] = 0
            self._task, self._pondering = task, limits.ponder
            if not limits.ponder:
                self._start_clock((time.perf_counter() - task.began) * 1000)
            task.signals.on_change = self._apply_signals
            self._apply_signals()

    def _end(self) -> None:
        """Stop the helpers, and wait for them a moment."""
        self.control["stop"] = 1
        self._ticker.on_tick = None
        deadline = time.monotonic() + GRACE_SECONDS
        for job in self._helping:
            if not job.wait(deadline - time.monotonic()):
                break
        self._ended = time.perf_counter()

    def _best_line(self, task: SearchTask) -> RootLine:
        """The line that the threads vote for; if no root move was searched to the end, the first move."""
        lines = self.workers[0].lines
        best = lines[0] if lines else RootLine()
        votes = task.multipv == 1 and task.limits.depth is None and not proves_mate(best, task.limits)
        if votes and len(self._active) > 1:
            found = [worker.lines for worker in self._active]  # helpers that are slow to leave may still set theirs
            best = vote([lines[0] for lines in found if lines])
        return best if best.moves else RootLine(moves=task.moves[:1], score=self._evaluation.value(task.position))

    def _apply_signals(self) -> None:
        """Obey the signals of the search that runs. Time spent pondering counts towards the optimum, so a search that
        has used it up ends immediately; the maximum, which protects the clock, counts from ``ponderhit``."""
        with self._lock:
            task = self._task
            if task is None:
                return
            if task.signals.stopped:
                self.control["stop"] = 1
            elif task.signals.hit and self._pondering:
                self._pondering = False
                self._nodes_before = self.nodes
                if not task.limits.infinite:
                    self._start_clock()
                    for worker in self._active:
                        self._limit_nodes(worker)
                    if self._due is not None and self._spent() >= self._due:
                        self.control["stop"] = 1

    def _start_clock(self, used: float = 0.0) -> None:
        """Start counting the maximum, of which ``used`` milliseconds have passed."""
        maximum = self._budget.maximum
        if maximum is not None and not self.node_clock.rate:
            left = min(maximum, LONGEST_SEARCH) - used
            self.control["deadline"] = clock_now() + int(left * TICKS_PER_SECOND / 1000)

    def _limit_nodes(self, worker: Worker) -> None:
        """If nodes count as time, limit ``worker`` to its share of the maximum."""
        rate, maximum = self.node_clock.rate, self._budget.maximum
        if rate and maximum is not None and not self._pondering:
            share = int(maximum * rate) // len(self.workers) + 1
            worker.record["node_limit"] = min(int(worker.record["node_limit"]), worker.nodes + share)

    def _admit(self, worker: Worker) -> None:
        """Register the prepared ``worker`` as active."""
        with self._lock:  # ponderhit may have come already, and may come at any time
            self._active.append(worker)
            self._limit_nodes(worker)

    def _call_helper(self, index: int, task: SearchTask) -> None:
        """Wake the helper ``index``, if there is one."""
        if index < len(self.workers):
            self._helping.append(self._helpers[index - 1].put(ThreadTask(partial(self._help, index, task))))

    def _help(self, index: int, task: SearchTask) -> None:
        """A helper's part: search until stopped. Results go into the shared table, the line into the vote."""
        if self.control["stop"]:
            return
        worker = self.workers[index]
        with suppress(MemoryError):  # then the others search without it
            task.prepare(worker, len(self.workers))
            self._admit(worker)
            self._call_helper(index + 1, task)
            worker.deepen_silently(1 + (index - 1) % 2, task.max_depth)

    def _tick(self, on_tick: OnTick, move: int, number: int) -> None:
        """Report progress within an iteration. An error ends the search, which raises it."""
        try:
            on_tick(int(self.workers[0].record["root_depth"]), move, number)
        except BaseException as error:
            self._errors.append(error)
            self.control["stop"] = 1

    def _quiet_until(self, task: SearchTask) -> int:
        """The clock ticks until which the search reports nothing; REPORT_ALL if there is no such time. In timed games
        earlier reports are too many for a reader, and cost thinking time."""
        optimum, limits = self._budget.optimum, task.limits
        if optimum is None or task.multipv > 1 or self.node_clock.rate or limits.infinite or limits.ponder:
            return REPORT_ALL
        if (limits.movetime, limits.depth, limits.nodes, limits.mate) != (None,) * 4:  # a user is watching
            return REPORT_ALL
        return clock_now() + int(min(MIN_REPORT_MS, MIN_REPORT_SHARE * optimum) * TICKS_PER_SECOND / 1000)

    def _should_stop(self, task: SearchTask, line: RootLine) -> bool:
        """Whether the planned time is used up, so that no further iteration should start."""
        with self._lock:
            if self._budget.optimum is None or task.limits.movetime is not None:
                return False
            main = self.workers[0]
            pace = pace_of(self.parameters.record, main.share_of(line.moves[0]), main.stable, main.drop)
            is_forced = len(task.moves) == 1 and line.depth >= FORCED_MOVE_DEPTH
            self._due = 0.0 if is_forced else pace * self._budget.optimum
            return not self._pondering and not task.limits.infinite and self._spent() >= self._due

    def _spent(self) -> float:
        """Milliseconds, or nodes that count as such, since the search began, pondering included."""
        rate = self.node_clock.rate
        return self.nodes / rate if rate else self.elapsed
