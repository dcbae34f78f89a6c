"""Threads for the search: a deep stack, jobs that run in order, and waits that Ctrl-C can interrupt anywhere."""

import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from time import monotonic
from typing import Any, Generic, TypeVar

from engine.messages import ThreadError

T = TypeVar("T")

STACK_SIZE = 32 << 20  # bytes of stack for a search thread; the deepest line needs a small part of them
_POLL_SECONDS = 0.05  # seconds between two checks whether a job is finished, in case an interrupt took the wake-up

_STARTING = threading.Lock()


class DeepThread(threading.Thread):
    """A daemon thread with enough stack for a deep search, started when it is made. Raises
    :class:`~engine.messages.ThreadError`, or MemoryError, if the system refuses it."""

    def __init__(self, name: str, work: Callable[..., object], *arguments: Any) -> None:
        super().__init__(target=work, args=arguments, name=name, daemon=True)
        with _STARTING:  # the stack size is a setting of the whole process
            previous = threading.stack_size(STACK_SIZE)
            try:
                self.start()
            except RuntimeError:
                raise ThreadError from None
            finally:
                threading.stack_size(previous)


def in_deep_thread() -> bool:
    """Whether the caller runs in a :class:`DeepThread`: on a deep stack, where no signal raises an exception."""
    return isinstance(threading.current_thread(), DeepThread)


class ThreadTask(Generic[T]):
    """Work for a thread, and its result."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = [work]  # pop() is atomic
        self._result: T | None = None
        self._error: BaseException | None = None
        self._over = threading.Lock()  # an Event could be left locked by an interrupt
        self._over.acquire()
        self.finished = False

    def run(self) -> None:
        try:
            work = self._work.pop()
        except IndexError:
            return
        try:
            self._result = work()
        except BaseException as error:
            self._error = error
        del work  # may hold the last reference to the engine
        self.finished = True
        self._over.release()

    def cancel(self) -> bool:
        """Prevent the work; False if it has begun."""
        try:
            self._work.pop()
        except IndexError:
            return False
        self.finished = True
        return True

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the work is done, at most ``timeout`` seconds; return whether it is."""
        end = None if timeout is None else monotonic() + timeout
        while not self.finished:
            rest = _POLL_SECONDS if end is None else min(_POLL_SECONDS, end - monotonic())
            if rest <= 0:
                return False
            self._over.acquire(timeout=rest)
        return True

    def result(self) -> T:
        """Wait, and return what the work returned, or raise what it raised."""
        self.wait()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]


class TaskThread:
    """A :class:`DeepThread` that runs jobs in order. It ends with :meth:`end`, or with the last reference to this
    object: between jobs the thread refers to nothing but its queue."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[ThreadTask[Any] | None] = SimpleQueue()
        self.end = weakref.finalize(self, self._jobs.put, None)  # ends the thread after the jobs that are queued
        self.end.atexit = False
        self.thread = DeepThread(name, _serve, self._jobs)

    def put(self, job: ThreadTask[T]) -> ThreadTask[T]:
        """Queue ``job``, and return it. A job that was queued before is run once."""
        self._jobs.put(job)
        return job


def _serve(jobs: SimpleQueue[ThreadTask[Any] | None]) -> None:
    while (job := jobs.get()) is not None:
        job.run()
        del job


def run_on_deep_stack(work: Callable[[], T]) -> T:
    """Run ``work`` in a thread with enough stack for a deep search; return what it returns and raise what it raises."""
    job = ThreadTask(work)
    DeepThread("numbat-deep", job.run)
    return job.result()
