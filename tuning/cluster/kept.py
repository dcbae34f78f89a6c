"""State that a worker process keeps between units, such as running engines, and its current unit.

Units run in threads, which cannot be stopped from outside. A long unit registers with :func:`on_cancel` how to end it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future

_closers: list[Callable[[], None]] = []
_tasks: dict[str, Future[None]] = {}
_current = threading.local()
_listeners: list[Callable[[str], None]] = []


@contextlib.contextmanager
def task(key: str) -> Iterator[Future[None]]:
    """Mark this thread as running the unit ``key``; its future says whether it was cancelled."""
    _current.task = _tasks[key] = Future()
    try:
        yield _current.task
    finally:
        del _tasks[key], _current.task


def cancel(key: str) -> None:
    """Cancel the unit ``key``, if it runs in this process."""
    if found := _tasks.get(key):
        found.cancel()


def on_cancel(hook: Callable[[], object]) -> None:
    """Call ``hook`` when the unit of this thread (if any) is cancelled."""
    if found := getattr(_current, "task", None):
        found.add_done_callback(lambda done: hook())


def forward_notices(log: Callable[[str], None]) -> None:
    """Forward the lines of :func:`notify` to ``log``."""
    _listeners[:] = [log]


def notify(line: str) -> None:
    """Show a line to the user of the tool."""
    for listener in _listeners:
        listener(line)


def cold(stage: str) -> None:
    """Report that this process compiles the engine first; ``stage`` is ignored."""
    notify("compiles the engine first; run `numbat warmup` there beforehand")


def close_at_end(closer: Callable[[], None]) -> None:
    """Register ``closer`` for :func:`close` in this process."""
    if closer not in _closers:
        _closers.append(closer)


def close() -> None:
    """Close everything that units of this process keep."""
    for closer in _closers:
        closer()
