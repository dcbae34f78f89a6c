"""Give games new scores: search their quiet positions again, deeper or with another network.

python -m tuning.relabel data/first --out data/deeper --nodes 1000 --share 0.2
python -m tuning.relabel data/first --out data/newest --option EvalFile=run/net.nnue
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from engine.console import Console
from engine.jit.warmup import warm_up
from tuning.common import command
from tuning.common.errors import SetupError, at_least
from tuning.common.flags import add_check_flag, add_cluster_flags, add_option_flag, count, options_of
from tuning.data.viriformat import SUFFIX, games_to_read
from tuning.selfplay.generation import describe
from tuning.selfplay.labels import RelabelSettings
from tuning.selfplay.relabelling import description, relabel


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.relabel``."""
    made = command.make_parser("relabel", __doc__)
    add = made.add_argument
    add("games", type=Path, metavar="FOLDER", help="folder of tuning.datagen, or file in viriformat")
    add("--out", type=Path, required=True, metavar="DIR", help="folder for the new files; a run there is continued")
    add("--nodes", type=count, default=1_000, metavar="N", help="soft limit of a search (default: %(default)s)")
    add("--hard", type=count, default=2, metavar="N", help="hard limit, as a multiple of it (default: %(default)s)")
    share = "share of the quiet positions, drawn at random (default: all)"
    add("--share", type=float, default=1.0, metavar="X", help=share)
    add("--positions", type=count, metavar="N", help="stop after N positions of this session")
    add("--first-ply", type=int, default=10, metavar="N", help="skip positions before this ply (default: %(default)s)")
    table = "transposition table, cleared for each game (default: %(default)s)"
    add("--hash", type=count, default=4, metavar="MB", help=table)
    add("--seed", type=int, default=1, help="random seed (default: %(default)s)")
    add_option_flag(made)
    add_cluster_flags(made, "--processes")
    add_check_flag(made)
    return made


def _settings(arguments: argparse.Namespace) -> RelabelSettings:
    """Raises :class:`SetupError` for invalid settings."""
    at_least(
        1, nodes=arguments.nodes, hard=arguments.hard, hash=arguments.hash,
        positions=arguments.positions, processes=arguments.processes,
    )  # fmt: skip
    at_least(0, first_ply=arguments.first_ply, seed=arguments.seed)
    if not 0 < arguments.share <= 1:
        raise SetupError(f"--share {arguments.share} is not above 0 and up to 1")
    return RelabelSettings(
        arguments.nodes, arguments.hard, arguments.share, arguments.first_ply, arguments.hash, arguments.seed,
        options_of(arguments.option),
    )  # fmt: skip


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Label the files that are missing. Raises :class:`SetupError` for a request that is not possible."""
    settings = _settings(arguments)
    sources = games_to_read(arguments.games, arguments.out)
    warm_up(console.print)  # before the workers do it all at once
    described = description(sources, settings)  # reports wrong options before the folder is made
    if arguments.check:
        if any(arguments.out.glob(f"*{SUFFIX}")):
            describe(arguments.out, described, new=False)
        return command.checked(console)
    return relabel(
        sources, arguments.out, settings, positions=arguments.positions,
        scheduler=arguments.scheduler, processes=arguments.processes, console=console,
    )  # fmt: skip


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
