"""Escapes untrusted text (PGN tags, file names, arguments, other engines' output) so that it cannot control a terminal.

Messages quote such text unchanged; it is escaped where it is printed: by the guarded standard streams, the consoles of
:mod:`engine.console` and ``info string`` lines."""

import sys
from typing import IO, Any, cast

#: Unicode categories of invisible characters: controls, formats such as the bidirectional overrides, lone surrogates
#: (the undecodable bytes of file names), line and paragraph separators.
_INVISIBLE_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def escaped(text: str, keep: str = "\n\t") -> str:
    r"""``text`` with its invisible characters, except those in ``keep``, written as in a Python string.

    >>> print(escaped("\x1b[2J\udcff Müller"))
    \x1b[2J\udcff Müller
    """
    if text.isprintable():
        return text
    from unicodedata import category  # late: almost nothing is imported before uciok

    return "".join(
        letter.encode("unicode_escape").decode()
        if letter not in keep and category(letter) in _INVISIBLE_CATEGORIES
        else letter
        for letter in text
    )


class PrintError(Exception):
    """A standard stream that cannot be written; ``reason`` is the system's error."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason.strerror)
        self.reason = reason


class _Forwarder:
    """A text stream that raises :class:`PrintError`, to distinguish its failures from a file's."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        try:
            return self.stream.write(text)
        except OSError as error:
            raise PrintError(error) from None

    def flush(self) -> None:
        try:
            self.stream.flush()
        except OSError as error:
            raise PrintError(error) from None

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Guard(_Forwarder):
    """A stream that prints everything :func:`escaped`. Consoles escape by themselves and bypass it."""

    def write(self, text: str) -> int:
        super().write(escaped(text))
        return len(text)


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
    return cast("IO[str]", _Forwarder(stream.stream)) if isinstance(stream, _Guard) else stream
