"""Shared by all commands: exit codes, one-line errors, number arguments."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from engine.messages import quoted
from engine.printing import PrintError, escaped

#: Exit codes: success; failure; invalid request; ended by Ctrl-C or SIGTERM.
DONE, FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130

_MOST_SECONDS = 1e6


class UsageError(ValueError):
    """An invalid command line; the message says why."""


class Parser(argparse.ArgumentParser):
    """A parser that raises :class:`UsageError` with one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Raise :class:`UsageError` with ``message`` and a pointer to ``--help``."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def refuse(error: object, program: str = "numbat") -> int:
    """Print an error as one line on standard error; returns the exit code."""
    print(f"{program}: {escaped(str(error), keep='')}", file=sys.stderr)
    return REFUSED


def interrupted(program: str = "numbat") -> int:
    """End the compilation, report on standard error that the program was interrupted, and return the exit code."""
    end_compiling()
    with suppress(PrintError, OSError, AttributeError):  # standard error may be closed
        print(f"\n{program}: interrupted", file=sys.stderr, flush=True)
    return INTERRUPTED


def end_compiling() -> None:
    """End the process that compiles for this one: unlike a GUI that kills the engine, a user means it."""
    detached = sys.modules.get("engine.jit.detached")  # if it was imported
    if detached is not None:
        detached.end()


def whole(least: int, most: int, what: str = "a whole number") -> Callable[[str], int]:
    """An argparse type: a whole number from ``least`` to ``most``, called ``what`` in errors."""

    def number(text: str) -> int:
        digits = text.lstrip("0") or text[:1]
        if not (text.isascii() and text.isdigit() and least <= int(digits[:18]) <= most):
            raise argparse.ArgumentTypeError(f"{quoted(text)} is not {what} from {least} to {most}")
        return int(digits)

    return number


def plies(most: int) -> Callable[[str], int]:
    """An argparse type: a depth in plies."""
    return whole(1, most, "a depth in plies,")


def seconds(text: str) -> float:
    """An argparse type: a time in seconds."""
    try:
        time = float(text)
    except ValueError:
        time = 0.0
    if not 0 < time < _MOST_SECONDS:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a number of seconds above 0 and below {_MOST_SECONDS:,.0f}"
        )
    return time
