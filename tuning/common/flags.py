"""Flags that several commands share."""

import argparse
import math
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from tuning.common.errors import SetupError


def only_with_resume(parser: argparse.ArgumentParser, words: Sequence[str] | None, allowed: Collection[str]) -> None:
    """Raise :class:`SetupError` for flags that ``--resume`` would ignore, because the file's settings count.

    ``allowed`` flags may be combined with it. The parser cannot be used again."""
    for action in parser._actions:
        action.default = argparse.SUPPRESS
    names = vars(parser.parse_args(words))
    given = {(action.option_strings or [action.dest])[0] for action in parser._actions if action.dest in names}
    ignored = sorted(given - {"--resume", *allowed})
    if ignored:
        raise SetupError(
            f"--resume uses the settings of its file, so {', '.join(ignored)} cannot be given with it"
            + (f" (only {', '.join(sorted(allowed))})" if allowed else "")
        )


def add_cluster_flags(parser: argparse.ArgumentParser, *aliases: str) -> None:
    """The flags that say where work runs; ``aliases`` are older names of ``--jobs``."""
    group = parser.add_argument_group("where work runs")
    jobs = "work units at a time, each in its own process (default: one per core)"
    group.add_argument("--jobs", *aliases, type=whole(1), metavar="N", help=jobs)
    add_scheduler_flag(group, " (default: local processes)")


def add_scheduler_flag(parser: argparse._ActionsContainer, default: str = "") -> None:
    """The flag for the address of a scheduler; see :func:`tuning.common.units.run`."""
    what = "address of a dask scheduler, such as tcp://host:8786; 'here' runs everything in this process"
    parser.add_argument("--scheduler", metavar="ADDRESS", help=what + default)


def add_option_flag(parser: argparse.ArgumentParser) -> None:
    """The flag for options of this engine; see :func:`options_of`."""
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE",
        help="engine option: EvalType, EvalFile or a search parameter; may be repeated",
    )  # fmt: skip


def add_check_flag(parser: argparse.ArgumentParser) -> None:
    """The flag that checks a long run before it starts; see :func:`tuning.common.command.checked`."""
    parser.add_argument(
        "--check", action="store_true", help="check the command line, its files and engines, and exit without starting"
    )


def add_results_flags(parser: argparse.ArgumentParser, name: str, unit: str) -> argparse._ArgumentGroup:
    """The flags for the results file, ``results/NAME-TIME.jsonl`` with a line for each ``unit``; their group."""
    group = parser.add_argument_group("results")
    default = f"results/{name}-TIME.jsonl"
    group.add_argument("--json", metavar="FILE", help=f"results file, one {unit} a line (default: {default})")
    group.add_argument("--resume", metavar="FILE", help="continue a results file, with its settings")
    return group


def results_path(arguments: argparse.Namespace, name: str) -> Path:
    """The new results file: that of ``--json``, or one named after the tool and the time."""
    return Path(arguments.json or f"results/{name}-{datetime.now():%Y%m%d-%H%M%S}.jsonl")


def whole(minimum: int = 0, maximum: float = math.inf) -> Callable[[str], int]:
    """The type of a flag: a whole number from ``minimum`` to ``maximum``, perhaps with underscores or commas in it."""
    return partial(_value, int, minimum, maximum)


def number(minimum: float = 0.0, maximum: float = math.inf) -> Callable[[str], float]:
    """The type of a flag: a finite number from ``minimum`` to ``maximum``."""
    return partial(_value, float, minimum, maximum)


def positive(text: str) -> float:
    """The type of a flag: a finite number above 0."""
    if number()(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return float(text)


def _value(kind: type, minimum: float, maximum: float, text: str) -> Any:
    try:
        value = kind(text.replace(",", "_") if kind is int else text)  # "0,08" is not 8
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a {'whole ' if kind is int else ''}number") from None
    if not minimum <= value <= maximum or value == math.inf:
        bounds = f"{minimum:g} or more" if maximum == math.inf else f"from {minimum:.15g} to {maximum:.15g}"
        raise argparse.ArgumentTypeError(f"{text} is not {bounds}")
    return value


def options_of(words: Sequence[str], flag: str = "--option") -> tuple[tuple[str, str], ...]:
    """Engine options by name from the ``NAME=VALUE`` of a ``flag``; the last wins. Raises :class:`SetupError`."""
    options = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise SetupError(f"{flag} {word}: use NAME=VALUE")
        options[name] = str(Path(value).resolve()) if name == "EvalFile" and value else value
    return tuple(sorted(options.items()))
