"""Learns the weights of the classical evaluation from positions whose outcome is known.

Usage: ``python -m tuning.texel --positions FILE...``
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.console import Console
from engine.evaluation.classical.weights import WEIGHTS_FILE
from tuning.common import command, plots
from tuning.common.errors import SetupError
from tuning.common.files import keep_apart, refuse_missing
from tuning.common.flags import add_check_flag
from tuning.learning.texel import learn


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line; exits with one message if it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tuning.texel", description="Learn the weights of the classical evaluation from positions."
    )
    add = parser.add_argument
    add("--positions", type=Path, nargs="+", required=True, metavar="FILE", help="files of positions, one a line")
    help_limit = "positions to take from each file (default %(default)s)"
    add("--limit", type=int, default=1_000_000, metavar="N", help=help_limit)
    help_share = "share of the game result in the target; the rest is the evaluation (default %(default)s)"
    add("--result-share", type=float, default=0.3, metavar="SHARE", help=help_share)
    add("--decay", type=float, default=1e-5, metavar="RATE", help="weight decay (default %(default)s)")
    add("--iterations", type=int, default=300, metavar="N", help="maximum iterations of L-BFGS (default %(default)s)")
    add("--seed", type=int, default=1, help="seed of the choice of positions (default %(default)s)")
    add("--output", type=Path, default=WEIGHTS_FILE, metavar="FILE", help="weights file to write")
    add("--cache", type=Path, required=True, metavar="DIR", help="folder that keeps parsed positions for the next run")
    add("--plot", type=Path, metavar="PICTURE", help="plot of the losses over the iterations")
    add_check_flag(parser)
    arguments = parser.parse_args(words)
    if arguments.limit < 1 or arguments.iterations < 1:
        parser.error("--limit and --iterations must be at least 1")
    if arguments.seed < 0:
        parser.error(f"--seed {arguments.seed} is below 0")
    if not 0 <= arguments.result_share <= 1:
        parser.error(f"--result-share {arguments.result_share} is not between 0 and 1")
    if not arguments.decay > 0:
        parser.error(f"--decay {arguments.decay} is not above 0: equivalent weights could grow without bound")
    return arguments


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command; the weights file is replaced at the very end or not at all."""
    arguments = parse_arguments(words)
    try:
        keep_apart(arguments.output, arguments.positions)
        if arguments.plot is not None:
            plots.check(arguments.plot)
        refuse_missing(arguments.positions, "positions")
        if arguments.check:
            return command.checked(Console())
        learn(arguments, Console(stderr=True))
    except SetupError as error:
        print(f"texel: {error}", file=sys.stderr)
        return command.REFUSED
    except KeyboardInterrupt:
        print(f"texel: interrupted; {arguments.output} is unchanged", file=sys.stderr)
        return command.INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
