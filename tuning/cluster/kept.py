"""What a worker process keeps from one unit to the next, running engines for instance, and closes with the cluster."""

from __future__ import annotations

from collections.abc import Callable

_closers: list[Callable[[], None]] = []


def close_at_end(closer: Callable[[], None]) -> None:
    """Let :func:`close` call ``closer``, in whichever process this is called."""
    if closer not in _closers:
        _closers.append(closer)


def close() -> None:
    """Close everything that units of this process have kept."""
    for closer in _closers:
        closer()
