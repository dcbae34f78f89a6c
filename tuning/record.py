"""The record of tests: what was tried, with what result, one line of JSON each in ``tuning/tests.jsonl``.

    python -m tuning.record                                     # the table
    python -m tuning.record show razoring                       # the tests that mention it
    python -m tuning.record add results/match-20260131-120000.jsonl --idea "no razoring" --outcome dropped

Failed tests are in it too. The column "Proof" says whether a test meets the rule in tuning/README.md: a finished SPRT
with normalized bounds [0, 5] or [-5, 0], or at least 5,000 games, with 8,000 nodes a move or more or by the clock.
"""

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from engine.console import Console
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import refuse_missing
from tuning.common.flags import whole
from tuning.experiments.results import trial_of
from tuning.experiments.trials import FILE, OUTCOMES, add, read, table_of


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.record``."""
    result = command.make_parser("record", __doc__)
    result.add_argument("--file", type=Path, default=FILE, help="file of the record (default: tuning/tests.jsonl)")
    commands = result.add_subparsers(dest="action", metavar="COMMAND")
    show = commands.add_parser("show", help="show the table (the default)")
    show.add_argument("words", nargs="*", metavar="WORD", help="show only tests whose line contains all of these words")
    show.add_argument("--last", type=whole(1), metavar="N", help="show only the last N")
    new = commands.add_parser("add", help="add a finished run of tuning.match or tuning.arena")
    new.add_argument("results", type=Path, metavar="FILE", help="results file of the run")
    new.add_argument("--idea", required=True, help="what was tried, in a few words")
    new.add_argument("--outcome", required=True, choices=OUTCOMES, help="outcome")
    new.add_argument("--screened", metavar="NAME", help="idea of a run of tuning.arena --screen")
    new.add_argument("--evaluation", metavar="NAME", help="evaluation or network, if the settings do not say")
    new.add_argument("--note", metavar="TEXT", help="reason, if the figures do not show it")
    new.add_argument(
        "--constant",
        type=_constant,
        action="append",
        metavar="NAME=VALUE",
        help="new value of a parameter or constant of the search, once for each",
    )
    new.add_argument("--stopped", action="store_true", help="accept a run that was stopped before its end")
    return result


def _constant(text: str) -> tuple[str, float]:
    """``NAME=VALUE``. Raises ValueError."""
    name, _, value = text.partition("=")
    return name, float(value)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Show the record or add to it. Raises :class:`SetupError`."""
    if not console.is_terminal:
        console.width = max(console.width, 200)
    if arguments.action == "add":
        trial, finished = trial_of(
            arguments.results, arguments.idea, arguments.outcome, note=arguments.note,
            evaluation=arguments.evaluation, screened=arguments.screened,
        )  # fmt: skip
        if not finished and not arguments.stopped:
            raise SetupError(
                f"{arguments.results} is not finished: continue it with --resume, or add it with --stopped"
            )
        trial = replace(trial, constants=dict(arguments.constant) if arguments.constant else None)
        add(arguments.file, arguments.results, trial)
        console.print(table_of([trial]))
        return 0
    refuse_missing([arguments.file], "cannot read")
    trials = read(arguments.file)
    last = getattr(arguments, "last", None)
    for word in getattr(arguments, "words", ()):
        trials = [trial for trial in trials if word.lower() in trial.line().lower()]
    trials = sorted(trials, key=lambda trial: trial.date)[-last if last else 0 :]
    console.print(table_of(trials) if trials else "no such test")
    return 0


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
