"""What every command does alike: exit codes, the console, how it refuses and how it is interrupted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import NoReturn

from engine.commandline import FAILED, INTERRUPTED, REFUSED
from engine.console import Console
from engine.printing import escaped, guard_streams
from tuning.common.errors import SetupError
from tuning.common.extras import need

__all__ = [
    "FAILED",
    "INTERRUPTED",
    "REFUSED",
    "as_interrupt",
    "check_picture",
    "checked",
    "complain",
    "interruptible",
    "make_console",
    "refused",
    "stopped",
    "warner",
]

PAGE_WIDTH = 120


def check_picture(path: str | None) -> None:
    """Raise :class:`SetupError` now if a picture could not be drawn at the end."""
    if path is not None:
        need("matplotlib", "--plot")
        from tuning.common.plots import check

        check(Path(path))


def checked(console: Console, results: str | Path | None = None) -> int:
    """Report that ``--check`` found no fault; the exit code. Raises :class:`SetupError` if ``results`` exist."""
    if results is not None and Path(results).exists():
        raise SetupError(f"{results} already exists")
    console.print("ready to run")
    return 0


def make_console() -> Console:
    """The terminal, or for a file or pipe a page wide enough for the tables."""
    console = Console()
    return console if console.is_terminal else Console(width=PAGE_WIDTH)


def as_interrupt(number: int, frame: object) -> NoReturn:
    """A signal handler: end as Ctrl-C does, with everything written down."""
    raise KeyboardInterrupt


def interruptible(main: Callable[..., int]) -> Callable[..., int]:
    """Have a command escape what it prints, and end in one line wherever Ctrl-C strikes. Where there is more to say or
    do, ``main`` does it."""

    @wraps(main)
    def run(*arguments: object, **keywords: object) -> int:
        guard_streams()
        try:
            return main(*arguments, **keywords)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return INTERRUPTED

    return run


def complain(console: Console, error: object) -> None:
    """Print an error in one line, however long, so that it can be searched for and copied."""
    console.print(f"error: {escaped(str(error), keep='')}", style="bold red", soft_wrap=True)


def warner(console: Console) -> Callable[[str], None]:
    """What prints a line that is no error, but should be seen."""
    return lambda line: console.print(f"! {line}", style="yellow", soft_wrap=True)


def stopped(console: Console, error: BaseException, again: str) -> int:
    """Say what ended a run early, if not Ctrl-C, and how to go on; the exit code."""
    line = "; ".join(part for part in (str(error) or "interrupted", again) if part)
    console.print(line, soft_wrap=True)
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED


def refused(console: Console, error: object) -> int:
    """Say what cannot be done as asked; the exit code."""
    complain(console, error)
    return REFUSED
