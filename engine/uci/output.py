"""Standard output, shared by all threads."""

import contextlib
import errno
import os
import select
import sys
import threading
from typing import NoReturn

from engine.printing import PrintError
from engine.uci.format import info_string_line

_CANNOT_WRITE = 1  # exit code if standard output cannot be written

#: Errors of a write whose reader is gone.
_ABANDONED = {errno.EPIPE, errno.ECONNRESET} | ({errno.EINVAL} if sys.platform == "win32" else set())


class Output:
    """Writes whole lines; threads never mix theirs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        if sys.stdout is None:  # started with standard output closed
            raise SystemExit(2)
        self._stream = sys.stdout.buffer
        with contextlib.suppress(OSError, AttributeError):  # another program may have left the terminal non-blocking
            os.set_blocking(self._stream.fileno(), True)

    def line(self, text: str) -> None:
        """Print ``text``, one or more lines, with one write and one flush. Ends the process if that fails, from
        any thread, because the main thread may be blocked: silently if the reader is gone, otherwise (a full disk, say)
        with a line on standard error."""
        data = text.encode("utf-8", "replace") + b"\n"
        try:
            with self._lock:
                self._stream.write(data)
                self._stream.flush()
        except OSError as error:
            exit_on_write_error(error)

    def reader_closed(self) -> bool:
        """Whether the reader is gone. Windows shows that only at the next write."""
        if not hasattr(select, "poll"):
            return False
        watch = select.poll()
        watch.register(self._stream.fileno(), 0)
        return bool(watch.poll(0))  # with an empty event mask, it reports errors only

    def info_string(self, text: str) -> None:
        """Print ``text`` as an ``info string``."""
        self.line(info_string_line(text))


def exit_on_write_error(error: OSError) -> NoReturn:
    """End the process after ``error`` in writing to standard output: silently if the reader is gone."""
    if error.errno in _ABANDONED:
        os._exit(0)
    with contextlib.suppress(PrintError, AttributeError):
        sys.stderr.write(f"numbat: cannot write to standard output: {error.strerror}\n")
        sys.stderr.flush()
    os._exit(_CANNOT_WRITE)
