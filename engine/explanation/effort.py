"""Counts the steps of an explanation, and ends it when another thread stops it.

Each step is short: one quiescence search, one exchange, one evaluation. The nodes of these searches count too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import get_ident

from engine.messages import Stopped


class Effort:
    """The ``steps`` of an explanation made in this thread, which another thread may :meth:`stop`."""

    def __init__(self) -> None:
        self.steps = 0
        self._thread = get_ident()
        self._stopped = False

    def stop(self) -> None:
        """End it at its next step; of no effect in its own thread, which ends searches of its own."""
        self._stopped = self._stopped or get_ident() != self._thread

    def check(self) -> None:
        """Raise :class:`Stopped` if it has to end."""
        if self._stopped:
            raise Stopped("the explanation was stopped")


_CURRENT: ContextVar[Effort | None] = ContextVar("effort", default=None)


@contextmanager
def counted() -> Iterator[Effort]:
    """Count the steps within the context, which can be stopped by what it gives."""
    token = _CURRENT.set(effort := Effort())
    try:
        yield effort
    finally:
        _CURRENT.reset(token)


def step(count: int = 1) -> None:
    """Count ``count`` steps, and raise :class:`Stopped` if the explanation was stopped."""
    if effort := _CURRENT.get():
        effort.steps += count
        effort.check()
