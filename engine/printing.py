"""Escapes untrusted text (PGN tags, file names, arguments, other engines' output) so that it cannot control a terminal.

Messages quote such text unchanged; it is escaped where it is printed: by the guarded standard streams, the consoles of
:mod:`engine.console` and ``info string`` lines.
"""

from __future__ import annotations

import sys
from typing import IO, Any

#: Unicode categories of invisible characters: controls, formats such as the bidirectional overrides, lone surrogates
#: (the undecodable bytes of file names), line and paragraph separators.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def escaped(text: str, keep: str = "\n\t") -> str:
    r"""``text`` with its invisible characters, except those in ``keep``, written as in a Python string.

    >>> print(escaped("\x1b[2J\udcff Müller"))
    \x1b[2J\udcff Müller
    """
    if text.isprintable():
        return text
    from unicodedata import category  # late: almost nothing is imported before uciok

    return "".join(
        letter.encode("unicode_escape").decode() if letter not in keep and category(letter) in _UNSEEN else letter
        for letter in text
    )


class _Guard:
    """A text stream that prints everything :func:`escaped`. Consoles escape by themselves and bypass it."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(escaped(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def guard_streams() -> None:
    """Make standard output and error escape everything, including argparse's messages and tracebacks, and replace
    characters that their encoding lacks with ``?``."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or isinstance(stream, _Guard):
            continue
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
        setattr(sys, name, _Guard(stream))


def unguarded(stream: IO[str]) -> IO[str]:
    """The unguarded stream, for the program's own control characters."""
    return stream.stream if isinstance(stream, _Guard) else stream
