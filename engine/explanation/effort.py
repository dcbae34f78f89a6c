"""Counts the steps of an explanation, and ends it when another thread stops it.

A step is short: one quiescence search, one exchange or one evaluation. The nodes of these searches count too."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import chess

from engine.messages import Signals, Stopped


@dataclass
class Effort:
    """The effort that an explanation in this thread has made."""

    signals: Signals  # may stop it
    steps: int = 0
    after_captures: dict[str, chess.Board] = field(default_factory=dict)  # kept, because lines share many boards


_CURRENT: ContextVar[Effort | None] = ContextVar("effort", default=None)


@contextmanager
def count_steps(signals: Signals | None = None) -> Iterator[Effort]:
    """Count the steps within the context; ``signals`` can stop them."""
    token = _CURRENT.set(effort := Effort(signals or Signals()))
    try:
        yield effort
    finally:
        _CURRENT.reset(token)


def boards_after_captures() -> dict[str, chess.Board]:
    """The boards of this explanation after all profitable captures, by EPD of the board before them."""
    effort = _CURRENT.get()
    return {} if effort is None else effort.after_captures


def spend(count: int = 1) -> None:
    """Count ``count`` steps, and raise :class:`Stopped` if the explanation was stopped."""
    if effort := _CURRENT.get():
        effort.steps += count
        if effort.signals.stopped:
            raise Stopped("the explanation was stopped")
