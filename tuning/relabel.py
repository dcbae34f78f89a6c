"""Give games new scores: search their quiet positions again, deeper or with another network.

python -m tuning.relabel data/first --out data/deeper --nodes 1000 --share 0.2
python -m tuning.relabel data/first --out data/newest --option EvalFile=run/net.nnue

The folder gets ``run.json`` with the settings, and a file in viriformat for each finished file of games. A run that was
interrupted or killed is continued by the same command: the result is the same.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from engine.console import Console
from engine.jit.warmup import warm_up
from engine.messages import counted
from tuning.common import command
from tuning.common.display import Display
from tuning.common.files import digest, write_whole
from tuning.common.flags import add_check_flag, add_cluster_flags, add_option_flag, number, options_of, whole
from tuning.common.units import CONTINUE, Workplace, run_units
from tuning.data.viriformat import SUFFIX, games_to_read, without_copy
from tuning.selfplay.generation import describe, locked
from tuning.selfplay.labels import RelabelSettings, Unit, fingerprint_of, label_file


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.relabel``."""
    made = command.make_parser("relabel", __doc__)
    add = made.add_argument
    add("games", type=Path, metavar="FOLDER", help="folder of tuning.datagen, or file in viriformat")
    add("--out", type=Path, required=True, metavar="DIR", help="folder for the new files; a run there is continued")
    add("--nodes", type=whole(1), default=1_000, metavar="N", help="soft limit of a search (default: %(default)s)")
    add("--hard", type=whole(1), default=2, metavar="N", help="hard limit, as a multiple of it (default: %(default)s)")
    share = "share of the quiet positions, drawn at random (default: all)"
    add("--share", type=number(0, 1), default=1.0, metavar="X", help=share)
    add("--positions", type=whole(1), metavar="N", help="stop after N positions of this session")
    add("--first-ply", type=whole(), default=10, metavar="N", help="skip earlier positions (default: %(default)s)")
    table = "transposition table, cleared for each game (default: %(default)s)"
    add("--hash", type=whole(1), default=4, metavar="MB", help=table)
    add("--seed", type=whole(), default=1, help="random seed (default: %(default)s)")
    add_option_flag(made)
    add_cluster_flags(made)
    add_check_flag(made)
    return made


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Label the files that are missing, at most ``--positions`` more. Raises :class:`SetupError` for a request that is
    not possible, or a folder that holds something else."""
    out = arguments.out
    settings = RelabelSettings(
        nodes=arguments.nodes, hard=arguments.hard, share=arguments.share, first_ply=arguments.first_ply,
        hash=arguments.hash, seed=arguments.seed, options=options_of(arguments.option),
    )  # fmt: skip
    sources = games_to_read(arguments.games, out)
    warm_up(console.print)  # once, not in every worker
    fingerprint, games = fingerprint_of(settings), digest(sources[0])
    about = {"tool": "tuning.relabel", "games": games, **settings.to_json(), "fingerprint": fingerprint}
    if arguments.check:
        if any(out.glob(f"*{SUFFIX}")):
            describe(out, about, new=False)
        return command.checked(console)
    with locked(out):
        describe(out, about, new=not any(out.glob(f"*{SUFFIX}")))
        missing = [Unit(source, settings, fingerprint) for source in without_copy(sources, out)]
        display = Display(console, "labelling files", len(sources), len(sources) - len(missing))
        done: Counter[str] = Counter()

        def text() -> str:
            positions = done["labelled"]
            speed = f"{positions / display.seconds:,.0f} a second, {done['nodes'] / max(positions, 1):,.0f} nodes each"
            files = counted(len(sources) - len(missing) + done["files"], "file", form=",")
            return f"{files}, {counted(positions, 'position', form=',')}, {speed}"

        def units() -> Iterator[Unit]:
            for unit in missing:
                if arguments.positions is not None and done["labelled"] >= arguments.positions:
                    return
                yield unit

        def take(result: dict[str, Any]) -> None:
            write_whole(out / result["name"], result["data"])
            done.update(files=1, labelled=result["labelled"], nodes=result["nodes"])
            display.show(len(sources) - len(missing) + done["files"], text())

        place = Workplace(arguments.scheduler, arguments.jobs, console, display.bar, CONTINUE)
        try:
            return run_units(label_file, units(), place, on_result=take)
        finally:
            console.print(text())


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
