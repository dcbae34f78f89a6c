"""Standard input, line by line."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator

_STDIN = 0
_CHUNK = 1 << 16
_POLL_SECONDS = 0.005


def lines(may_block: Callable[[], bool]) -> Iterator[str]:
    """The lines of standard input without their ends, until it is closed.

    ``may_block`` says whether the engine is loaded: until then Windows must not see a blocked read (see
    :func:`_wait_for_data`).
    """
    rest = b""
    while sys.stdin is not None:  # None: there never was a standard input
        _wait_for_data(may_block)
        try:
            data = os.read(_STDIN, _CHUNK)
        except OSError:  # the other end vanished
            data = b""
        if not data:
            break
        *complete, rest = (rest + data).split(b"\n")
        for line in complete:
            yield _text(line)
    if rest:
        yield _text(rest)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip("\r\ufeff")


def _wait_for_data(may_block: Callable[[], bool]) -> None:
    """On Windows, wait for data by looking, not by reading, while libraries are being loaded.

    A library that looks at standard input when it is loaded, as numpy's BLAS does, hangs there while another
    thread sits in a read of the same pipe (numpy issue 24290, CPython issue 78961). Elsewhere nothing of the
    kind is known and the read may block.
    """
    if sys.platform == "win32":
        import ctypes
        import msvcrt

        available = ctypes.c_ulong()
        handle = msvcrt.get_osfhandle(_STDIN)
        while not may_block():
            known = ctypes.windll.kernel32.PeekNamedPipe(
                ctypes.c_void_p(handle), None, 0, None, ctypes.byref(available), None
            )
            if not known or available.value:  # not a pipe, or closed, or there is something to read
                return
            time.sleep(_POLL_SECONDS)
