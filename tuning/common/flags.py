"""Flags that several commands have, and what was really written on a command line, defaults apart."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path

from tuning.common.errors import SetupError


def given(parser: argparse.ArgumentParser, words: Sequence[str] | None) -> set[str]:
    """The flags (and the names of positional arguments) that ``words`` hold. The parser is spent afterwards."""
    for action in parser._actions:
        action.default = argparse.SUPPRESS
    names = vars(parser.parse_args(words))
    return {(action.option_strings or [action.dest])[0] for action in parser._actions if action.dest in names}


def only_with_resume(parser: argparse.ArgumentParser, words: Sequence[str] | None, allowed: Collection[str]) -> None:
    """Raise :class:`SetupError` for flags that ``--resume`` would pass over: the file's own settings count.

    ``allowed`` are those that may stand beside it. The parser is spent afterwards.
    """
    settled = sorted(given(parser, words) - {"--resume", *allowed})
    if settled:
        raise SetupError(
            f"--resume uses the settings of its file, so {', '.join(settled)} cannot be given with it"
            + (f" (only {', '.join(sorted(allowed))})" if allowed else "")
        )


def add_cluster_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say where work runs, the same for every tool."""
    group = parser.add_argument_group("where work runs")
    group.add_argument("--concurrency", type=int, metavar="N", help="units at a time (default: one per core)")
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="address of a dask scheduler, such as tcp://host:8786; 'here' runs everything in this process "
        "(default: a cluster of local processes)",
    )


def add_check_flag(parser: argparse.ArgumentParser) -> None:
    """The flag of long runs that only looks at what they need; see :func:`tuning.common.command.checked`."""
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


def add_keep_flag(group: argparse._ArgumentGroup) -> None:
    """The flag for a file of games to learn from."""
    group.add_argument(
        "--keep", type=Path, metavar="FILE.vf", help="append the games to this file in viriformat, to learn from them"
    )


def count(text: str) -> int:
    """A whole number, underscores or commas between its digits allowed."""
    try:
        return int(text.replace(",", "_"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def options_of(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Engine options from ``NAME=VALUE``, by name. Raises :class:`SetupError`."""
    options = []
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise SetupError(f"--option {word}: use NAME=VALUE")
        options.append((name, str(Path(value).resolve()) if name == "EvalFile" and value else value))
    return tuple(sorted(options))
