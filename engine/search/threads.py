"""Threads that wait for work: made before the clock runs, waited for by events alone.

``Thread.join`` and ``Thread.is_alive`` are not used: before Python 3.13 a ``join`` that a signal interrupts takes the
thread for ended, and whoever trusts that shares its memory with a search that still runs.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue

Work = Callable[[], object]

#: Bytes of stack for a search thread: the deepest line needs a small part of it.
STACK_SIZE = 32 << 20


def run_on_deep_stack(work: Work) -> None:
    """Run ``work`` in a thread with the stack that a deep search needs, wait for its end, and raise what it raises."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = ParkedThread("numbat-deep")
    try:
        thread.run(run)
        thread.wait()
    finally:
        thread.end()
    if errors:
        raise errors[0]


class _Item:
    """A piece of work, and the event of its end."""

    __slots__ = ("over", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.over = threading.Event()


class ParkedThread:
    """A daemon thread that runs what it is given, one piece after the other, and sleeps in between.

    It ends with :meth:`end`, or when nobody holds this object any more: the thread holds nothing but the work it is
    at. Given work after that, or in a forked child, a new thread is started. Raises RuntimeError or MemoryError
    when the system refuses one.

    An exception may be raised by a signal between any two instructions of the main thread. So the work that is not done
    yet is kept in one place, a deque that is changed by single calls, and a wake-up too many does no harm.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._items: deque[_Item] = deque()
        self._wake: SimpleQueue[bool] = SimpleQueue()  # its put() may be called by a finalizer at any time
        self._end = weakref.finalize(self, self._wake.put, False)
        self._end.atexit = False
        try:
            self._thread = _start_thread(self._name, self._items, self._wake)
        except BaseException:
            self._end()
            raise

    def run(self, work: Work) -> None:
        """Have the thread run ``work`` after what it was given before. What ``work`` raises is reported on stderr."""
        if not self._end.alive or self._process != os.getpid():
            self._end.detach()
            self._start()
        self._items.append(_Item(work))
        self._wake.put(True)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all work is done, at most ``timeout`` seconds; return whether it is."""
        if self._process != os.getpid():
            return True  # the thread stayed in the parent
        try:
            last = self._items[-1]
        except IndexError:
            return True
        self._wake.put(True)  # a signal may have kept run() from it
        return last.over.wait(timeout)

    @property
    def busy(self) -> bool:
        """Whether there is work that is not done."""
        return bool(self._items)

    @property
    def is_current(self) -> bool:
        """Whether it is this thread that asks."""
        return self._thread is threading.current_thread()

    def end(self) -> None:
        """Let the thread end when its work is done."""
        self._end()


def _start_thread(name: str, items: deque[_Item], wake: SimpleQueue[bool]) -> threading.Thread:
    with _STARTING:  # the size is a setting of the whole process
        former = threading.stack_size(STACK_SIZE)
        try:
            thread = threading.Thread(target=_serve, args=(items, wake), name=name, daemon=True)
            thread.start()
        finally:
            threading.stack_size(former)
    return thread


_STARTING = threading.Lock()


def _done() -> None:
    """In place of work that was done."""


def _serve(items: deque[_Item], wake: SimpleQueue[bool]) -> None:
    """The life of a thread: it leaves an item among ``items`` until that is done, so that no search is overlooked."""
    while wake.get():
        while items:
            item = items[0]
            try:
                item.work()
            except BaseException as error:
                report = threading.ExceptHookArgs((type(error), error, error.__traceback__, threading.current_thread()))
                threading.excepthook(report)
                del report
            item.work = _done  # what was worked for may be held by nobody else
            items.popleft()
            item.over.set()
            del item
