"""Annotate the games of PGN files as ``numbat analyse`` does, on all machines of a dask scheduler.

python -m tuning.annotate games.pgn --scheduler tcp://10.0.0.1:8786 --nodes 200000
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from engine.analysis import cli, games
from engine.analysis.files import AnalysisError, pgn_text
from engine.analysis.jobs import Finished, Item, Key, Message, Receive, Remark, Setup, Step, Unfinished, annotate_pgn
from engine.commandline import UsageError, refuse
from engine.console import Console
from engine.files import WriteError
from tuning.cluster.base import ClusterLost, Report
from tuning.cluster.run import open_cluster
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.flags import add_scheduler_flag

_MESSAGES = {kind.__name__: kind for kind in (Step, Unfinished, Finished, Remark)}

#: How a game is annotated, its number in this run and in its file, and the game as PGN.
_Unit = tuple[Setup, int, int, str]


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.annotate``: that of ``numbat analyse`` for files, and the scheduler."""
    made = cli.parser("analyse")
    made.prog, made.description = "python -m tuning.annotate", __doc__
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    for action in made._actions:
        if action.dest == "what":
            action.metavar, action.help = "PGN", "PGN files"
        elif action.dest in ("lines", "chess960"):
            action.help = argparse.SUPPRESS
    add_scheduler_flag(made)
    return made


def annotate_unit(unit: _Unit, report: Report) -> None:
    """Annotate a game on a worker; its messages are reported as plain data."""
    setup, place, number, pgn = unit

    def send(message: Message) -> None:
        report((place, type(message).__name__, *message))

    annotate_pgn(setup, number, pgn, send)


def _annotate_all(
    items: Iterator[Item[Key]], setup: Setup, receive: Receive[Key], scheduler: str, workers: int | None
) -> None:
    """Annotate ``items`` on a cluster, ``workers`` at a time; see :data:`engine.analysis.jobs.AnnotateAll`."""
    keys: dict[int, Key] = {}

    def units() -> Iterator[_Unit]:
        for place, (key, number, game) in enumerate(items):
            keys[place] = key
            yield setup, place, number, pgn_text(game)

    def on_report(item: Sequence[Any]) -> None:
        place, kind, *values = item
        receive(None if kind == Remark.__name__ else keys[place], _MESSAGES[kind](*values))

    with command.orderly() as stack:
        cluster = open_cluster(scheduler, workers, lambda line: receive(None, Remark(line)))
        stack.callback(cluster.close)
        for outcome in cluster.run(annotate_unit, units(), on_report):
            if outcome.error is not None:
                raise AnalysisError(f"game {outcome.unit[2]} cannot be annotated: {outcome.error}")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Annotate the files. Raises :class:`SetupError` for a request that is not possible."""
    if not arguments.what:
        raise SetupError("name PGN files to annotate")
    if not arguments.scheduler:
        raise SetupError("name a --scheduler; without one `numbat analyse --jobs N` annotates on this machine")
    annotate = partial(_annotate_all, scheduler=arguments.scheduler, workers=arguments.jobs)
    try:
        return games.analyse([Path(word) for word in arguments.what], arguments, dict(arguments.option), annotate)
    except ClusterLost as error:
        return command.stopped(console, error, "run the same command to continue")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    try:
        return command.execute(parser, run, words, stderr=True)
    except (AnalysisError, UsageError, WriteError) as error:
        return refuse(error)


if __name__ == "__main__":
    sys.exit(main())
