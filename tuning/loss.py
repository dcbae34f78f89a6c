"""Compare how well evaluations predict the results of games that were held out from training.

python -m tuning.loss run Material run/net.nnue
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from engine.evaluation.evaluator import KINDS
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.learning.loss import compare


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.loss``."""
    lines = (__doc__ or "").splitlines()
    made = argparse.ArgumentParser("python -m tuning.loss", description=lines[0])
    made.add_argument("run", type=Path, help="folder of a training run, for its settings")
    made.add_argument("evaluations", nargs="+", metavar="EVALUATION", help=f"{', '.join(KINDS)} or a network file")
    return made


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0: done, 2: cannot be done as asked."""
    arguments = parser().parse_args(words)
    try:
        compare(arguments.run, arguments.evaluations, Console())
    except SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return command.REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
