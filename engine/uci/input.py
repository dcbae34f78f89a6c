"""Standard input, line by line."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

#: Maximum bytes in a line. A game of 100,000 plies takes half of it, and no game reaches 12,000.
LONGEST_LINE = 1 << 20

_STDIN = 0
_CHUNK = 1 << 16

#: Bytes quoted of a line that is too long.
_SHOWN = 100
_POLL_SECONDS = 0.005

#: The encoding of a line that is not UTF-8: GUIs for Windows send file names in its ANSI code page.
_ANSI = "mbcs" if sys.platform == "win32" else "utf-8"

#: Windows' FILE_TYPE_PIPE, and its errors for a pipe whose other end is closed, where a read returns at once.
_PIPE = 3
_ENDED = {6, 109, 232, 233}  # ERROR_INVALID_HANDLE, _BROKEN_PIPE, _NO_DATA, _PIPE_NOT_CONNECTED


def lines(may_block: Callable[[], bool], too_long: Callable[[str], None]) -> Iterator[str]:
    """The lines of standard input without line ends, until it is closed.

    ``may_block`` returns whether the engine is loaded; until then no read may block on Windows (see
    :func:`_wait_for_data`). A line of more than :data:`LONGEST_LINE` bytes is skipped, and ``too_long`` called with its
    beginning as soon as it exceeds that length.
    """
    return split_lines(_chunks(may_block), too_long)


def at_terminal() -> bool:
    """Whether standard input is a terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    if sys.platform == "win32":  # where isatty() is true of the null device
        import ctypes
        import msvcrt

        mode = ctypes.c_ulong()
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(_STDIN))
        return bool(ctypes.windll.kernel32.GetConsoleMode(handle, ctypes.byref(mode)))
    return True


def _chunks(may_block: Callable[[], bool]) -> Iterator[bytes]:
    with contextlib.suppress(OSError, AttributeError):  # another program may have left the terminal non-blocking
        os.set_blocking(_STDIN, True)
    with _woken_by_signals() as woken:
        while sys.stdin is not None:  # None: started without a standard input
            _wait_for_data(may_block)
            try:
                if woken is not None:
                    ready = select.select([_STDIN, woken], [], [])[0]
                    if woken in ready:
                        os.read(woken, _CHUNK)
                    if _STDIN not in ready:
                        continue
                data = os.read(_STDIN, _CHUNK)
            except OSError:  # the other end is gone
                return
            if not data:
                return
            yield data


@contextlib.contextmanager
def _woken_by_signals() -> Iterator[int | None]:
    """A pipe that becomes readable when a signal arrives; None on Windows and outside the main thread.

    Python handles signals after a system call, not before it: a Ctrl-C that arrives just before a blocking read would
    be noticed only after that read.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield None
        return
    receiver, sender = os.pipe()
    try:
        os.set_blocking(receiver, False)
        os.set_blocking(sender, False)
        previous = signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
        try:
            yield receiver
        finally:
            signal.set_wakeup_fd(previous)
    finally:
        os.close(receiver)
        os.close(sender)


def split_lines(chunks: Iterable[bytes], too_long: Callable[[str], None]) -> Iterator[str]:
    """The lines in ``chunks``; see :func:`lines`. Takes time linear in the bytes."""
    parts: list[bytes] = []  # of the line being read
    size = 0
    for data in chunks:
        *complete, rest = data.split(b"\n")
        for line in complete:
            if size + len(line) <= LONGEST_LINE:
                yield _text(b"".join([*parts, line]))
            elif size <= LONGEST_LINE:  # else already reported
                too_long(_text(b"".join([*parts, line])[:_SHOWN]))
            parts, size = [], 0
        if size <= LONGEST_LINE < size + len(rest):
            too_long(_text(b"".join([*parts, rest])[:_SHOWN]))
            parts = []
        size += len(rest)
        if size <= LONGEST_LINE:
            parts.append(rest)
    if parts and size:
        yield _text(b"".join(parts))


def _text(line: bytes) -> str:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode(_ANSI, "replace")
    return text.strip("\r\ufeff")


def _wait_for_data(may_block: Callable[[], bool]) -> None:
    """On Windows, wait for data by polling while libraries are being loaded.

    A library that inspects standard input when it is loaded, as numpy's BLAS does, hangs there while another thread
    blocks in a read of the same pipe (numpy issue 24290, CPython issue 78961).
    """
    if sys.platform == "win32":
        import ctypes
        import msvcrt

        system = ctypes.WinDLL("kernel32", use_last_error=True)
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(_STDIN))
        while not may_block() and not reads_at_once(system, handle, ctypes.get_last_error):
            time.sleep(_POLL_SECONDS)


def reads_at_once(system: Any, handle: Any, last_error: Callable[[], int]) -> bool:
    """Whether a read of ``handle`` would return at once on Windows, as far as that can be known without reading.

    ``system`` is the library kernel32. A pipe that cannot be peeked into, such as a socket, counts as empty.
    """
    import ctypes

    if system.GetFileType(handle) != _PIPE:  # a file, a console, the null device: reading them blocks no library
        return True
    available = ctypes.c_ulong()
    if system.PeekNamedPipe(handle, None, 0, None, ctypes.byref(available), None):
        return available.value > 0
    return last_error() in _ENDED
