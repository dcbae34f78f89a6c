"""Standard output, shared by all threads."""

from __future__ import annotations

import os
import sys
import threading

from engine.uci.format import remark_line


class Output:
    """Whole lines, one at a time: two threads can never print into one line."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        if sys.stdout is None:  # started with standard output closed: nobody will ever read
            raise SystemExit(2)
        self._stream = sys.stdout.buffer

    def line(self, text: str) -> None:
        """Print ``text``, which may hold several lines that belong together, with one write and one flush.

        When nobody reads any more, the process ends at once and in silence, whichever thread notices it:
        there is nothing left to play for, and a blocked main thread could not be told.
        """
        data = text.encode("utf-8", "replace") + b"\n"
        try:
            with self._lock:
                self._stream.write(data)
                self._stream.flush()
        except OSError:
            os._exit(0)

    def remark(self, text: str) -> None:
        """Print ``text`` for people, as an ``info string``."""
        self.line(remark_line(text))
