"""Threads that wait for work: started before the clock runs, and awaited through events only.

``Thread.join`` and ``Thread.is_alive`` are not used: before Python 3.13 a signal that interrupts ``join`` marks the
thread as ended, and the caller would then share its memory with a search that still runs.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic

Work = Callable[[], object]

#: Bytes of stack for a search thread; the deepest line needs a small part of them.
STACK_SIZE = 32 << 20


def run_on_deep_stack(work: Work) -> None:
    """Run ``work`` in a thread with enough stack for a deep search, wait for its end, and raise what it raises."""
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


class Signal:
    """An event that stays intact when an exception interrupts it at any instruction.

    ``threading.Event`` guards itself with a lock in Python code, which an interrupt can leave held; then every later
    caller waits forever. This class is one flag and single calls. :meth:`wait` also polls slowly, so that a wake-up
    lost to an interrupt costs a moment and a pending interrupt is handled soon.
    """

    __slots__ = ("_bell", "_is_set")

    def __init__(self) -> None:
        self._is_set = False
        self._bell: SimpleQueue[bool] = SimpleQueue()

    def is_set(self) -> bool:
        """Whether it was set."""
        return self._is_set

    def set(self, wake: bool = True) -> None:
        """Wake all waiters, or without ``wake`` let them notice at their next poll."""
        self._is_set = True
        if wake and self._bell.empty():
            self._bell.put(True)

    def clear(self) -> None:
        """Reset the event."""
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set, at most ``timeout`` seconds; return whether it is."""
        end = None if timeout is None else monotonic() + timeout
        while not self._is_set:
            rest = _LOOK if end is None else min(_LOOK, end - monotonic())
            if rest <= 0:
                return False
            try:
                self._bell.get(timeout=rest)
            except Empty:
                continue
            if self._is_set:
                self._bell.put(True)  # for the next waiter
        return True


#: Seconds between two polls.
_LOOK = 0.1


class _Item:
    """A piece of work, and the signal set when it is done."""

    __slots__ = ("over", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.over = Signal()


class ParkedThread:
    """A daemon thread that runs the work it is given, in order, and sleeps in between.

    It ends with :meth:`end`, or with the last reference to this object: the thread refers only to its current work.
    Given work after that, or in a forked child, it starts a new thread. Raises RuntimeError or MemoryError if the
    system refuses one.

    A signal may raise an exception between any two instructions of the main thread. So all pending work is in one deque
    that changes by single calls, and a surplus wake-up does no harm.
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
        """Queue ``work``. An exception that it raises is reported on stderr."""
        if not self._end.alive or self._process != os.getpid():
            self._end.detach()
            self._start()
        self._items.append(_Item(work))
        self._wake.put(True)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all work is done, at most ``timeout`` seconds; return whether it is done."""
        if self._process != os.getpid():
            return True  # the thread stayed in the parent
        try:
            last = self._items[-1]
        except IndexError:
            return True
        self._wake.put(True)  # a signal may have prevented it in run()
        return last.over.wait(timeout)

    @property
    def busy(self) -> bool:
        """Whether any work is pending or running."""
        return bool(self._items)

    @property
    def is_current(self) -> bool:
        """Whether the caller is this thread."""
        return self._thread is threading.current_thread()

    def end(self) -> None:
        """End the thread once its work is done."""
        self._end()


def _start_thread(name: str, items: deque[_Item], wake: SimpleQueue[bool]) -> threading.Thread:
    with _STARTING:  # the stack size is a setting of the whole process
        previous = threading.stack_size(STACK_SIZE)
        try:
            thread = threading.Thread(target=_serve, args=(items, wake), name=name, daemon=True)
            thread.start()
        finally:
            threading.stack_size(previous)
    return thread


_STARTING = threading.Lock()


def _done() -> None:
    """Replaces finished work."""


def _serve(items: deque[_Item], wake: SimpleQueue[bool]) -> None:
    """The thread's loop. An item stays in ``items`` until it is done, so that no running search is overlooked."""
    while wake.get():
        while items:
            item = items[0]
            try:
                item.work()
            except BaseException as error:
                report = threading.ExceptHookArgs((type(error), error, error.__traceback__, threading.current_thread()))
                threading.excepthook(report)
                del report
            item.work = _done  # may hold the last reference to the engine
            items.popleft()
            item.over.set()
            del item
