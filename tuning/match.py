"""Play engines against each other by fastchess, and report with error bars which is stronger.

    python -m tuning.match --engine stockfish --engine ethereal-chess --tc 8+0.08 --games 200
    python -m tuning.match --new HEAD --base main~3 --tc 8+0.08 --sprt 0 5 --model normalized --openings book.epd
    python -m tuning.match --rivals --tc 8+0.08 --games 20 --openings book.epd
    python -m tuning.match --resume results/match-20260131-120000.jsonl

With --rivals this engine (or the revision --new) plays a gauntlet against the engines of a fixed list, without their
books, with one thread and 16 MB; missing engines are reported and skipped.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from engine.console import Console
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.flags import add_check_flag, add_results_flags, results_path, whole
from tuning.matches import flags, rivals
from tuning.matches.engines import WORDS_HELP, EngineSpec, parse_each, parse_limit_words, parse_words, with_unique_names
from tuning.matches.report import closing
from tuning.matches.tournament import KINDS, MatchPlace, TournamentSettings, check, play, resumed_settings

BESIDE_RESUME = ("--games", "--pgn", "--fastchess", "--jobs")  # flags that --resume allows


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.match``."""
    result = command.make_parser("match", __doc__)
    group = result.add_argument_group("engines (UCI)")
    group.add_argument(
        "--engine", nargs="+", action="append", default=[], metavar="WORD", help=f"an engine: {WORDS_HELP}"
    )
    each = "option.NAME=VALUE and limits for every engine"
    group.add_argument("--each", nargs="+", default=[], metavar="WORD", help=each)
    group.add_argument("--new", metavar="REV", help="this engine at a git revision ('.': the working tree now)")
    group.add_argument("--base", metavar="REV", help="revision to compare --new with")
    names = ", ".join(rival.name for rival in rivals.RIVALS)
    group.add_argument(
        "--rivals", nargs="*", metavar="NAME", help=f"a gauntlet against these rivals (default: all): {names}"
    )
    flags.add_limit_flags(result)
    group = result.add_argument_group("number of games")
    group.add_argument(
        "--games", type=whole(1), metavar="N",
        help="games for each pairing (default 100, with --rivals 20, with --sprt no limit); with --resume a new number",
    )  # fmt: skip
    group.add_argument(
        "--tournament", choices=KINDS, default="roundrobin", help="gauntlet: the first engine against all others"
    )
    flags.add_sprt_flags(group)
    flags.add_play_flags(result)
    add_check_flag(result)
    group = add_results_flags(result, "EVENT", "game")
    group.add_argument("--pgn", metavar="FILE", help="write all games, with evaluation, depth and clock comments")
    return result


def settings_from(arguments: argparse.Namespace, log: Callable[[str], None] = print) -> TournamentSettings:
    """The tournament on the command line; ``log`` reports rivals that are missing. Raises :class:`SetupError`."""
    shared, limit_words = parse_each(arguments.each)
    limits = parse_limit_words(limit_words, flags.limits_from(arguments))
    specs: list[EngineSpec] = []
    if arguments.rivals is not None:
        if arguments.base is not None:
            raise SetupError("--rivals and --base exclude each other")
        limits = limits if limits.bounded else replace(limits, base=8.0, increment=0.08)
        shared = {"Hash": "16", **shared}
        specs = [EngineSpec("Numbat", (), revision=arguments.new) if arguments.new else rivals.numbat()]
        specs += [replace(rival, limits=limits) for rival in rivals.installed(arguments.rivals, log)]
        specs[0] = replace(specs[0], limits=limits)
    elif (arguments.new is None) != (arguments.base is None):
        raise SetupError("--new and --base go together")
    elif arguments.new is not None:
        both = (("new", arguments.new), ("base", arguments.base))
        specs = [EngineSpec(f"{role} {rev}", (), revision=rev, limits=limits) for role, rev in both]
    specs += [parse_words(words, limits) for words in arguments.engine]
    specs = [replace(spec, shared_options={"Threads": "1", **shared}) for spec in specs]
    if len(specs) < 2:
        raise SetupError("a match needs two engines: give --engine twice, or --new and --base")
    if arguments.sprt and len(specs) != 2:
        raise SetupError(f"--sprt compares two engines, not {len(specs)}")
    adjudication, book = flags.play_settings(arguments)
    engines = tuple(with_unique_names([flags.with_commit(spec) for spec in specs]))
    for spec in engines:
        if not spec.limits.bounded:
            raise SetupError(f"{spec.name} has no limit: give --tc, --movetime, --nodes or --depth")
    settings = TournamentSettings(
        engines, kind=arguments.tournament, adjudication=adjudication, book=book, sprt=flags.sprt_from(arguments)
    )
    if arguments.rivals is not None:
        settings = replace(settings, games=20, kind="gauntlet", event="gauntlet")
    return replace(settings, games=arguments.games) if arguments.games or arguments.sprt else settings


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Play and report. Raises :class:`SetupError` for a request that is not possible."""
    if arguments.resume:
        path = Path(arguments.resume)
        settings = resumed_settings(path, arguments.games, console)
    else:
        settings = settings_from(arguments, lambda line: console.print(line, style="yellow", soft_wrap=True))
        path = results_path(arguments, settings.event)
    place = MatchPlace(path, console, arguments.fastchess, arguments.jobs, arguments.pgn)
    if arguments.check:
        check(settings, place)
        return command.checked(console, path)
    tournament, code = play(settings, place, resume=bool(arguments.resume))
    if tournament.tally.games:
        console.print(closing(tournament.tally, settings.sprt))
        console.print(f"\nresults: {path}")
    return code


main = partial(command.execute, parser, run, beside_resume=BESIDE_RESUME)

if __name__ == "__main__":
    sys.exit(main())
