"""Play engines against each other, and report with error bars which is stronger.

python -m tuning.match --engine stockfish --engine ethereal-chess --tc 8+0.08 --games 200
python -m tuning.match --new HEAD --base main~3 --tc 8+0.08 --sprt 0 10 --openings book.epd
python -m tuning.match --resume results/match-20260131-120000.jsonl
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tuning.common import command
from tuning.common.command import check_picture
from tuning.common.errors import EngineFailure, SetupError
from tuning.common.flags import add_check_flag, add_cluster_flags, add_results_flags, only_with_resume
from tuning.matches.engines import (
    WORDS_HELP,
    EngineSpec,
    parse_each,
    parse_limit_words,
    parse_words,
    with_unique_names,
)
from tuning.matches.flags import (
    BESIDE_RESUME,
    add_limit_flags,
    add_play_flags,
    add_sprt_flags,
    limits_from,
    play_settings,
    results_path,
    sprt_from,
    with_commit,
)
from tuning.matches.report import closing
from tuning.matches.running import check, draw, resumed_settings, run
from tuning.matches.schedule import KINDS
from tuning.matches.tournament import TournamentSettings, limits_checked, single_threaded


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.match``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.match", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    group = result.add_argument_group("engines (UCI or xboard)")
    group.add_argument(
        "--engine", nargs="+", action="append", default=[], metavar="WORD", help=f"an engine: {WORDS_HELP}"
    )
    group.add_argument(
        "--each", nargs="+", default=[], metavar="WORD",
        help="option.NAME=VALUE for every engine with that option, and limits for all",
    )  # fmt: skip
    group.add_argument("--new", metavar="REV", help="this engine at a git revision ('.': the working tree now)")
    group.add_argument("--base", metavar="REV", help="revision to compare --new with")
    add_limit_flags(result)
    group = result.add_argument_group("number of games")
    group.add_argument(
        "--games", type=int, metavar="N",
        help="games for each pairing (default 100; with --sprt no limit); with --resume a new number",
    )  # fmt: skip
    group.add_argument(
        "--tournament", choices=KINDS, default="roundrobin", help="gauntlet: the first engine against all others"
    )
    add_sprt_flags(group)
    add_play_flags(result)
    add_cluster_flags(result)
    add_check_flag(result)
    group = add_results_flags(result, "EVENT", "game")
    group.add_argument("--event", default="match", help="event name for PGN and results")
    group.add_argument("--pgn", metavar="FILE", help="write all games, with evaluation, depth and clock comments")
    group.add_argument("--plot", metavar="FILE", help="plot of the result, PNG or SVG")
    return result


def settings_from(arguments: argparse.Namespace) -> TournamentSettings:
    """The tournament that the command line asks for. Raises :class:`SetupError` for what cannot be."""
    shared, limit_words = parse_each(arguments.each)
    limits = parse_limit_words(limit_words, limits_from(arguments))
    specs = [parse_words(words, limits) for words in arguments.engine]
    if (arguments.new is None) != (arguments.base is None):
        raise SetupError("--new and --base go together")
    if arguments.new is not None:
        both = (("new", arguments.new), ("base", arguments.base))
        specs = [EngineSpec(f"{role} {rev}", (), revision=rev, limits=limits) for role, rev in both] + specs
    specs = [single_threaded(replace(spec, shared_options=shared)) for spec in specs]
    if len(specs) < 2:
        raise SetupError("a match needs two engines: give --engine twice, or --new and --base")
    if arguments.sprt and len(specs) != 2:
        raise SetupError(f"--sprt compares two engines, not {len(specs)}")
    conditions, book = play_settings(arguments)
    games = 100 if arguments.games is None and not arguments.sprt else arguments.games
    if games is not None and games < 1:
        raise SetupError(f"--games must be above zero, not {games}")
    sprt = sprt_from(arguments)
    engines = with_unique_names([with_commit(spec) for spec in specs])
    return limits_checked(
        TournamentSettings(tuple(engines), games, arguments.tournament, conditions, book, sprt, arguments.event)
    )


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 0, 1 (failed), 2 (cannot be done as asked) or 130 (interrupted)."""
    arguments = parser().parse_args(words)
    console = command.make_console()
    try:
        check_picture(arguments.plot)
        if arguments.resume:
            path = Path(arguments.resume)
            only_with_resume(parser(), words, BESIDE_RESUME)
            settings = resumed_settings(path, arguments.games, console)
        else:
            path = results_path(arguments)
            settings = settings_from(arguments)
            if arguments.check:
                check(settings)
                return command.checked(console, path)
        tournament, code = run(
            settings,
            path,
            console,
            scheduler=arguments.scheduler,
            concurrency=arguments.concurrency,
            pgn=arguments.pgn,
            resume=bool(arguments.resume),
        )
    except (SetupError, EngineFailure) as error:
        return command.refused(console, error)
    if tournament.tally.games:
        console.print(closing(tournament))
        if arguments.plot:
            draw(tournament, Path(arguments.plot), console)
        console.print(f"\nresults: {path}")
    return code


if __name__ == "__main__":
    sys.exit(main())
