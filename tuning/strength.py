"""Measure what the levels of playing weaker are worth, and write their Elo to ``engine/play/strength.json``.

    python -m tuning.strength --games 40 --levels 0 4 8 11 14 17 19 --openings book.epd

Stockfish at several ``UCI_Elo`` meets the levels nearest to it by the figures of the file so far. Levels play each
other only where Stockfish has no setting, below its weakest and above its strongest, because a level beats its likes
by more than others' ratings of the two differ. The Elo of the levels are the likeliest ones if those of Stockfish's
settings are what they say (Bradley-Terry, a draw as half a win), brought onto a smooth curve. Without anchors all
levels play their neighbours. Every encounter has a results file of its own in ``--dir``; the same command goes on where
it was interrupted, and with more ``--games`` it adds to what is there.

Nothing depends on a clock: the levels and Stockfish count nodes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from engine.play.strength import FILE, LEVELS
from tuning.common import command
from tuning.common.errors import EngineFailure, SetupError, at_least
from tuning.common.files import keep_apart
from tuning.common.flags import add_cluster_flags
from tuning.common.ledger import read_settings
from tuning.levels.strength import ANCHOR_NODES, ANCHORS, encounters, fitted, games_of_each, rising, smooth, write
from tuning.matches import running
from tuning.matches.engines import EngineSpec
from tuning.matches.flags import add_play_flags, play_settings
from tuning.matches.tournament import Settings
from tuning.statistics import ratings


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.strength``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.strength", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument("--games", type=int, default=40, help="games of each pairing (default 40)")
    result.add_argument(
        "--levels", type=int, nargs="+", default=[0, 4, 8, 11, 14, 17, 20, 22], metavar="N", help="levels to measure"
    )
    result.add_argument(
        "--anchors",
        type=int,
        nargs="*",
        default=list(ANCHORS),
        metavar="ELO",
        help="UCI_Elo settings of Stockfish to play against",
    )
    result.add_argument(
        "--anchor-nodes",
        type=int,
        default=ANCHOR_NODES,
        metavar="N",
        help="nodes per move of Stockfish (default %(default)s)",
    )
    add_play_flags(result)
    add_cluster_flags(result)
    result.add_argument(
        "--dir",
        type=Path,
        default=Path("results/strength"),
        metavar="DIR",
        help="folder for results (default results/strength)",
    )
    result.add_argument("--out", type=Path, default=FILE, metavar="FILE", help="default: engine/play/strength.json")
    return result


def play(
    pair: tuple[EngineSpec, EngineSpec], arguments: argparse.Namespace, console: Console
) -> tuple[int, dict[tuple[str, str], Any]]:
    """Play one encounter, or what is missing of it; its exit code and its counts (losses, draws, wins)."""
    conditions, book = play_settings(arguments)
    settings = Settings(pair, arguments.games, "roundrobin", conditions, book, None, "strength")
    settings = replace(settings, engines=tuple(replace(s, shared_options={"Threads": "1", "Hash": "16"}) for s in pair))
    path = arguments.dir / ("-".join(spec.name.replace(" ", "") for spec in pair) + ".jsonl")
    resume = path.exists()
    if resume:
        former = Settings.read(path, read_settings(path))
        if replace(former, games=settings.games) != settings:
            raise SetupError(f"{path} was played with other settings; choose another --dir")
    tournament, code = running.run(
        settings, path, console, scheduler=arguments.scheduler, concurrency=arguments.concurrency, resume=resume
    )
    return code, {key: encounter.wdl for key, encounter in tournament.tally.encounters.items()}


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; exit codes as in :func:`tuning.match.main`."""
    arguments = parser().parse_args(words)
    console = command.make_console()
    try:
        levels = sorted(set(arguments.levels))
        if len(levels) < 2 or levels[0] < 0 or levels[-1] >= len(LEVELS):
            raise SetupError(f"--levels takes two or more of 0 to {len(LEVELS) - 1}")
        at_least(1, games=arguments.games, anchor_nodes=arguments.anchor_nodes)
        at_least(1, anchors=min(arguments.anchors, default=1))
        keep_apart(arguments.out, ())
        counts: dict[tuple[str, str], Any] = {}
        for pair in encounters(levels, arguments.anchors, arguments.anchor_nodes):
            code, found = play(pair, arguments, console)
            if code:
                return code
            counts.update(found)
        found_ratings = fitted(counts)
        table = Table("player", "Elo", "95%")
        games = games_of_each(counts)
        for name, (elo, error) in sorted(found_ratings.items(), key=lambda item: -item[1][0]):
            shown = f"±{error:.0f}" if games[name] >= ratings.LEAST_GAMES else f"too few games ({games[name]})"
            table.add_row(name, f"{elo:.0f}", "" if name.startswith("Stockfish ") else shown)
        console.print(table)
        elos = rising(smooth({level: found_ratings[f"Level {level}"] for level in levels}), len(LEVELS))
        scale = (
            f"on the scale of Stockfish at {', '.join(map(str, arguments.anchors))}" if arguments.anchors else "mean 0"
        )
        write(arguments.out, elos, f"measured by python -m tuning.strength: {arguments.games} games a pairing, {scale}")
    except (SetupError, EngineFailure, OSError) as error:
        return command.refused(console, error)
    console.print(f"written: {arguments.out}", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
