"""Fit the weights of the classical evaluation to positions whose outcome is known.

python -m tuning.texel --positions tcec_evals.tsv.gz data/first --cache cache
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from engine.console import Console
from engine.evaluation.classical.weights import WEIGHTS_FILE
from tuning.common import command
from tuning.common.files import check_output, refuse_missing
from tuning.common.flags import add_check_flag, number, positive, whole
from tuning.learning.texel import learn


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.texel``."""
    result = command.make_parser("texel", __doc__)
    add = result.add_argument
    help_positions = "training data: folders of tuning.datagen, viriformat, text"
    add("--positions", type=Path, nargs="+", required=True, metavar="FILE", help=help_positions)
    help_limit = "positions to take from each file (default %(default)s)"
    add("--limit", type=whole(1), default=1_000_000, metavar="N", help=help_limit)
    help_share = "share of the game result in the target; the rest is the evaluation (default %(default)s)"
    add("--result-share", type=number(0, 1), default=0.3, metavar="SHARE", help=help_share)
    add("--decay", type=positive, default=1e-5, metavar="RATE", help="weight decay (default %(default)s)")
    add("--iterations", type=whole(1), default=300, metavar="N", help="maximum iterations (default %(default)s)")
    add("--seed", type=whole(), default=1, help="seed of the choice of positions (default %(default)s)")
    add("--output", type=Path, default=WEIGHTS_FILE, metavar="FILE", help="weights file to write")
    add("--cache", type=Path, required=True, metavar="DIR", help="folder that keeps parsed positions for the next run")
    add_check_flag(result)
    return result


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Learn; the weights file is replaced at the very end or not at all. Raises :class:`SetupError`."""
    check_output(arguments.output, arguments.positions)
    refuse_missing(arguments.positions, "positions")
    if arguments.check:
        return command.checked(console)
    try:
        learn(arguments, console)
    except KeyboardInterrupt as error:
        return command.stopped(console, error, f"{arguments.output} is unchanged")
    return 0


main = partial(command.execute, parser, run, stderr=True)

if __name__ == "__main__":
    sys.exit(main())
