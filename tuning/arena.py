"""Play two settings of this engine against each other, each game in one call of compiled code.

    python -m tuning.arena --new FutilityBase=110 --nodes 8000 --openings book.epd --sprt 0 5 --model normalized
    python -m tuning.arena --new EvalFile=net.nnue --base EvalType=Classical --nodes 5000 --games 2000
    python -m tuning.arena --new TimeMoves=24 --clock 300000+3000 --openings book.epd --games 10000
    python -m tuning.arena --screen FutilityBase=110 SingularMargin=16 --games 20000 --openings book.epd
    python -m tuning.arena --resume results/arena-20260131-120000.jsonl

The two sides differ in evaluation (EvalType, EvalFile), search parameters (engine/search/parameters.py) or nodes per
move (nodes=, so that a slower network pays for its time); everything else is the engine of this checkout. Use
tuning.match for other revisions and engines. To test a new idea in the search here, add a parameter that switches it
on.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from engine.console import Console
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import check_output
from tuning.common.flags import add_results_flags, options_of, results_path, whole
from tuning.common.results import ResultsFile, restored
from tuning.matches import flags
from tuning.matches.report import encounter_lines
from tuning.selfplay.arena import TOOL, ArenaSettings, Count, play, summary
from tuning.selfplay.batches import Matchup, Options, with_fingerprint
from tuning.selfplay.duel import rules_from
from tuning.selfplay.screening import Idea, effects_table
from tuning.selfplay.sides import CLOCK, EVALUATION, NODES, parameters_of
from tuning.statistics.sprt import sprt_text

BESIDE_RESUME = ("--games", "--scheduler", "--jobs", "--pgn")  # flags that --resume allows


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.arena``."""
    result = command.make_parser("arena", __doc__)
    group = result.add_argument_group("sides: EvalType=, EvalFile=, search parameters, nodes=, name=")
    group.add_argument("--new", nargs="*", default=[], metavar="NAME=VALUE", help="side under test")
    group.add_argument("--base", nargs="*", default=[], metavar="NAME=VALUE", help="side to compare with")
    group.add_argument("--each", nargs="*", default=[], metavar="NAME=VALUE", help="settings of both sides")
    group.add_argument(
        "--screen", nargs="+", default=[], metavar="NAME=VALUE",
        help="measure many ideas in the same games: each pair gives each of these values to one side, drawn at random; "
        "the other side keeps the default",
    )  # fmt: skip
    flags.add_arena_flags(result)
    group = result.add_argument_group("number of games")
    group.add_argument("--games", type=whole(1), metavar="N", help="games (default 1000; with --sprt no limit)")
    flags.add_sprt_flags(group)
    group = add_results_flags(result, "arena", "pair")
    group.add_argument("--pgn", metavar="FILE", help="append the games to this file, with scores")
    return result


def side_from(words: Sequence[str], role: str) -> tuple[str, Options]:
    """A side's name and options. Raises :class:`SetupError` for a word that is not NAME=VALUE."""
    options = dict(options_of(words, f"--{role}"))
    name = options.pop("name", "")
    described = " ".join(f"{key}={Path(value).name if key in EVALUATION else value}" for key, value in options.items())
    return name or f"{role} {described}".strip(), tuple(options.items())


def settings_from(arguments: argparse.Namespace) -> ArenaSettings:
    """The settings on the command line. Raises :class:`SetupError` or :class:`OptionError` for invalid ones."""
    first = side_from([*arguments.each, *arguments.new], "new")
    second = side_from([*arguments.each, *arguments.base], "base")
    sprt = flags.sprt_from(arguments)
    games = 1000 if arguments.games is None and sprt is None else arguments.games
    meeting = Matchup(first[1], second[1], rules_from(arguments))
    names = first[0], second[0]
    return ArenaSettings(names, meeting, games, flags.book_from(arguments), sprt, ideas_from(arguments))


def ideas_from(arguments: argparse.Namespace) -> tuple[Idea, ...]:
    """The parameters to screen. Raises :class:`SetupError` for invalid ones."""
    if not arguments.screen:
        return ()
    if arguments.new or arguments.base or arguments.sprt:
        raise SetupError("--screen plays with its own two sides: leave out --new, --base and --sprt")
    options = dict(side_from(arguments.screen, "screen")[1])
    if len(options) < len(arguments.screen):
        raise SetupError("--screen takes each parameter once, and no name=")
    if wrong := set(options) & {*EVALUATION, NODES, CLOCK}:
        raise SetupError(f"--screen takes search parameters, not {wrong.pop()}")
    parameters = parameters_of(options)
    return tuple((name, int(parameters.record[name])) for name in options)


def _prepared(arguments: argparse.Namespace, log: Callable[[str], None]) -> ArenaSettings:
    """The settings of a new run, after its book, networks and parameters were tried. Raises :class:`SetupError`."""
    settings = settings_from(arguments)
    settings.book.open(lambda message: None)
    return replace(settings, meeting=with_fingerprint(settings.meeting, log))


def _resumed(path: Path, games: int | None, log: Callable[[str], None]) -> tuple[ArenaSettings, ResultsFile, Count]:
    """The run in a results file with its pairs; another number of ``games`` is recorded. Raises :class:`SetupError`."""
    results, events = ResultsFile.resume(path, TOOL)
    try:
        settings = restored(ArenaSettings, results.settings)
        if with_fingerprint(settings.meeting, log) != settings.meeting:
            raise SetupError(f"{path} was started with another engine, network or evaluation: start a new test")
        settings = replace(settings, games=games or settings.games)
        count = Count(settings)
        for kind, data in events:
            if kind == "pair":
                count.add(data)
        if not count.done:
            settings.book.open(lambda message: None)
        results.change("games", games, log)
    except BaseException as error:
        results.close()
        if isinstance(error, (KeyError, TypeError, IndexError)) or type(error) is ValueError:
            raise SetupError(f"{path} is not a complete results file: {error!r}") from None
        raise
    return settings, results, count


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Play and report. Raises :class:`SetupError` for a request that is not possible."""
    log = console.print
    pgn = Path(arguments.pgn) if arguments.pgn else None
    check_output(pgn, [Path(name) for name in (arguments.json, arguments.resume, arguments.openings) if name])
    if arguments.check:
        _prepared(arguments, log)
        return command.checked(console, arguments.json)
    if pgn is not None:
        pgn.parent.mkdir(parents=True, exist_ok=True)
    if arguments.resume:
        settings, results, count = _resumed(Path(arguments.resume), arguments.games, log)
    else:
        settings = _prepared(arguments, log)
        results = ResultsFile.create(results_path(arguments, "arena"), TOOL, asdict(settings))
        count = Count(settings)
    sides = f"{len(settings.ideas)} ideas" if settings.ideas else " against ".join(settings.names)
    log(f"{sides}; results: {results.path}")
    code = 0
    try:
        if not count.done:
            code = play(settings, results, count, arguments, console)
    finally:
        if count.pairs:
            results.finish("summary", summary(settings, count))
        results.close()
    if count.pairs:
        _report(settings, count, console)
    return code


def _report(settings: ArenaSettings, count: Count, console: Console) -> None:
    """Print the result of a run with at least one pair."""
    ends = ", ".join(f"{name} {number}" for name, number in count.reasons.most_common())
    console.print(f"ends: {ends}; {count.plies / count.encounter.games:.0f} plies a game")
    if settings.ideas:
        effects = count.screening.effects()
        console.print(effects_table(effects) if effects else "too few pairs to estimate what each idea is worth")
        return
    if (found := count.pace) is not None:
        console.print(f"time per node: {found.text} times that of {settings.names[1]}")
    console.print(encounter_lines(count.encounter))
    if settings.sprt is not None:
        console.print(sprt_text(settings.sprt, count.encounter.pairs))


main = partial(command.execute, parser, run, beside_resume=BESIDE_RESUME)

if __name__ == "__main__":
    sys.exit(main())
