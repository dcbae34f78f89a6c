"""Flags that several commands have, and what was really written on a command line, defaults apart."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence

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
            f"--resume goes on with the settings of its file, so {', '.join(settled)} cannot be given with it "
            f"(only {', '.join(sorted(allowed))})"
        )


def add_cluster_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say where work runs, the same for every tool."""
    group = parser.add_argument_group("where the work runs")
    group.add_argument("--concurrency", type=int, metavar="N", help="units at once (default: one for each core)")
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="a running dask scheduler, such as tcp://host:8786; 'here' runs everything in this process "
        "(default: a cluster of local processes)",
    )
