"""Train a network on positions from games with known results.

python -m tuning.train --positions tcec_evals.tsv.gz lichess2400_evals.tsv.gz --cache cache --out run --hidden 64
python -m tuning.train --resume run
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path

from engine.console import Console
from engine.evaluation.nnue.shape import HIDDEN_STEP, MAX_HIDDEN
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import refuse_missing
from tuning.common.flags import add_check_flag, number, positive, whole
from tuning.learning.recipe import LOG, TrainingSettings, by_pieces, settings_of
from tuning.learning.training import initial_network, train


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.train``."""
    made = command.make_parser("train", __doc__)
    add = made.add_argument
    add("--positions", nargs="+", metavar="FILE", help="training data: folders of tuning.datagen, viriformat, text")
    add("--cache", type=Path, metavar="DIR", help="folder that keeps parsed positions for the next run")
    add("--out", type=Path, metavar="DIR", help="new folder for the results")
    add("--resume", type=Path, metavar="DIR", help="continue the run in this folder, with its settings")
    add_check_flag(made)
    group = made.add_argument_group(
        "recipe",
        "shares may depend on the number of pieces: 10:0.3,24:0.05 is 0.3 with up to 10, 0.05 up to 24, then 0",
    )
    recipe: dict[str, tuple[Callable[[str], object], str]] = {
        "begin": (str, "network file to start from, with as many columns or fewer (default: none)"),
        "hidden": (_columns, f"columns of the network (hidden units of each side), a multiple of {HIDDEN_STEP}"),
        "length": (whole(1), "total positions to train on"),
        "batch": (whole(1), "positions per step"),
        "learning_rate": (positive, "learning rate after the warm-up"),
        "final_learning_rate": (positive, "learning rate at the end of the cosine schedule"),
        "warm_up": (whole(), "positions over which the learning rate rises from 0"),
        "weight_decay": (number(), "weight decay of AdamW"),
        "exponent": (positive, "exponent of the error in the training loss"),
        "result_weight": (_by_pieces, "weight of the game result in the target; the rest is the score"),
        "accepted": (_by_pieces, "share of the positions that is seen"),
        "first_ply": (whole(), "skip the positions of a game before this ply"),
        "decided": (positive, "skip positions whose score has larger log-odds than this"),
        "held_out": (number(0, 1), "share of games held out for validation"),
        "report": (whole(1), "minimum number of positions between two reports"),
        "seed": (whole(), "seed of the initial weights and the order of positions"),
    }
    for field in fields(TrainingSettings):
        if field.name in recipe:
            kind, text = recipe[field.name]
            shown = f"{text} (default %(default)s)" if field.default else text
            flag = "--" + field.name.replace("_", "-")
            group.add_argument(flag, type=kind, default=field.default, metavar="X", help=shown)
    return made


def _by_pieces(text: str) -> str:
    by_pieces(text)
    return text


def _columns(text: str) -> int:
    count = whole(HIDDEN_STEP, MAX_HIDDEN)(text)
    if count % HIDDEN_STEP:
        raise argparse.ArgumentTypeError(f"{count} is not a multiple of {HIDDEN_STEP}")
    return count


def _settings_of(arguments: argparse.Namespace) -> TrainingSettings:
    """The settings on the command line. Raises :class:`SetupError` for values that make no sense."""
    for name in ("positions", "cache", "out"):
        if getattr(arguments, name) is None:
            raise SetupError(f"--{name} is missing (or --resume)")
    chosen = {field.name: getattr(arguments, field.name) for field in fields(TrainingSettings)}
    chosen["positions"] = [str(Path(file).resolve()) for file in arguments.positions]
    chosen["begin"] = str(Path(arguments.begin).resolve()) if arguments.begin else ""
    chosen["cache"] = str(arguments.cache.resolve())
    refuse_missing(map(Path, arguments.positions), "positions")
    return TrainingSettings(**chosen)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Train. Raises :class:`SetupError` for settings or positions that cannot be used."""
    out = arguments.resume or arguments.out
    settings = settings_of(out) if arguments.resume else _settings_of(arguments)
    if arguments.check:
        if settings.begin:
            initial_network(settings)
        return command.checked(console, out / LOG)
    try:
        train(settings, out, arguments.resume is not None, console)
    except KeyboardInterrupt as error:
        return command.stopped(console, error, f"continue with --resume {out}")
    return 0


main = partial(command.execute, parser, run, stderr=True)

if __name__ == "__main__":
    sys.exit(main())
