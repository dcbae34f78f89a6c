"""Turns with the engine: one thread at a time, for one search or several, until another thread stops them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep

from engine.messages import Limits
from engine.search.pool import Pool
from engine.search.threads import ParkedThread

#: Seconds between two checks whether a search in another thread is over.
_POLL = 0.001


class Turns:
    """The turns that threads take with an engine that searches by ``pool``; :class:`engine.Engine` documents them."""

    def __init__(self, pool: Pool) -> None:
        self._pool: Pool | None = pool  # None once closed
        self.searcher = ParkedThread("numbat-search")
        self._inside: tuple[int] | None = None  # the thread that runs a search itself; a new object each time
        self._lock = threading.Lock()  # held by the owner
        self._owner = 0  # the thread whose turn it is
        self._impatient: set[object] = set()  # calls that end running searches to get their turn
        #: A different object after each stop.
        self.last_stop: object = object()
        self._since: object = object()  # the last stop that does not count in this turn

    @contextmanager
    def turn(self, since: object = None) -> Iterator[None]:
        """A turn after those of other threads; ends a search that was only started. Can be nested."""
        since = since or self.last_stop
        self._refuse_callbacks()
        if self._owner == threading.get_ident():
            self._end_search()
            yield
            return
        with self._lock:
            self._owner, self._since = threading.get_ident(), since
            try:
                self._end_search()
                yield
            finally:
                self._owner = 0

    def _end_search(self) -> None:
        self.halt()
        self.wait()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """A :meth:`turn` that ends all searches before it, even those that begin while it waits."""
        self._refuse_callbacks()
        waiting = object()
        try:
            if self._owner != threading.get_ident():
                self._impatient.add(waiting)
                self.halt()
            with self.turn():
                self._impatient.discard(waiting)
                yield
        finally:
            self._impatient.discard(waiting)

    @property
    def cut(self) -> bool:
        """Whether the searches of this turn end at once, after a stop or for a call that is waiting."""
        return bool(self._impatient) or self.last_stop is not self._since

    def begin(self, search: Callable[[], None], here: bool = False) -> None:
        """Run ``search``, which the pool has begun, in its own thread, or ``here``; the caller has the turn."""
        if self.cut:  # once it has begun, the pool remembers a stop
            self.halt()
        if not here:
            self.searcher.run(search)
            return
        try:
            self._inside = (threading.get_ident(),)
            search()
        finally:
            self._inside = None

    def stop(self) -> None:
        """End the search, or all searches of a :meth:`turn`, even one about to begin."""
        self.last_stop = object()
        self.halt()

    def halt(self, only: Limits | None = None) -> None:
        """End the running search, if any; with ``only``, just the one with this limits object."""
        if self._pool is not None:
            self._pool.stop(only)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the search is over, at most ``timeout`` seconds, and return whether it is. In a callback, return
        False at once."""
        if self._in_callback:
            return False
        end = None if timeout is None else monotonic() + timeout
        inside = self._inside
        while inside is not None and self._inside is inside:  # it is short; an event could be lost to an interrupt
            if end is not None and monotonic() >= end:
                return False
            sleep(_POLL)
        return self.searcher.wait(None if end is None else max(0.0, end - monotonic()))

    @property
    def busy(self) -> bool:
        """Whether a search runs."""
        return self._inside is not None or self.searcher.busy

    def close(self) -> None:
        """End the search thread and release the pool."""
        self.searcher.end()
        self._pool = None

    @property
    def _in_callback(self) -> bool:
        inside = self._inside
        if inside is not None and inside[0] == threading.get_ident():
            return True
        return self.searcher.is_current or (self._pool is not None and self._pool.is_current)

    def _refuse_callbacks(self) -> None:
        if self._in_callback:
            raise RuntimeError("callbacks for reports cannot start another search, or change or close the engine")
