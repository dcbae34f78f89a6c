"""Compare how well evaluations predict the scores of held-out or other games.

python -m tuning.loss run Material run/net.nnue
python -m tuning.loss data/deeper old.nnue run/net.nnue
python -m tuning.loss data/first old.nnue run/net.nnue --judge stockfish

With --judge the evaluations are compared with the static values of another engine, by numbers of pieces, with scales
that fit best: the mean squared distance of the expected score, and how far each evaluation has moved from the first
towards the judge (slope 1: all the way; an unchanged one has none). The set's scores and results are shown too: their
slope is an upper bound of how far they point towards the judge. The mean |cp| should stay near that of the current
network, because the search's margins are tuned for it.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from engine.console import Console
from engine.evaluation.evaluator import KINDS
from tuning.common import command
from tuning.common.flags import whole
from tuning.data.viriformat import files_of
from tuning.learning.loss import compare, compare_on_games, compare_with_judge, is_run


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.loss``."""
    made = command.make_parser("loss", __doc__)
    made.add_argument("games", type=Path, help="folder of a training run, or of games with scores")
    made.add_argument("evaluations", nargs="+", metavar="EVALUATION", help=f"{', '.join(KINDS)} or a network file")
    made.add_argument("--judge", metavar="COMMAND", help="an engine with Stockfish's command `eval`")
    made.add_argument("--positions", type=whole(1), default=3000, metavar="N", help="positions to judge (default 3000)")
    return made


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the table. Raises :class:`SetupError` for games or evaluations that cannot be used."""
    if arguments.judge:
        compare_with_judge(arguments.games, arguments.evaluations, arguments.judge, arguments.positions, console)
        return 0
    judge = compare if is_run(arguments.games) or not files_of(arguments.games) else compare_on_games
    judge(arguments.games, arguments.evaluations, console)
    return 0


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
