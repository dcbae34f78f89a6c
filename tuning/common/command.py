"""Shared by all commands: the parser, exit codes, the console, errors and interruptions."""

import argparse
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NoReturn

from engine.commandline import FAILED, INTERRUPTED, REFUSED
from engine.console import Console
from engine.messages import OptionError
from engine.printing import PrintError, escaped, guard_streams
from engine.uci.output import exit_on_write_error
from tuning.common.errors import EngineFailure, SetupError
from tuning.common.files import check_output
from tuning.common.flags import only_with_resume

PAGE_WIDTH = 120


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(REFUSED, f"{self.prog}: {message} (see --help)\n")


def make_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """A parser for ``python -m tuning.NAME`` that shows its module's docstring as it is written."""
    return _Parser(
        f"python -m tuning.{name}", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def execute(
    parser: Callable[[], argparse.ArgumentParser],
    run: Callable[[argparse.Namespace, Console], int],
    words: Sequence[str] | None = None,
    beside_resume: Collection[str] = (),
    *,
    stderr: bool = False,
) -> int:
    """Parse ``words`` and ``run`` the command; the exit code is that of ``run``, 2 if it refuses, 130 if interrupted.

    With ``--resume`` only the flags ``beside_resume`` are allowed. With ``stderr`` the console writes there."""
    guard_streams()
    try:
        arguments = parser().parse_args(words)
        console = Console(stderr=True) if stderr else make_console()
        try:
            if getattr(arguments, "resume", None):
                only_with_resume(parser(), words, beside_resume)
            return run(arguments, console)
        except (SetupError, EngineFailure, OptionError, OSError) as error:
            print_error(console, error)
            return REFUSED
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except PrintError as error:
        exit_on_write_error(error.reason)


def checked(console: Console, results: str | Path | None = None) -> int:
    """Report that ``--check`` found no fault; the exit code. Raises :class:`SetupError` for unusable ``results``."""
    if results is not None:
        if Path(results).exists():
            raise SetupError(f"{results} already exists")
        check_output(Path(results), [])
    console.print("ready to run")
    return 0


def make_console() -> Console:
    """The terminal, or for a file or pipe a page wide enough for the tables."""
    console = Console()
    return console if console.is_terminal else Console(width=PAGE_WIDTH)


def print_error(console: Console, error: object) -> None:
    """Print an error on one line, however long, so that it can be searched and copied."""
    console.print(f"error: {escaped(str(error), keep='')}", style="bold red", soft_wrap=True)


def print_warning(console: Console, line: str) -> None:
    """Print a warning."""
    console.print(f"! {line}", style="yellow", soft_wrap=True)


def stopped(console: Console, error: BaseException, advice: str) -> int:
    """Report why a run ended early and how to continue it; the exit code."""
    line = "; ".join(part for part in (str(error) or "interrupted", advice) if part)
    console.print(line, soft_wrap=True)
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED
