"""Give games new scores: search their quiet positions again, deeper or with another network.

python -m tuning.relabel data/first --out data/deeper --nodes 1000 --share 0.2
python -m tuning.relabel data/first --out data/newest --option EvalFile=run/net.nnue

The folder gets ``run.json`` with the settings, and a file in viriformat for each finished file of games. A run that was
interrupted or killed is continued by the same command: the result is the same.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from engine.console import Console
from engine.jit.warmup import warm_up
from tuning.cluster.run import CONTINUE, Workplace, run_units
from tuning.common import command
from tuning.common.display import Display
from tuning.common.files import digest, write_whole
from tuning.common.flags import add_check_flag, add_cluster_flags, add_option_flag, number, options_of, whole
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
    add_cluster_flags(made, "--processes")
    add_check_flag(made)
    return made


def _settings(arguments: argparse.Namespace) -> RelabelSettings:
    """Raises :class:`SetupError` for invalid options."""
    return RelabelSettings(
        arguments.nodes, arguments.hard, arguments.share, arguments.first_ply, arguments.hash, arguments.seed,
        options_of(arguments.option),
    )  # fmt: skip


class RelabelDisplay(Display):
    """Files, and the positions labelled in this session."""

    def __init__(self, console: Console, files: int, done: int) -> None:
        super().__init__(console, "labelling files", files, done)
        self.files = done
        self.labelled = self.nodes = 0

    def add(self, labelled: int, nodes: int) -> None:
        """Count a file."""
        self.files += 1
        self.labelled += labelled
        self.nodes += nodes
        self.show(self.files, self.text())

    def text(self) -> str:
        """The positions labelled in this session, and the speed."""
        each = self.nodes / max(self.labelled, 1)
        return (
            f"{self.files:,} files, {self.labelled:,} positions, {self.labelled / self.seconds:,.0f} a second, "
            f"{each:,.0f} nodes each"
        )


def description(sources: Sequence[Path], settings: RelabelSettings) -> dict[str, Any]:
    """What ``run.json`` says of a run. Raises :class:`SetupError` for invalid options."""
    fingerprint = fingerprint_of(settings)
    return {"tool": "tuning.relabel", "games": digest(sources[0]), **settings.to_json(), "fingerprint": fingerprint}


def relabel(sources: Sequence[Path], settings: RelabelSettings, arguments: argparse.Namespace, console: Console) -> int:
    """Label what is missing in the folder ``--out``, at most ``--positions`` more; the exit code of :func:`run_units`.
    Raises :class:`SetupError` for a folder that holds something else."""
    directory, positions = arguments.out, arguments.positions
    with locked(directory):
        described = description(sources, settings)
        describe(directory, described, new=not any(directory.glob(f"*{SUFFIX}")))
        missing = [Unit(source, settings, described["fingerprint"]) for source in without_copy(sources, directory)]
        display = RelabelDisplay(console, len(sources), len(sources) - len(missing))

        def units() -> Iterator[Unit]:
            for unit in missing:
                if positions is not None and display.labelled >= positions:
                    return
                yield unit

        def take(result: dict[str, Any]) -> None:
            write_whole(directory / result["name"], result["data"])
            display.add(result["labelled"], result["nodes"])

        place = Workplace(arguments.scheduler, arguments.processes, console, display.bar, CONTINUE)
        try:
            return run_units(label_file, units(), place, on_result=take)
        finally:
            console.print(display.text())


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
    return relabel(sources, settings, arguments, console)


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
