"""The calls of an engine: one at a time, first come, first served, in a thread of the engine's own.

The caller waits for the thread, so that Ctrl-C can end the work and the engine stays sound. In a
:class:`engine.search.threads.DeepThread`, such as that of the UCI loop, work runs in the calling thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from threading import Lock, RLock, get_ident
from typing import Any, TypeVar

from engine.messages import Signals
from engine.search.threads import TaskThread, ThreadTask, in_deep_thread

T = TypeVar("T")

CLOSED = "this engine is closed; create a new one"
FORKED = "this engine belongs to the process that forked this one; create a new one"
_CALLBACK = "callbacks for reports cannot start another search, or change or close the engine"


class Calls:
    """The queue of an engine's calls, and its thread. It does not refer to the engine between calls."""

    def __init__(self) -> None:
        self.closed = False
        self._process = os.getpid()
        self._pending: dict[ThreadTask[Any], Signals] = {}  # the calls that run or wait, in order
        self._streams: set[ThreadTask[Any]] = set()  # pending calls without a waiter
        self._order = RLock()  # of the queue; taken again by a signal handler
        self._running = Lock()  # held by the call that runs
        self._runner = 0  # its thread
        self._thread: TaskThread | None = None

    @property
    def busy(self) -> bool:
        """Whether a call runs or waits."""
        return any(not job.finished for job in tuple(self._pending))

    @property
    def forked(self) -> bool:
        """Whether this process is a copy of the engine's, without its threads."""
        return self._process != os.getpid()

    def check(self) -> None:
        """Raise RuntimeError if a call could never get its turn: in a copy, after the end, or from a callback."""
        if self.forked:
            raise RuntimeError(FORKED)
        if self.closed:
            raise RuntimeError(CLOSED)
        self._refuse_callback()

    def run(self, work: Callable[[], T], signals: Signals) -> T:
        """Run ``work`` after earlier calls; ``signals`` end it. Raises its errors, and those of :meth:`check`."""
        job = ThreadTask(partial(self._perform, work))
        try:
            try:
                self.check()
                self._queue(job, signals, here=in_deep_thread())
                return job.result()
            finally:
                self._leave(job, signals)
        except BaseException:
            self._leave(job, signals)  # an interrupt may have cut it short
            raise

    def start(self, work: Callable[[], object], signals: Signals) -> ThreadTask[Any]:
        """Run ``work`` after earlier calls without waiting; the next call stops it. Raises RuntimeError."""
        self.check()
        job: ThreadTask[Any] = ThreadTask(partial(self._perform, work, always=True))
        self._queue(job, signals, is_stream=True)
        return job

    def stop(self) -> None:
        """Stop the running call and all queued ones."""
        if not self.forked:
            for signals in tuple(self._pending.values()):
                signals.stop()

    def ponderhit(self) -> None:
        """Tell the running call and all queued ones that the expected move was played."""
        if not self.forked:
            for signals in tuple(self._pending.values()):
                signals.ponderhit()

    def close(self, release: Callable[[], None]) -> None:
        """Stop and refuse all calls, then call ``release``. Raises RuntimeError in a callback."""
        self._refuse_callback()
        with self._order:
            self.closed = True
            self.stop()
            job = ThreadTask(partial(self._perform, release, always=True))
            if self._thread is not None:
                self._thread.put(job)
        if self._thread is None or in_deep_thread():
            job.run()
        job.result()
        with self._order:
            if self._thread is not None:
                self._thread.end()
                self._thread = None

    def _refuse_callback(self) -> None:
        if self._runner == get_ident():
            raise RuntimeError(_CALLBACK)

    def _queue(self, job: ThreadTask[Any], signals: Signals, here: bool = False, is_stream: bool = False) -> None:
        """Append ``job``, stop the streams before it, and run it, in this thread if it is to be ``here``. Raises
        RuntimeError if the engine was closed since the check."""
        with self._order:
            if self.closed:
                raise RuntimeError(CLOSED)
            for stream in tuple(self._streams):
                if not stream.finished:
                    self._pending[stream].stop()
                del self._pending[stream]
                self._streams.discard(stream)
            self._pending[job] = signals
            if is_stream:
                self._streams.add(job)
            if not here:
                if self._thread is None:
                    self._thread = TaskThread("numbat-engine")
                self._thread.put(job)
        if here:
            job.run()

    def _perform(self, work: Callable[[], T], always: bool = False) -> T:
        with self._running:
            if self.closed and not always:
                raise RuntimeError(CLOSED)
            self._runner = get_ident()
            try:
                return work()
            finally:
                self._runner = 0

    def _leave(self, job: ThreadTask[Any], signals: Signals) -> None:
        """Forget ``job``; if its caller was interrupted, end it first."""
        if not job.finished and not job.cancel():
            signals.stop()
            job.wait()
        self._pending.pop(job, None)
