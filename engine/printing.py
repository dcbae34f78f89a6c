"""Text from outside - names in a PGN, file names, arguments, what other engines say - on its way to people.

Messages quote such text as it is, and it is escaped at the edge, where it is printed or logged: by the guarded standard
streams, by the consoles of :mod:`engine.console`, and by the protocol's remarks. There it can neither steer the
terminal nor hide.
"""

from __future__ import annotations

import sys
from typing import IO, Any

#: Unicode's categories of characters that are not seen but may act: controls, formats such as the bidirectional
#: overrides, lone surrogates (the undecodable bytes of file names), separators of lines and paragraphs.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def escaped(text: str, keep: str = "\n\t") -> str:
    r"""``text`` with every character that acts on a terminal instead of being seen, except those to ``keep``, written
    as in a Python string.

    >>> print(escaped("\x1b[2J\udcff Müller"))
    \x1b[2J\udcff Müller
    """
    if text.isprintable():
        return text
    from unicodedata import category  # late: the way to uciok imports next to nothing

    return "".join(
        letter.encode("unicode_escape").decode() if letter not in keep and category(letter) in _UNSEEN else letter
        for letter in text
    )


class _Guard:
    """A text stream that prints everything :func:`escaped`. Consoles, which do that themselves, write past it."""

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
    """From now on standard output and error escape what is printed, argparse's messages and tracebacks included, and
    show a letter that their encoding lacks as ``?``."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or isinstance(stream, _Guard):
            continue
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
        setattr(sys, name, _Guard(stream))


def unguarded(stream: IO[str]) -> IO[str]:
    """The stream behind a guarded one, for the program's own control characters."""
    return stream.stream if isinstance(stream, _Guard) else stream
