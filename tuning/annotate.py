"""Annotate the games of PGN files as ``numbat analyse`` does, on all machines of a dask scheduler.

python -m tuning.annotate games.pgn --scheduler tcp://10.0.0.1:8786 --nodes 200000
"""

import argparse
import sys
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from pathlib import Path

from engine.analysis import cli, games
from engine.analysis.files import AnalysisError
from engine.analysis.jobs import Item, OnReport, Setup, annotating
from engine.analysis.record import GameAnalysis
from engine.commandline import UsageError, refuse, terminated_as_interrupted
from engine.console import Console
from engine.files import WriteError
from engine.processes import Completed, Report
from tuning.common import command, units
from tuning.common.errors import SetupError
from tuning.common.flags import add_scheduler_flag


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


def annotate_unit(unit: tuple[Setup, Item], report: Report) -> GameAnalysis:
    """Annotate a game on a worker, and report the progress with the game."""
    setup, item = unit
    with annotating(setup, lambda said: report((item, said))) as annotate:
        return annotate(item)


def _annotate_all(
    setup: Setup, items: Iterator[Item], on_report: OnReport, scheduler: str, workers: int | None
) -> Generator[Completed, None, None]:
    """Annotate ``items`` on a cluster, ``workers`` at a time; see :data:`engine.analysis.jobs.AnnotateAll`."""
    work = ((setup, item) for item in items)
    with terminated_as_interrupted():
        for outcome in units.run(annotate_unit, work, scheduler, workers, lambda report: on_report(*report)):
            yield Completed(outcome.item[1], outcome.result, outcome.error)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Annotate the files. Raises :class:`SetupError` for a request that is not possible."""
    if not arguments.what:
        raise SetupError("name PGN files to annotate")
    if not arguments.scheduler:
        raise SetupError("name a --scheduler; without one `numbat analyse --jobs N` annotates on this machine")
    annotate = partial(_annotate_all, scheduler=arguments.scheduler, workers=arguments.jobs)
    try:
        return games.analyse([Path(word) for word in arguments.what], arguments, dict(arguments.option), annotate)
    except units.SchedulerLost as error:
        return command.stopped(console, error, "run the same command to continue")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    try:
        return command.execute(parser, run, words, stderr=True)
    except (AnalysisError, UsageError, WriteError) as error:
        return refuse(error)


if __name__ == "__main__":
    sys.exit(main())
