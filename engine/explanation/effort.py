"""Counts the steps of an explanation, and ends it when another thread stops it.

A step is short: one quiescence search, one exchange or one evaluation. The nodes of these searches count too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import get_ident

from engine.messages import Stopped


class Effort:
    """The ``steps`` of an explanation in this thread; another thread may :meth:`stop` it."""

    def __init__(self) -> None:
        self.steps = 0
        self._thread = get_ident()
        self._stopped = False

    def stop(self) -> None:
        """End the explanation at its next step. Has no effect in its own thread, which stops searches itself."""
        self._stopped = self._stopped or get_ident() != self._thread

    def check(self) -> None:
        """Raise :class:`Stopped` if the explanation was stopped."""
        if self._stopped:
            raise Stopped("the explanation was stopped")


_CURRENT: ContextVar[Effort | None] = ContextVar("effort", default=None)


@contextmanager
def counted() -> Iterator[Effort]:
    """Count the steps within the context; the :class:`Effort` it yields can stop them."""
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
