"""What the terminal does to a program, and the program to the terminal."""

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
    """While this lasts SIGTERM is what Ctrl-C is, KeyboardInterrupt, so that what is done gets written.

    Only in the main thread; in others nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # timeout(1) sends it twice; the first is being obeyed
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)


def read_line(prompt: str, seconds: float | None = None) -> str | None:
    """A line that the person types; None when ``seconds`` pass before there is one.

    Raises EOFError at the end of the input, after which the shell goes on in a line of its own. Where no terminal is
    asked, and on Windows, there is no limit to the time.
    """
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
