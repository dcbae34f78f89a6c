"""Play Numbat against every installed rival, and draw the ratings.

    python -m tuning.gauntlet --tc 8+0.08 --games 20 --openings book.epd
    python -m tuning.gauntlet --resume results/gauntlet-20260131-120000.jsonl

Rivals that are not installed are listed and skipped. All play without their own books, with one thread.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tuning.common import command
from tuning.common.command import check_picture
from tuning.common.errors import EngineFailure, SetupError, at_least
from tuning.common.flags import add_check_flag, add_cluster_flags, add_results_flags, only_with_resume
from tuning.matches import running
from tuning.matches.engines import EngineSpec
from tuning.matches.flags import (
    BESIDE_RESUME,
    add_limit_flags,
    add_play_flags,
    limits_from,
    play_settings,
    results_path,
    with_commit,
)
from tuning.matches.report import closing
from tuning.matches.rivals import RIVALS, installed, numbat
from tuning.matches.running import draw, resumed_settings
from tuning.matches.tournament import TournamentSettings, limits_checked

GAMES = 20
"""Against each rival, unless the command line says otherwise."""


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.gauntlet``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.gauntlet", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ", ".join(rival.name for rival in RIVALS)
    result.add_argument("--only", nargs="+", metavar="NAME", help=f"some of the rivals: {names}")
    result.add_argument("--rev", metavar="REV", help="play Numbat at this git revision instead of the working tree")
    result.add_argument("--sunfish", metavar="CMD", help="path of sunfish, if it is not on PATH")
    result.add_argument("--games", type=int, help="games against each rival (default 20); with --resume a new number")
    result.add_argument(
        "--hash", type=int, default=16, metavar="MB", help="hash table of every engine in MB (default 16)"
    )
    add_limit_flags(result)
    add_play_flags(result)
    add_cluster_flags(result)
    add_check_flag(result)
    group = add_results_flags(result, "EVENT", "game")
    group.add_argument("--event", default="gauntlet", help="event name for PGN and results")
    group.add_argument("--pgn", metavar="FILE", help="all games")
    group.add_argument("--plot", metavar="FILE", help="rating plot (default: beside the results, .png)")
    return result


def settings_from(
    arguments: argparse.Namespace, rivals: Sequence[EngineSpec] = RIVALS
) -> tuple[TournamentSettings, list[str]]:
    """The tournament, and the rivals that are not here. Raises :class:`SetupError` when nobody is."""
    limits = limits_from(arguments)
    if not limits.bounded:
        limits = replace(limits, base=8.0, increment=0.08)
    if arguments.only:
        known = {rival.name.lower(): rival for rival in rivals}
        unknown = [name for name in arguments.only if name.lower() not in known]
        if unknown:
            raise SetupError(f"--only: no rival is called {', '.join(unknown)}; there are: {', '.join(known)}")
        rivals = [known[name.lower()] for name in arguments.only]
    if arguments.sunfish:
        rivals = [replace(r, command=(arguments.sunfish,)) if r.name == "sunfish" else r for r in rivals]
    here, absent = installed(rivals)
    if not here:
        raise SetupError(f"no rival is installed: {'; '.join(absent)}")
    at_least(1, games=arguments.games, hash=arguments.hash)
    first = numbat(limits)
    if arguments.rev:
        first = with_commit(EngineSpec("Numbat", (), revision=arguments.rev))
    shared = {"Threads": "1", "Hash": str(arguments.hash)}
    engines = tuple(replace(spec, limits=limits, shared_options=shared) for spec in (first, *here))
    conditions, book = play_settings(arguments)
    settings = TournamentSettings(
        engines, arguments.games or GAMES, "gauntlet", conditions, book, None, arguments.event
    )
    return limits_checked(settings), absent


@command.interruptible
def main(words: Sequence[str] | None = None, rivals: Sequence[EngineSpec] = RIVALS) -> int:
    """Run the command line; exit codes as in :func:`tuning.match.main`."""
    arguments = parser().parse_args(words)
    console = command.make_console()
    path = Path(arguments.resume) if arguments.resume else results_path(arguments)
    picture = Path(arguments.plot) if arguments.plot else path.with_suffix(".png")
    try:
        check_picture(str(picture))
        if arguments.resume:
            only_with_resume(parser(), words, BESIDE_RESUME)
            settings = resumed_settings(path, arguments.games, console)
        else:
            settings, absent = settings_from(arguments, rivals)
            for line in absent:
                console.print(f"skipped: {line}", style="yellow", soft_wrap=True)
            if arguments.check:
                running.check(settings)
                return command.checked(console, path)
        tournament, code = running.run(
            settings, path, console, scheduler=arguments.scheduler, concurrency=arguments.concurrency,
            pgn=arguments.pgn, resume=bool(arguments.resume),
        )  # fmt: skip
    except (SetupError, EngineFailure) as error:
        return command.refused(console, error)
    if tournament.tally.games:
        console.print(closing(tournament))
        draw(tournament, picture, console)
        console.print(f"\nresults: {path}\npicture: {picture}")
    return code


if __name__ == "__main__":
    sys.exit(main())
