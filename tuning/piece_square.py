"""Learns the piece-square tables of ``engine/evaluation/material.json`` from positions whose outcome is known.

Usage: ``python -m tuning.piece_square --positions FILE...``
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from engine.evaluation.material import WEIGHTS_FILE
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import keep_apart
from tuning.learning.piece_square import learn


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line; exits with one message where it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tuning.piece_square",
        description="Learn the piece-square tables from positions, the material staying as it is.",
    )
    add = parser.add_argument
    help_positions = "positions in one of the two forms that the module describes"
    help_share = "the game result's share in the target, the rest is evaluation (default %(default)s)"
    add("--positions", type=Path, nargs="+", required=True, metavar="FILE", help=help_positions)
    add("--limit", type=int, default=600_000, metavar="N", help="positions of each file (default %(default)s)")
    add("--result-share", type=float, default=0.3, metavar="SHARE", help=help_share)
    add("--decay", type=float, default=3e-5, metavar="RATE", help="what holds tables to 0 (default %(default)s)")
    add("--iterations", type=int, default=300, metavar="N", help="of L-BFGS at most (default %(default)s)")
    add("--seed", type=int, default=1, help="of the choice of positions (default %(default)s)")
    add("--output", type=Path, default=WEIGHTS_FILE, metavar="FILE", help="the weights file to rewrite")
    arguments = parser.parse_args(words)
    if arguments.limit < 1 or arguments.iterations < 1:
        parser.error("--limit and --iterations must be at least 1")
    if arguments.seed < 0:
        parser.error(f"--seed {arguments.seed} is below 0")
    if not 0 <= arguments.result_share <= 1:
        parser.error(f"--result-share {arguments.result_share} is not between 0 and 1")
    if not arguments.decay > 0:
        parser.error(f"--decay {arguments.decay} is not above 0: the tables' scale would be undetermined")
    return arguments


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; the weights file is replaced at the very end or not at all."""
    arguments = parse_arguments(words)
    try:
        keep_apart(arguments.output, arguments.positions)
        learn(arguments, Console(stderr=True))
    except SetupError as error:
        print(f"piece_square: {error}", file=sys.stderr)
        return command.REFUSED
    except KeyboardInterrupt:
        print(f"piece_square: interrupted; {arguments.output} is as it was", file=sys.stderr)
        return command.INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
