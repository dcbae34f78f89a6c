"""What a worker process keeps from one unit to the next, running engines for instance, and the unit it is at.

Units run in threads, which nothing can stop from outside. One that may take long says with :func:`on_cancel` how.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError

_closers: list[Callable[[], None]] = []
_tasks: dict[str, Task] = {}
_current = threading.local()
_listeners: list[Callable[[str], None]] = []


class Task:
    """A unit that runs in a thread of this process, and that another thread may cancel."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._hooks: list[Callable[[], object]] = []

    def on_cancel(self, hook: Callable[[], object]) -> None:
        with self._lock:
            if not self._cancelled:
                self._hooks.append(hook)
                return
        hook()

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
        for hook in self._hooks:
            hook()

    def check(self) -> None:
        """Raise ``CancelledError`` once the result is no longer wanted."""
        if self._cancelled:
            raise CancelledError


@contextlib.contextmanager
def task(key: str) -> Iterator[Task]:
    """This thread is at the unit ``key`` for as long as this lasts."""
    _current.task = _tasks[key] = Task()
    try:
        yield _current.task
    finally:
        del _tasks[key], _current.task


def cancel(key: str) -> None:
    """Have the unit ``key`` end soon, if it runs in this process."""
    if found := _tasks.get(key):
        found.cancel()


def on_cancel(hook: Callable[[], object]) -> None:
    """Have ``hook`` called when the unit of this thread, if it is at one, is cancelled."""
    if found := getattr(_current, "task", None):
        found.on_cancel(hook)


def listen(tell: Callable[[str], None]) -> None:
    """Have ``tell`` hear what units of this process :func:`tell`."""
    _listeners[:] = [tell]


def tell(line: str) -> None:
    """Show a line to the person who waits for this process."""
    for listener in _listeners:
        listener(line)


def cold(stage: str) -> None:
    """Tell that this process compiles the engine first, whatever the ``stage``."""
    tell("compiles the engine first; run `numbat warmup` there beforehand")


def close_at_end(closer: Callable[[], None]) -> None:
    """Let :func:`close` call ``closer``, in whichever process this is called."""
    if closer not in _closers:
        _closers.append(closer)


def close() -> None:
    """Close everything that units of this process have kept."""
    for closer in _closers:
        closer()
