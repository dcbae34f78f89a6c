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
from tuning.common.files import keep_apart
from tuning.common.flags import add_fit_flags, check_fit
from tuning.learning.texel import learn


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line; exits with one message if it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tuning.texel", description="Learn the weights of the classical evaluation from positions."
    )
    add_fit_flags(parser, limit=1_000_000, decay=1e-5, output=WEIGHTS_FILE)
    add = parser.add_argument
    add("--cache", type=Path, required=True, metavar="DIR", help="folder that keeps parsed positions for the next run")
    add("--plot", type=Path, metavar="PICTURE", help="plot of the losses over the iterations")
    arguments = parser.parse_args(words)
    check_fit(parser, arguments, "equivalent weights could grow without bound")
    return arguments


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command; the weights file is replaced at the very end or not at all."""
    arguments = parse_arguments(words)
    try:
        keep_apart(arguments.output, arguments.positions)
        if arguments.plot is not None:
            plots.check(arguments.plot)
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
