"""Counts the steps of an explanation, and ends it when another thread stops it.

A step is short: one quiescence search, one exchange or one evaluation. The nodes of these searches count too."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from engine.messages import Signals, Stopped


class Effort:
    """The ``steps`` of an explanation in this thread, which ``signals`` may stop."""

    def __init__(self, signals: Signals) -> None:
        self.steps = 0
        self._signals = signals

    def check(self) -> None:
        """Raise :class:`Stopped` if the explanation was stopped."""
        if self._signals.stopped:
            raise Stopped("the explanation was stopped")


_CURRENT: ContextVar[Effort | None] = ContextVar("effort", default=None)


@contextmanager
def counted(signals: Signals | None = None) -> Iterator[Effort]:
    """Count the steps within the context; ``signals`` can stop them."""
    token = _CURRENT.set(effort := Effort(signals or Signals()))
    try:
        yield effort
    finally:
        _CURRENT.reset(token)


def spend(count: int = 1) -> None:
    """Count ``count`` steps, and raise :class:`Stopped` if the explanation was stopped."""
    if effort := _CURRENT.get():
        effort.steps += count
        effort.check()
