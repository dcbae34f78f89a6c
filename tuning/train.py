"""Train a network on positions whose outcome is known.

python -m tuning.train --positions tcec_evals.tsv.gz lichess2400_evals.tsv.gz --cache cache --out run --hidden 64
python -m tuning.train --resume run
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from rich.console import Console

from engine.evaluation.nnue.shape import HIDDEN_STEP, MAX_HIDDEN
from tuning.common import command
from tuning.common.errors import SetupError, at_least
from tuning.common.flags import only_with_resume
from tuning.learning.recipe import Settings, settings_of
from tuning.learning.training import train


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.train``."""
    lines = (__doc__ or "").splitlines()
    made = argparse.ArgumentParser("python -m tuning.train", description=lines[0])
    add = made.add_argument
    add("--positions", nargs="+", metavar="FILE", help="what to learn from: see tuning.data.positions for the forms")
    add("--cache", type=Path, metavar="DIR", help="where parsed positions are kept for the next time")
    add("--out", type=Path, metavar="DIR", help="a folder for the results, not yet there")
    add("--resume", type=Path, metavar="DIR", help="go on with the run in this folder; its settings are used")
    group = made.add_argument_group("recipe")
    helps = {
        "begin": "a network file to go on from, with as many columns (default: none)",
        "hidden": f"columns N of the network, a multiple of {HIDDEN_STEP}",
        "length": "positions to see in all",
        "batch": "positions to a step",
        "learning_rate": "at the start",
        "final_learning_rate": "at the end, by a cosine",
        "warm_up": "positions until the learning rate has come up from 0",
        "weight_decay": "of AdamW",
        "exponent": "of the error in the loss that is learned",
        "result_weight": "the game result's share in the target, the rest is the score",
        "final_result_weight": "that share at the end, if it changes evenly",
        "first_ply": "positions before it are left out",
        "decided": "log-odds of success beyond which positions are left out",
        "held_out": "share of games to judge by",
        "report": "positions between two reports, at least",
        "seed": "of the first weights and the order of positions",
    }
    for field in fields(Settings):
        if field.name in helps:
            kind = float if field.default is None else type(field.default)
            shown = f"{helps[field.name]} (default %(default)s)" if field.default else helps[field.name]
            name = "--" + field.name.replace("_", "-")
            group.add_argument(name, type=kind, default=field.default, metavar="X", help=shown)
    return made


def _settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings on the command line. Raises :class:`SetupError` for values that make no sense."""
    for name in ("positions", "cache", "out"):
        if getattr(arguments, name) is None:
            raise SetupError(f"--{name} is missing (or --resume)")
    chosen = {field.name: getattr(arguments, field.name) for field in fields(Settings)}
    chosen["positions"] = [str(Path(file).resolve()) for file in arguments.positions]
    chosen["begin"] = str(Path(arguments.begin).resolve()) if arguments.begin else ""
    chosen["cache"] = str(arguments.cache.resolve())
    settings = Settings(**chosen)
    if settings.hidden % HIDDEN_STEP or not 0 < settings.hidden <= MAX_HIDDEN:
        raise SetupError(f"--hidden {settings.hidden} is not a multiple of {HIDDEN_STEP} up to {MAX_HIDDEN}")
    for name in (
        "length",
        "batch",
        "learning_rate",
        "final_learning_rate",
        "exponent",
        "decided",
        "held_out",
        "report",
    ):
        if not getattr(settings, name) > 0:
            raise SetupError(f"--{name.replace('_', '-')} {getattr(settings, name)} is not above 0")
    at_least(
        0,
        seed=settings.seed,
        first_ply=settings.first_ply,
        weight_decay=settings.weight_decay,
        warm_up=settings.warm_up,
    )
    if settings.held_out >= 1:
        raise SetupError(f"--held-out {settings.held_out} is not below 1")
    for name in ("result_weight", "final_result_weight"):
        if not 0 <= (getattr(settings, name) or 0) <= 1:
            raise SetupError(f"--{name.replace('_', '-')} {getattr(settings, name)} is not between 0 and 1")
    return settings


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0: done, 2: cannot be done as asked, 130: interrupted."""
    arguments = parser().parse_args(words)
    console = Console(stderr=True)
    out = arguments.resume or arguments.out
    try:
        if arguments.resume:
            only_with_resume(parser(), words, ())
        settings = settings_of(out) if arguments.resume else _settings_of(arguments)
        train(settings, out, arguments.resume is not None, console)
    except KeyboardInterrupt:
        console.print(f"interrupted; go on with --resume {out}", highlight=False)
        return command.INTERRUPTED
    except SetupError as error:
        return command.refused(console, error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
