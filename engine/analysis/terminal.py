"""SIGTERM as Ctrl-C, and lines of input with a time limit."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Within this context SIGTERM raises KeyboardInterrupt, as Ctrl-C does, so that results are saved.

    Only in the main thread; in others nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # timeout(1) sends it twice
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def read_line(prompt: str, seconds: float | None = None) -> str | None:
    """A line that the user types; None after ``seconds`` without one.

    Raises EOFError at the end of the input, after printing a line end for the shell. Without a
    terminal, and on Windows, there is no time limit.
    """
    if sys.stdin is None:  # started with standard input closed
        raise EOFError
    try:
        if seconds is None or os.name == "nt" or not sys.stdin.isatty():
            return input(prompt)
        print(prompt, end="", flush=True)
        if not select.select([sys.stdin], [], [], seconds)[0]:
            return None
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\n")
    except EOFError:
        print()
        raise
