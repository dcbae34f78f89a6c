"""Standard output, shared by all threads."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import sys
import threading
from typing import NoReturn

from engine.uci.format import remark_line

#: The exit code if standard output cannot be written.
_CANNOT_WRITE = 1

#: How the system says that nobody reads any more.
_ABANDONED = {errno.EPIPE, errno.ECONNRESET} | ({errno.EINVAL} if sys.platform == "win32" else set())


class Output:
    """Whole lines, one at a time: two threads can never print into one line."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        if sys.stdout is None:  # started with standard output closed: nobody will ever read
            raise SystemExit(2)
        self._stream = sys.stdout.buffer
        with contextlib.suppress(OSError, AttributeError):  # a terminal may have been left so by another program
            os.set_blocking(self._stream.fileno(), True)

    def line(self, text: str) -> None:
        """Print ``text``, which may hold several lines that belong together, with one write and one flush.

        When nobody reads any more, the process ends at once and in silence, whichever thread notices it:
        there is nothing left to play for, and a blocked main thread could not be told. What else goes wrong, as on a
        full disk, is said on standard error first.
        """
        data = text.encode("utf-8", "replace") + b"\n"
        try:
            with self._lock:
                self._stream.write(data)
                self._stream.flush()
        except OSError as error:
            give_up(error)

    def is_abandoned(self) -> bool:
        """Whether nobody can read any more what is printed. Windows does not tell before the next line."""
        if not hasattr(select, "poll"):
            return False
        watch = select.poll()
        watch.register(self._stream.fileno(), 0)
        return bool(watch.poll(0))  # asked for nothing, it reports errors only

    def remark(self, text: str) -> None:
        """Print ``text`` for people, as an ``info string``."""
        self.line(remark_line(text))


def give_up(error: OSError) -> NoReturn:
    """End the process because of ``error``, met in writing to standard output: in silence if nobody reads."""
    if error.errno in _ABANDONED:
        os._exit(0)
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(f"numbat: cannot write to standard output: {error.strerror}\n")
        sys.stderr.flush()
    os._exit(_CANNOT_WRITE)
