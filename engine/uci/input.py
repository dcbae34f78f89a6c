"""Standard input, line by line."""

import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator

MAX_LINE_BYTES = 1 << 20  # maximum bytes in a line: a game of 100,000 plies takes half of it, and no game lasts 18,000.

_STDIN = 0
_CHUNK_BYTES = 1 << 16

_MAX_SHOWN_BYTES = 100  # bytes quoted of a line that is too long

#: The encoding of a line that is not UTF-8: GUIs for Windows send file names in its ANSI code page.
_ANSI = "mbcs" if sys.platform == "win32" else "utf-8"


def open_stdin() -> int | None:
    """The descriptor to read standard input from, to be called before libraries are loaded; None if there is none.

    On Windows it is a duplicate, and standard input becomes the null device: a library that inspects it when loaded, as
    numpy's BLAS does, hangs while another thread reads the pipe (numpy issue 24290)."""
    if sys.stdin is None or sys.platform != "win32" or at_terminal():
        return None if sys.stdin is None else _STDIN
    source = os.dup(_STDIN)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, _STDIN)
    os.close(null)
    return source


def lines(source: int | None, too_long: Callable[[str], None]) -> Iterator[str]:
    """The lines from the descriptor ``source`` without line ends, until it is closed. A line longer than
    :data:`MAX_LINE_BYTES` bytes is skipped, and ``too_long`` called immediately with its beginning."""
    return split_lines(() if source is None else _chunks(source), too_long)


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


def _chunks(source: int) -> Iterator[bytes]:
    with contextlib.suppress(OSError, AttributeError):  # another program may have left the terminal non-blocking
        os.set_blocking(source, True)
    with _woken_by_signals() as woken:
        while True:
            try:
                if woken is not None:
                    ready = select.select([source, woken], [], [])[0]
                    if woken in ready:
                        os.read(woken, _CHUNK_BYTES)
                    if source not in ready:
                        continue
                data = os.read(source, _CHUNK_BYTES)
            except OSError:  # the other end is gone
                return
            if not data:
                return
            yield data


@contextlib.contextmanager
def _woken_by_signals() -> Iterator[int | None]:
    """A pipe that becomes readable when a signal arrives; None on Windows and outside the main thread. Python handles
    signals after a system call: a Ctrl-C just before a blocking read would wait for that read."""
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
            if size + len(line) <= MAX_LINE_BYTES:
                yield _text(b"".join([*parts, line]))
            elif size <= MAX_LINE_BYTES:  # else already reported
                too_long(_text(b"".join([*parts, line])[:_MAX_SHOWN_BYTES]))
            parts, size = [], 0
        if size <= MAX_LINE_BYTES < size + len(rest):
            too_long(_text(b"".join([*parts, rest])[:_MAX_SHOWN_BYTES]))
            parts = []
        size += len(rest)
        if size <= MAX_LINE_BYTES:
            parts.append(rest)
    if parts and size:
        yield _text(b"".join(parts))


def _text(line: bytes) -> str:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode(_ANSI, "replace")
    return text.strip("\r\ufeff")
