"""Learns the piece-square tables of ``engine/evaluation/material.json`` from positions whose outcome is known.

Usage: ``python -m tuning.piece_square --positions FILE...``
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from engine.console import Console
from engine.evaluation.material import WEIGHTS_FILE
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import keep_apart
from tuning.common.flags import add_fit_flags, check_fit
from tuning.learning.piece_square import learn


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line; exits with one message if it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tuning.piece_square",
        description="Learn the piece-square tables from positions, with fixed material values.",
    )
    add_fit_flags(parser, limit=600_000, decay=3e-5, output=WEIGHTS_FILE)
    arguments = parser.parse_args(words)
    check_fit(parser, arguments, "the tables' scale would be undetermined")
    return arguments


@command.interruptible
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
        print(f"piece_square: interrupted; {arguments.output} is unchanged", file=sys.stderr)
        return command.INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
