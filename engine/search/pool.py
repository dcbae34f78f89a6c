"""All threads of one search: who starts them, who watches the clock, and when the result is due.

Every thread deepens the same position on its own record; they help each other through the shared
transposition table alone (Lazy SMP). The calling thread is the main one: it reports and decides when to stop.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.board.setup import copy_position
from engine.evaluation.choice import Evaluation
from engine.jit import TICKS_PER_SECOND, clock_now, new_record
from engine.messages import Limits
from engine.search.mates import Prover
from engine.search.scores import DECIDED, MATE, MATE_BOUND, MAX_PLY
from engine.search.state import CONTROL
from engine.search.tables import Access
from engine.search.timeman import Budget, NodeClock, Pacer, plan
from engine.search.transposition import TranspositionTable
from engine.search.tunables import Parameters
from engine.search.worker import UNLIMITED, Line, Worker

#: Bytes of stack for a search thread: the deepest line needs a small part of it.
STACK_SIZE = 32 << 20

#: Seconds before the first report of the root move under search.
FIRST_TICK = 3.0

#: Stop early where there is nothing to choose: one legal move is searched this deep for its score. So is every
#: position before mates are looked for, which can take all the time there is.
FORCED_MOVE_DEPTH = 8

#: Milliseconds; the clock that deadlines are set by would overflow beyond. A century is enough.
LONGEST_SEARCH = 4e12


def start_thread(target: Callable[..., None], *arguments: Any) -> threading.Thread:
    """Start a daemon thread with the stack that a deep search needs."""
    with _STARTING:  # the size is a setting of the whole process
        former = threading.stack_size(STACK_SIZE)
        try:
            thread = threading.Thread(target=target, args=arguments, daemon=True)
            thread.start()
        finally:
            threading.stack_size(former)
    return thread


_STARTING = threading.Lock()


class Pool:
    """The workers, and the control record through which they are stopped."""

    def __init__(self, threads: int, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        #: The search parameters of all workers.
        self.parameters = Parameters()
        self._control: Any = new_record(CONTROL)
        self._address = self._control.__array_interface__["data"][0]
        self._released = threading.Event()
        self._lock = threading.Lock()
        self._pondering = self._infinite = False
        self._began = self._started = 0.0
        self._budget = Budget(None, None)
        self._nodes_before = 0  # those of pondering, which are not charged
        #: Counts nodes for milliseconds where its ``rate`` is not 0.
        self.node_clock = NodeClock()
        self.workers: list[Worker] = []
        self.resize(threads)

    def resize(self, threads: int) -> None:
        """Have ``threads`` workers; new ones know no history."""
        del self.workers[threads:]
        while len(self.workers) < threads:
            self.workers.append(Worker(self._address, self._evaluation, self.parameters))

    def use(self, evaluation: Evaluation) -> None:
        """Evaluate by ``evaluation`` from the next search on."""
        self._evaluation = evaluation
        for worker in self.workers:
            worker.use(evaluation)

    def clear(self) -> None:
        """Forget all histories, and the nodes that were spent."""
        self.node_clock.reset()
        for worker in self.workers:
            worker.clear()

    @property
    def nodes(self) -> int:
        """Nodes visited by all threads in this search."""
        return sum(worker.nodes for worker in self.workers)

    @property
    def table_hits(self) -> int:
        """Answers of the endgame tables to all threads in this search."""
        return sum(worker.table_hits for worker in self.workers)

    @property
    def elapsed(self) -> float:
        """Milliseconds since the search began."""
        return (time.perf_counter() - self._began) * 1000

    def patience(self, most: float) -> float:
        """Seconds, ``most`` or fewer, that may pass before the search armed last begins: half of what it has."""
        maximum = self._budget.maximum
        return most if maximum is None else min(most, maximum / 2000)

    def arm(self, limits: Limits, white_to_move: bool, overhead: int) -> None:
        """Start the clock of the next search; from here on :meth:`stop` ends it."""
        with self._lock:
            self._control["stop"] = 0
            self._released.clear()
            self._began = self._started = time.perf_counter()
            self._nodes_before = 0
            counts_nodes = self.node_clock.rate > 0
            limits = self.node_clock.wind(limits, white_to_move)
            self._budget = plan(limits, white_to_move, 0 if counts_nodes else overhead)
            self._pondering, self._infinite = limits.ponder, limits.infinite
            if not limits.ponder:
                self._start_clock()
                if not limits.infinite:
                    self._released.set()
            else:
                self._control["has_deadline"] = 0

    def _start_clock(self) -> None:
        maximum = self._budget.maximum
        self._control["has_deadline"] = 0
        if maximum is not None and not self.node_clock.rate:
            self._control["deadline"] = clock_now() + int(min(maximum, LONGEST_SEARCH) * TICKS_PER_SECOND / 1000)
            self._control["has_deadline"] = 1

    def _limit_nodes(self) -> None:
        """Where nodes are time, end the search when the maximum is used up."""
        rate, maximum = self.node_clock.rate, self._budget.maximum
        if rate and maximum is not None and not self._pondering:
            share = int(maximum * rate) // len(self.workers) + 1
            for worker in self.workers:
                worker.record["node_limit"] = min(int(worker.record["node_limit"]), worker.nodes + share)

    def stop(self) -> None:
        """End the search at once; harmless when none runs."""
        with self._lock:
            self._control["stop"] = 1
            self._released.set()

    def ponderhit(self) -> None:
        """The expected move was played: from now on the clock runs."""
        with self._lock:
            if self._pondering:
                self._pondering = False
                self._started = time.perf_counter()
                self._nodes_before = self.nodes
                if not self._infinite:
                    self._start_clock()
                    self._limit_nodes()
                    self._released.set()

    def search(
        self,
        position: Any,
        limits: Limits,
        moves: list[int],
        table: TranspositionTable,
        on_line: Callable[[Line], None],
        on_tick: Callable[[int, int, int], None],
        count: int = 1,
        endgames: Access | None = None,
    ) -> Line:
        """Search ``position`` over the root ``moves`` (not empty) until ``limits`` or :meth:`stop` end it.

        Call :meth:`arm` before. ``on_line`` gets each iteration's ``count`` lines, and those whose score fell
        outside the window; ``on_tick`` once a second, when some have passed, the depth, the root move under
        search and its number. ``endgames`` are the tables to ask on the way. Under ``infinite`` and ``ponder``
        the return waits for :meth:`stop` or :meth:`ponderhit`. The result always holds a legal move.
        """
        table.new_search()
        share = UNLIMITED if limits.nodes is None else max(1, limits.nodes // len(self.workers))
        for worker in self.workers:
            worker.prepare(position, moves, table, share, endgames)
        with self._lock:  # ponderhit may have come already
            self._nodes_before = 0
            self._limit_nodes()
        last = MAX_PLY if limits.depth is None else limits.depth
        finished = threading.Event()
        helpers = [start_thread(self._tick, finished, on_tick)]
        for index, worker in enumerate(self.workers[1:]):
            helpers.append(start_thread(_help, worker, 1 + index % 2, last))
        main = self.workers[0]
        try:
            if limits.mate is None:
                self._deepen(limits, len(moves), range(1, last + 1), count, on_line)
            else:
                self._look_for_mates(position, limits, moves, count, on_line)
            self.wait_for_release(limits)
        finally:  # a report may raise
            self._control["stop"] = 1
            finished.set()
            for helper in helpers:
                helper.join()
        self.node_clock.spend(self.nodes - self._nodes_before)
        best = self._vote() if count == 1 and limits.depth is None else main.lines[0]
        if not best.moves:  # not even a first move was searched to its end
            best = Line(moves=moves[:1], score=self._evaluation.value(position))
        if best is not main.lines[0]:
            on_line(best)
        return best

    def _deepen(
        self, limits: Limits, choices: int, depths: range, count: int, on_line: Callable[[Line], None]
    ) -> bool:
        """The main worker's iterations over ``depths``, with ``choices`` root moves; whether more may follow."""
        main, pacer = self.workers[0], Pacer(self.parameters)
        for lines in main.deepen(depths.start, depths.stop - 1, count, on_line):
            for line in lines:
                on_line(line)
            line = lines[0]
            pace = pacer.pace(line.moves[0], line.score, main.share_of(line.moves[0]))
            if self._is_enough(line, limits, choices, pace):
                return False
        return not main.record["aborted"]

    def _look_for_mates(
        self, position: Any, limits: Limits, moves: list[int], count: int, on_line: Callable[[Line], None]
    ) -> None:
        """A short search first, for a move and its score whatever comes; then proofs; then, where there is no mate but
        another limit, the search that this one allows."""
        assert limits.mate is not None
        last = MAX_PLY if limits.depth is None else limits.depth
        scouted = min(last, FORCED_MOVE_DEPTH)
        if not self._deepen(replace(limits, mate=None), len(moves), range(1, scouted + 1), count, on_line):
            return
        if self._prove_mates(position, moves, min(limits.mate, (last + 1) // 2), on_line):
            return
        if (limits.depth, limits.nodes, self._budget.maximum) != (None,) * 3:
            self._deepen(limits, len(moves), range(scouted + 1, last + 1), count, on_line)

    def _prove_mates(self, position: Any, moves: list[int], most: int, on_line: Callable[[Line], None]) -> bool:
        """Look for a mate in ``most`` moves or fewer; whether there is one. It is the main worker's line then.

        Half of the nodes at most are spent on it, for the search that follows.
        """
        main = self.workers[0]
        limit = int(main.record["node_limit"])
        main.record["node_limit"] = limit // 2
        for plies, line in Prover(main.record).find(position, moves, most):
            if line:
                score = MATE - plies if plies > 0 else -MATE - plies
                main.lines = [Line(abs(plies), abs(plies), score, line)]
                on_line(main.lines[0])
                return True
        main.record["node_limit"] = limit
        main.record["aborted"] = 0
        copy_position(main.record["position"], position)
        return False

    def _tick(self, finished: threading.Event, on_tick: Callable[[int, int, int], None]) -> None:
        """Report where the search stands, once a second after the first few."""
        record = self.workers[0].record
        if finished.wait(FIRST_TICK):
            return
        while not finished.wait(1.0):
            on_tick(int(record["root_depth"]), int(record["current_move"]), int(record["current_number"]))

    def _vote(self) -> Line:
        """The line to trust: each thread votes for its move with depth and score, a decided game outranks all votes."""
        lines = [worker.lines[0] for worker in self.workers if worker.lines and worker.lines[0].moves]
        if not lines:
            return Line()
        lowest = min(line.score for line in lines)
        votes: dict[int, int] = {}
        for line in lines:
            votes[line.moves[0]] = votes.get(line.moves[0], 0) + (line.score - lowest + 10) * line.depth
        best = lines[0]
        for line in lines[1:]:
            if best.score > DECIDED or line.score > DECIDED:
                if line.score > best.score and not line.bound:
                    best = line
            elif votes[line.moves[0]] > votes[best.moves[0]]:
                best = line
        return best

    def wait_for_release(self, limits: Limits) -> None:
        """Where the protocol forbids to answer yet, wait for :meth:`stop` or :meth:`ponderhit`."""
        if limits.infinite or limits.ponder:
            self._released.wait()

    def _is_enough(self, line: Line, limits: Limits, choices: int, pace: float) -> bool:
        """Whether no further iteration should start."""
        with self._lock:
            pondering, started, budget = self._pondering, self._started, self._budget
        if limits.mate is not None and line.score > MATE_BOUND and MATE - line.score <= 2 * limits.mate:
            return True
        if pondering or limits.infinite:
            return False
        if budget.optimum is None:
            return False
        if choices == 1 and line.depth >= FORCED_MOVE_DEPTH and limits.movetime is None:
            return True
        if self.node_clock.rate:
            spent = (self.nodes - self._nodes_before) / self.node_clock.rate
        else:
            spent = (time.perf_counter() - started) * 1000
        return limits.movetime is None and spent >= pace * budget.optimum


def _help(worker: Worker, first: int, last: int) -> None:
    """A helper thread: deepen until stopped; its lines only feed the shared table."""
    for _ in worker.deepen(first, last):
        pass
