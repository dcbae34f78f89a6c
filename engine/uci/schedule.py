"""Who waits for whom: the order in which the tasks of a conversation are run.

Tasks may come from any thread; one thread serves them. A search, a perft or a bench goes on beside it as
:class:`Work`, and its end is a task like the others, queued before its last line is printed: what a GUI sends in answer
to that line is always behind it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from queue import Empty, SimpleQueue

#: Seconds before somebody who waits for the end of a search is told so.
_PATIENCE = 1.0


class Turn(Enum):
    """When a task may run."""

    #: At once.
    NOW = "now"
    #: In its turn, but never behind a search or an explanation that was not stopped, nor behind what waits for that
    #: (``isready``).
    IN_ORDER = "in order"
    #: In its turn, when nothing is running.
    AT_REST = "at rest"


@dataclass(slots=True)
class Task:
    """One thing to do. ``stopped`` and ``hit`` are set if ``stop`` or ``ponderhit`` came while it waited: what it
    starts is then meant as well."""

    name: str
    run: Callable[[], None]
    turn: Turn = Turn.AT_REST
    stopped: bool = False
    hit: bool = False


def _nothing() -> None:
    pass


@dataclass(slots=True)
class Work:
    """Something that runs beside the tasks: how to ``stop`` it, to tell it of ``ponderhit``, and to ``wait`` until it
    is gone once it has said that it is done. A ``search`` has an answer whenever it is stopped, others do not; like a
    search, work that may be ``overtaken`` does not delay tasks that are only in order."""

    name: str
    stop: Callable[[], None]
    search: bool = False
    hit: Callable[[], None] = _nothing
    wait: Callable[[], object] = _nothing
    overtaken: bool = False
    stopped_at: float | None = field(default=None, init=False)


class Schedule:
    """The tasks, and the work that is running. ``run`` runs a task; ``remark`` is told who waits for long."""

    def __init__(self, run: Callable[[Task], None], remark: Callable[[str], None]) -> None:
        self._execute = run
        self._remark = remark
        self._inbox: SimpleQueue[Task] = SimpleQueue()
        self._waiting: deque[Task] = deque()
        self._work: Work | None = None
        self._told = False
        self._over = False

    # --- for any thread -----------------------------------------------------------------------------

    def submit(self, task: Task) -> None:
        """Have ``task`` run."""
        self._inbox.put(task)

    def finish(self, last_word: Callable[[], None]) -> None:
        """The work is done: say its ``last_word``, and go on with what waited for that."""
        self.submit(Task("end", lambda: self._end(last_word), Turn.NOW))

    def overdue(self, seconds: float) -> bool:
        """Whether the work was stopped that long ago and still runs."""
        work = self._work
        return work is not None and work.stopped_at is not None and time.monotonic() - work.stopped_at > seconds

    # --- in the thread that serves ------------------------------------------------------------------

    def serve(self) -> None:
        """Run tasks until :meth:`close` was called and those before it are done."""
        while not (self._over and self._work is None and not self._waiting):
            task, former = self._next(), self._work
            if self._must_wait(task):
                self._waiting.append(task)
            else:
                self._run(task)
            while self._waiting and not self._must_wait(self._waiting[0]):
                self._run(self._waiting.popleft())
            if self._work is not former:
                self._run_early()

    def begin(self, work: Work) -> None:
        """From now on ``work`` is running; a task at rest calls this."""
        self._work = work

    def stop(self) -> None:
        """Stop what is running and whatever the waiting tasks will start."""
        for task in self._waiting:
            task.stopped = True
        self._stop_work()

    def ponder_hit(self) -> None:
        """Tell what is running, and whatever the waiting tasks will start, that the expected move was played."""
        for task in self._waiting:
            task.hit = True
        if self._work is not None:
            self._work.hit()

    def close(self, at_once: bool) -> None:
        """No task comes after this one. Searches are stopped, those that wait as soon as they begin; other work is
        finished first. With ``at_once`` everything is stopped and what waits is dropped."""
        self._over = True
        if at_once:
            self._waiting.clear()
        if self._work is not None and (at_once or self._work.search):
            self._stop_work()

    def _run_early(self) -> None:
        """Something else is running now; not all that waits has to wait for that."""
        early = [task for task in self._waiting if not self._must_wait(task)]
        if early:
            self._waiting = deque(task for task in self._waiting if self._must_wait(task))
            for task in early:
                self._run(task)

    def _next(self) -> Task:
        if self._waiting and not self._told:
            try:
                return self._inbox.get(timeout=_PATIENCE)
            except Empty:
                self._told = True
                if self._work is not None:
                    self._remark(f"{self._waiting[0].name} queued until {self._work.name} ends")
        return self._inbox.get()

    def _must_wait(self, task: Task) -> bool:
        work = self._work
        if work is None or task.turn is Turn.NOW:
            return False
        return task.turn is Turn.AT_REST or not (work.search or work.overtaken) or work.stopped_at is not None

    def _run(self, task: Task) -> None:
        self._execute(task)
        work = self._work
        if work is None:
            return
        if task.hit:
            work.hit()
        if task.stopped or (self._over and work.search):
            self._stop_work()

    def _stop_work(self) -> None:
        if self._work is not None:
            if self._work.stopped_at is None:
                self._work.stopped_at = time.monotonic()
            self._work.stop()

    def _end(self, last_word: Callable[[], None]) -> None:
        work = self._work
        try:
            last_word()
            if work is not None:
                work.wait()
        finally:  # whatever went wrong, it is over
            self._work, self._told = None, False
