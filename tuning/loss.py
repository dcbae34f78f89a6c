"""Compare how well evaluations predict the scores of held-out or other games.

python -m tuning.loss run Material run/net.nnue
python -m tuning.loss data/deeper old.nnue run/net.nnue
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.console import Console
from engine.evaluation.evaluator import KINDS
from tuning.common import command
from tuning.data.viriformat import files_of
from tuning.learning.loss import compare, compare_on_games, is_run


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.loss``."""
    made = command.make_parser("loss", __doc__)
    made.add_argument("games", type=Path, help="folder of a training run, or of games with scores")
    made.add_argument("evaluations", nargs="+", metavar="EVALUATION", help=f"{', '.join(KINDS)} or a network file")
    return made


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the table. Raises :class:`SetupError` for games or evaluations that cannot be used."""
    judge = compare if is_run(arguments.games) or not files_of(arguments.games) else compare_on_games
    judge(arguments.games, arguments.evaluations, console)
    return 0


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    return command.execute(parser, run, words)


if __name__ == "__main__":
    sys.exit(main())
