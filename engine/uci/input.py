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

#: Bytes of the longest line that is read. A game of 100,000 plies takes half of it, and no game has 12,000.
LONGEST_LINE = 1 << 20

_STDIN = 0
_CHUNK = 1 << 16

#: Bytes of a line that is too long to be quoted.
_SHOWN = 100
_POLL_SECONDS = 0.005

#: The encoding of a line that is no UTF-8: GUIs for Windows send file names in its ANSI code page.
_ANSI = "mbcs" if sys.platform == "win32" else "utf-8"

#: Windows' number for the type of pipes, and its errors for those whose other end is closed: a read tells that at once.
_PIPE = 3
_ENDED = {6, 109, 232, 233}  # ERROR_INVALID_HANDLE, _BROKEN_PIPE, _NO_DATA, _PIPE_NOT_CONNECTED


def lines(may_block: Callable[[], bool], too_long: Callable[[str], None]) -> Iterator[str]:
    """The lines of standard input without their ends, until it is closed.

    ``may_block`` says whether the engine is loaded: until then Windows must not see a blocked read (see
    :func:`_wait_for_data`). A line of more than :data:`LONGEST_LINE` bytes is left out: ``too_long`` gets its beginning
    as soon as that is known.
    """
    return split_lines(_chunks(may_block), too_long)


def at_terminal() -> bool:
    """Whether a person types the commands."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    if sys.platform == "win32":  # the null device passes for a terminal there
        import ctypes
        import msvcrt

        mode = ctypes.c_ulong()
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(_STDIN))
        return bool(ctypes.windll.kernel32.GetConsoleMode(handle, ctypes.byref(mode)))
    return True


def _chunks(may_block: Callable[[], bool]) -> Iterator[bytes]:
    with contextlib.suppress(OSError, AttributeError):  # a terminal may have been left so by another program
        os.set_blocking(_STDIN, True)
    with _woken_by_signals() as woken:
        while sys.stdin is not None:  # None: there never was a standard input
            _wait_for_data(may_block)
            try:
                if woken is not None:
                    ready = select.select([_STDIN, woken], [], [])[0]
                    if woken in ready:
                        os.read(woken, _CHUNK)
                    if _STDIN not in ready:
                        continue
                data = os.read(_STDIN, _CHUNK)
            except OSError:  # the other end vanished
                return
            if not data:
                return
            yield data


@contextlib.contextmanager
def _woken_by_signals() -> Iterator[int | None]:
    """A pipe that has something to read as soon as a signal has come; None where there is no such thing.

    Python looks for signals after a call, not before. If another thread had the interpreter's lock in between, Ctrl-C
    can come before a read that then blocks, and would be noticed only after it.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield None
        return
    receiver, sender = os.pipe()
    try:
        os.set_blocking(receiver, False)
        os.set_blocking(sender, False)
        former = signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
        try:
            yield receiver
        finally:
            signal.set_wakeup_fd(former)
    finally:
        os.close(receiver)
        os.close(sender)


def split_lines(chunks: Iterable[bytes], too_long: Callable[[str], None]) -> Iterator[str]:
    """The lines in ``chunks``; see :func:`lines`. The time it takes grows with the bytes, whatever the lines."""
    parts: list[bytes] = []  # of a line whose end is still to come
    size = 0
    for data in chunks:
        *complete, rest = data.split(b"\n")
        for line in complete:
            if size + len(line) <= LONGEST_LINE:
                yield _text(b"".join([*parts, line]))
            elif size <= LONGEST_LINE:  # else it was said already
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
    """On Windows, wait for data by looking, not by reading, while libraries are being loaded.

    A library that looks at standard input when it is loaded, as numpy's BLAS does, hangs there while another
    thread sits in a read of the same pipe (numpy issue 24290, CPython issue 78961). Elsewhere nothing of the
    kind is known and the read may block.
    """
    if sys.platform == "win32":
        import ctypes
        import msvcrt

        system = ctypes.WinDLL("kernel32", use_last_error=True)
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(_STDIN))
        while not may_block() and not reads_at_once(system, handle, ctypes.get_last_error):
            time.sleep(_POLL_SECONDS)


def reads_at_once(system: Any, handle: Any, last_error: Callable[[], int]) -> bool:
    """Whether Windows would answer a read of ``handle`` at once; False also if only a read would tell.

    ``system`` is the library kernel32. A pipe that cannot be looked into, such as a socket, counts as empty.
    """
    import ctypes

    if system.GetFileType(handle) != _PIPE:  # a file, a console, the null device: no library waits for their readers
        return True
    available = ctypes.c_ulong()
    if system.PeekNamedPipe(handle, None, 0, None, ctypes.byref(available), None):
        return available.value > 0
    return last_error() in _ENDED
