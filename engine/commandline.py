"""Shared by all commands: exit codes, one-line errors, arguments, SIGTERM."""

from __future__ import annotations

import argparse
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from engine.messages import OptionError, counted, quoted
from engine.options import find, nearest, whole_number
from engine.printing import PrintError, escaped

if TYPE_CHECKING:  # slow to import
    from chess.engine import Limit

#: Exit codes: success; failure; invalid request; ended by Ctrl-C or SIGTERM.
DONE, FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130

_MAX_SECONDS = 1e6

_MAX_SHOWN_CHARACTERS = 500  # characters shown of the beginning, and of the end, of a long message
MAX_JOBS = 1024  # maximum number of processes at a time


class UsageError(ValueError):
    """An invalid command line; the message gives the reason."""


#: Two examples for the help of each command.
EXAMPLES = {
    "numbat": ("numbat analyse games.pgn --game-time 60", "numbat play --elo 1400"),
    "numbat bench": ("numbat bench", "numbat bench positions.epd 12 2 64"),
    "numbat perft": ("numbat perft 6", "numbat perft --divide 4 '8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1'"),
    "numbat analyse": ("numbat analyse '8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1'", "numbat analyse club.pgn"),
    "numbat play": ("numbat play --elo 1400 --clock 5+3", "numbat play --black --pgn mine.pgn"),
    "numbat suite": ("numbat suite wac.epd --time 0.2 --jobs 4", "numbat suite sts.epd --nodes 100000 --json sts.json"),
    "numbat lab": ("numbat lab --depth 4 --html lab.html", "numbat lab --play tictactoe"),
    "numbat warmup": ("numbat warmup", "numbat warmup --all"),
    "numbat completion": ("numbat completion bash", "numbat completion fish"),
}  # fmt: skip


#: argparse's message on a word that is not among the choices.
_INVALID_CHOICE = re.compile(r"(.*invalid choice: '(.*)') \(choose from (.*)\)")
_NAME = r"[\w-]+"


class Parser(argparse.ArgumentParser):
    """A parser that raises :class:`UsageError` with one line, without the usage, and shows :data:`EXAMPLES`."""

    def format_help(self) -> str:
        """The help, with examples at the end."""
        lines = [f"  {example}\n" for example in EXAMPLES.get(self.prog, ())]
        return super().format_help() + "".join(["\nexamples:\n", *lines] if lines else [])

    def error(self, message: str) -> NoReturn:
        """Raise :class:`UsageError` with ``message``, a suggestion for a mistyped word, and a pointer to ``--help``."""
        if (wrong := _INVALID_CHOICE.fullmatch(message)) and (hint := nearest(wrong[2], re.findall(_NAME, wrong[3]))):
            message = f"{wrong[1]}{hint}"
        raise UsageError(f"{message} (see {self.prog} --help)")


def refuse(error: object, program: str = "numbat") -> int:
    """Print an error as one line on standard error, without the middle of a very long one; returns the exit code."""
    text = escaped(str(error), keep="")
    if len(text) > 2 * _MAX_SHOWN_CHARACTERS:
        text = f"{text[:_MAX_SHOWN_CHARACTERS]} ... {text[-_MAX_SHOWN_CHARACTERS:]}"
    print(f"{program}: {text}", file=sys.stderr)
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


def whole(minimum: int, maximum: int, what: str = "a whole number") -> Callable[[str], int]:
    """An argparse type: a whole number from ``minimum`` to ``maximum``, called ``what`` in errors."""

    def number(text: str) -> int:
        value = whole_number(text)
        if value is None or not minimum <= value <= maximum:
            raise argparse.ArgumentTypeError(f"{quoted(text)} is not {what} from {minimum} to {maximum}")
        return value

    return number


def seconds(text: str) -> float:
    """An argparse type: a time in seconds."""
    try:
        time = float(text)
    except ValueError:
        time = 0.0
    if not 0 < time < _MAX_SECONDS:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a number of seconds above 0 and below {_MAX_SECONDS:,.0f}"
        )
    return time


def add_limits(limits: argparse._MutuallyExclusiveGroup, times: str) -> None:
    """Add the limits of a search; ``times`` describes the time, with the default."""
    limits.add_argument("--time", type=seconds, help=f"seconds for each {times}")
    limits.add_argument("--depth", type=whole(1, 100), help="search to this depth in plies, instead of for a time")
    limits.add_argument("--nodes", type=whole(1, 10**15), help="search this number of nodes, instead of for a time")


def add_options(result: argparse.ArgumentParser) -> None:
    """Add the flag for the engine's options."""
    result.add_argument("--option", type=_option, action="append", default=[], metavar="NAME=VALUE",
                        help="a UCI option of the engine, such as 'Hash=256'; may be repeated")  # fmt: skip


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    try:
        option = find(name.strip())
        return option.name, option.parse(value.strip())
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def limit_of(chosen: argparse.Namespace, seconds: float) -> tuple[Limit, str]:
    """The limit that was asked for, or ``seconds``, as python-chess's Limit and in words."""
    from chess.engine import Limit

    if chosen.depth is not None:
        return Limit(depth=chosen.depth), f"{counted(chosen.depth, 'ply', 'plies')} a position"
    if chosen.nodes is not None:
        return Limit(nodes=chosen.nodes), f"{counted(chosen.nodes, 'node')} a position"
    time = chosen.time or seconds
    return Limit(time=time), f"{time:g} s a position"


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Within this context SIGTERM raises KeyboardInterrupt, as Ctrl-C does, so that results are saved. Only in the main
    thread; in others nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # timeout(1) sends it twice
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
