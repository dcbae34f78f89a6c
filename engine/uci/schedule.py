"""The order in which the tasks of a conversation run.

Any thread may submit tasks; one thread runs them. A search, a perft, a bench or an explanation runs beside it as
:class:`Work`. The end of work is itself a task, queued before its last line is printed, so that the GUI's answer to
that line comes after it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from queue import Empty, SimpleQueue

#: Seconds before a blocked command reports that it is waiting.
_PATIENCE = 1.0


class Turn(Enum):
    """When a task may run."""

    #: At once.
    NOW = "now"
    #: In its turn, but without waiting for a search or an explanation that was not stopped, nor for tasks that do
    #: (``isready``).
    IN_ORDER = "in order"
    #: In its turn, when no work is running.
    AT_REST = "at rest"


@dataclass(slots=True)
class Task:
    """A task. ``stopped`` and ``hit`` are set if ``stop`` or ``ponderhit`` came while it waited; they then apply to the
    work that it starts."""

    name: str
    run: Callable[[], None]
    turn: Turn = Turn.AT_REST
    stopped: bool = False
    hit: bool = False


def _nothing() -> None:
    pass


@dataclass(slots=True)
class Work:
    """A job that runs beside the tasks. ``stop`` ends it, ``hit`` reports ``ponderhit`` to it, and ``wait`` returns
    when its thread has finished. Only a ``search`` has an answer when stopped. A search, or work that may be
    ``overtaken``, does not delay tasks that are ``IN_ORDER``."""

    name: str
    stop: Callable[[], None]
    search: bool = False
    hit: Callable[[], None] = _nothing
    wait: Callable[[], object] = _nothing
    overtaken: bool = False
    stopped_at: float | None = field(default=None, init=False)


class Schedule:
    """The queue of tasks and the running work. ``run`` runs a task; ``remark`` reports a task that waits for long."""

    def __init__(self, run: Callable[[Task], None], remark: Callable[[str], None]) -> None:
        self._execute = run
        self._remark = remark
        self._inbox: SimpleQueue[Task] = SimpleQueue()
        self._waiting: deque[Task] = deque()
        self._work: Work | None = None
        self._reported = False
        self._over = False

    # --- for any thread -----------------------------------------------------------------------------

    def submit(self, task: Task) -> None:
        """Queue ``task``."""
        self._inbox.put(task)

    def finish(self, last_word: Callable[[], None]) -> None:
        """End the work: print its ``last_word``, then run the tasks that waited for it."""
        self.submit(Task("end", lambda: self._end(last_word), Turn.NOW))

    def overdue(self, seconds: float) -> bool:
        """Whether the work was stopped more than ``seconds`` ago and still runs."""
        work = self._work
        return work is not None and work.stopped_at is not None and time.monotonic() - work.stopped_at > seconds

    # --- in the thread that serves ------------------------------------------------------------------

    def serve(self) -> None:
        """Run tasks until :meth:`close` has been called and all earlier tasks are done."""
        while not (self._over and self._work is None and not self._waiting):
            task, previous = self._next(), self._work
            if self._must_wait(task):
                self._waiting.append(task)
            else:
                self._run(task)
            while self._waiting and not self._must_wait(self._waiting[0]):
                self._run(self._waiting.popleft())
            if self._work is not previous:
                self._run_early()

    def begin(self, work: Work) -> None:
        """Make ``work`` the running work; called by a task that is ``AT_REST``."""
        self._work = work

    def stop(self) -> None:
        """Stop the running work and any that the waiting tasks will start."""
        for task in self._waiting:
            task.stopped = True
        self._stop_work()

    def ponder_hit(self) -> None:
        """Pass ``ponderhit`` to the running work and to any that the waiting tasks will start."""
        for task in self._waiting:
            task.hit = True
        if self._work is not None:
            self._work.hit()

    def close(self, at_once: bool) -> None:
        """Accept no further task. Searches are stopped, waiting ones as soon as they begin; other work is finished.
        With ``at_once`` all work is stopped and waiting tasks are dropped."""
        self._over = True
        if at_once:
            self._waiting.clear()
        if self._work is not None and (at_once or self._work.search):
            self._stop_work()

    def _run_early(self) -> None:
        """Run the waiting tasks that need not wait for the new work."""
        early = [task for task in self._waiting if not self._must_wait(task)]
        if early:
            self._waiting = deque(task for task in self._waiting if self._must_wait(task))
            for task in early:
                self._run(task)

    def _next(self) -> Task:
        if self._waiting and not self._reported:
            try:
                return self._inbox.get(timeout=_PATIENCE)
            except Empty:
                self._reported = True
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
        finally:
            self._work, self._reported = None, False
