"""Play two settings of this engine against each other, each game in one call of compiled code.

    python -m tuning.arena --new FutilityBase=110 --nodes 8000 --openings book.epd --sprt 0 5 --model normalized
    python -m tuning.arena --new EvalFile=net.nnue --base EvalType=Classical --nodes 5000 --games 2000
    python -m tuning.arena --new TimeMoves=24 --clock 300000+3000 --openings book.epd --games 10000
    python -m tuning.arena --screen FutilityBase=110 SingularMargin=16 --games 20000 --openings book.epd
    python -m tuning.arena --resume results/arena-20260131-120000.jsonl

The two sides differ in evaluation (EvalType, EvalFile), search parameters (see engine/search/params.py) or nodes per
move (nodes=, so that a slower network pays for its time); everything else is the engine of this checkout. Use
tuning.match for other revisions and engines. To test a new idea in the search here, add a parameter that switches it
on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from engine.console import Console
from engine.messages import OptionError
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.flags import add_check_flag, add_cluster_flags, add_keep_flag, add_results_flags, only_with_resume
from tuning.common.ledger import Ledger
from tuning.matches.flags import (
    add_end_flags,
    add_opening_flags,
    add_sprt_flags,
    adjudication_from,
    book_from,
    sprt_from,
)
from tuning.matches.report import encounter_lines
from tuning.selfplay.arena import TOOL, ArenaSettings, Count, final_line, play, summary
from tuning.selfplay.batches import Meeting, Options, arranged
from tuning.selfplay.duel import Rules
from tuning.selfplay.keeping import keeper
from tuning.selfplay.screening import Idea, effects_table
from tuning.selfplay.sides import CLOCK, EVALUATION, NODES, clock_from, clock_of, evaluation_of, nodes_of, parameters_of
from tuning.statistics.sprt import sprt_text

#: Flags that may stand beside --resume.
BESIDE_RESUME = ("--games", "--scheduler", "--concurrency", "--pgn", "--keep")


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.arena``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.arena", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    group = result.add_argument_group("sides: EvalType=, EvalFile=, search parameters, nodes=, name=")
    group.add_argument("--new", nargs="*", default=[], metavar="NAME=VALUE", help="side under test")
    group.add_argument("--base", nargs="*", default=[], metavar="NAME=VALUE", help="side to compare with")
    group.add_argument("--each", nargs="*", default=[], metavar="NAME=VALUE", help="settings of both sides")
    group.add_argument(
        "--screen", nargs="+", default=[], metavar="NAME=VALUE",
        help="measure many ideas in the same games: each pair switches half of these parameters, drawn at random, to "
        "their values for one side, and the others for the other side",
    )  # fmt: skip
    group = result.add_argument_group("thinking")
    group.add_argument("--nodes", type=int, default=8_000, metavar="N", help="nodes per move (default 8000)")
    group.add_argument(
        "--hard", type=int, metavar="N",
        help="makes --nodes a soft limit: the iteration that exceeds it is finished, up to N nodes",
    )  # fmt: skip
    group.add_argument(
        "--clock", metavar="N+N",
        help="a clock that runs on nodes, for the game and for each move, such as 300000+3000: the engine's time "
        "management shares them out (makes --nodes mean nothing)",
    )  # fmt: skip
    group.add_argument(
        "--hash", type=int, default=16, metavar="MB", help="transposition table of each side in MB (default 16)"
    )
    group = result.add_argument_group("number of games")
    group.add_argument("--games", type=int, metavar="N", help="games (default 1000; with --sprt no limit)")
    add_sprt_flags(group)
    add_opening_flags(result)
    add_end_flags(result)
    add_cluster_flags(result)
    add_check_flag(result)
    group = add_results_flags(result, "arena", "pair")
    group.add_argument("--pgn", metavar="FILE", help="append the games to this file, with scores")
    add_keep_flag(group)
    return result


def side_from(words: Sequence[str], role: str) -> tuple[str, Options]:
    """A side's name and options. Raises :class:`SetupError` for a word that is not NAME=VALUE."""
    options: dict[str, str] = {}
    name = ""
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise SetupError(f"--{role} {word}: use NAME=VALUE")
        if key == "name":
            name = value
        else:
            options[key] = str(Path(value).resolve()) if key == "EvalFile" and value else value
    described = " ".join(f"{key}={Path(value).name if key in EVALUATION else value}" for key, value in options.items())
    return name or f"{role} {described}".strip(), tuple(sorted(options.items()))


def settings_from(arguments: argparse.Namespace) -> ArenaSettings:
    """What the command line asks for. Raises :class:`SetupError` for what cannot be."""
    _check_numbers(arguments)
    first = side_from([*arguments.each, *arguments.new], "new")
    second = side_from([*arguments.each, *arguments.base], "base")
    for _, options in (first, second):
        try:
            parameters_of(dict(options))
            evaluation_of(dict(options))
            nodes_of(dict(options), arguments.nodes)
            clock_of(dict(options), None)
        except OptionError as error:
            raise SetupError(str(error)) from None
    adjudication, book = adjudication_from(arguments), book_from(arguments)
    sprt = sprt_from(arguments)
    ideas = ideas_from(arguments)
    games = 1000 if arguments.games is None and sprt is None else arguments.games
    clock = clock_from(arguments.clock, arguments.hard)
    rules_played = Rules(arguments.nodes, arguments.hard, arguments.hash, clock, adjudication)
    return ArenaSettings((first[0], second[0]), Meeting(first[1], second[1], rules_played), games, book, sprt, ideas)


def ideas_from(arguments: argparse.Namespace) -> tuple[Idea, ...]:
    """The parameters to screen. Raises :class:`SetupError` for what cannot be."""
    if not arguments.screen:
        return ()
    if arguments.new or arguments.base or arguments.sprt:
        raise SetupError("--screen plays with its own two sides: leave out --new, --base and --sprt")
    options = dict(side_from(arguments.screen, "screen")[1])
    if len(options) < len(arguments.screen):
        raise SetupError("--screen takes each parameter once, and no name=")
    if wrong := set(options) & {*EVALUATION, NODES, CLOCK}:
        raise SetupError(f"--screen takes search parameters, not {wrong.pop()}")
    try:
        parameters = parameters_of(options)
    except OptionError as error:
        raise SetupError(str(error)) from None
    return tuple((name, int(parameters.record[name])) for name in options)


def _check_numbers(arguments: argparse.Namespace) -> None:
    """Raise :class:`SetupError` for a number that cannot be."""
    limits = {"nodes": (1, 10**9), "hash": (1, 65_536), "games": (1, 10**9), "hard": (arguments.nodes, 10**12)}
    for name, (least, most) in limits.items():
        value = getattr(arguments, name)
        if value is not None and not least <= value <= most:
            raise SetupError(f"--{name} {value} is not from {least} to {most}")


def _prepared(arguments: argparse.Namespace, say: Callable[[str], None]) -> ArenaSettings:
    """The settings of a new run, once its book, networks and parameters have been tried. Raises :class:`SetupError`."""
    settings = settings_from(arguments)
    settings.book.open(lambda message: None)
    return replace(settings, meeting=arranged(settings.meeting, say))


def _begun(arguments: argparse.Namespace, say: Callable[[str], None]) -> tuple[ArenaSettings, Ledger, Count]:
    """A new run. Raises :class:`SetupError`."""
    settings = _prepared(arguments, say)
    path = Path(arguments.json or f"results/arena-{datetime.now():%Y%m%d-%H%M%S}.jsonl")
    return settings, Ledger.create(path, TOOL, settings.to_json()), Count(settings)


def _resumed(path: Path, games: int | None, say: Callable[[str], None]) -> tuple[ArenaSettings, Ledger, Count]:
    """The run of a results file with the pairs that it has; another number of ``games`` is noted in it.

    Raises :class:`SetupError`.
    """
    ledger, events = Ledger.resume(path, TOOL)
    try:
        settings = ArenaSettings.from_json(ledger.settings)
        changes = [data["games"] for kind, data in events if kind == "change"]
        settings = replace(settings, games=changes[-1]) if changes else settings
        if arranged(settings.meeting, say) != settings.meeting:
            raise SetupError(f"{path} was started with another engine, network or evaluation: start a new test")
        if games is not None and games != settings.games:
            say(f"games: {games} instead of {'no end' if settings.games is None else settings.games}")
            ledger.add("change", {"games": games})
            settings = replace(settings, games=games)
        count = Count(settings)
        for kind, data in events:
            if kind == "pair":
                count.add(data)
    except BaseException as error:
        ledger.close()
        if isinstance(error, (KeyError, TypeError, IndexError, AttributeError)):
            raise SetupError(f"{path} is not a complete results file: {error!r}") from None
        raise
    return settings, ledger, count


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do what the command line says. Raises :class:`SetupError` when it cannot be done."""

    def say(line: str) -> None:
        console.print(line)

    if arguments.check:
        _prepared(arguments, say)
        return command.checked(console, arguments.json)
    pgn = Path(arguments.pgn) if arguments.pgn else None
    try:
        if pgn is not None:
            pgn.parent.mkdir(parents=True, exist_ok=True)
            pgn.open("a", encoding="utf-8").close()
    except OSError as error:
        raise SetupError(f"cannot write {pgn}: {error.strerror}") from None

    keep = keeper(arguments.keep) if arguments.keep else None
    if arguments.resume:
        _check_numbers(arguments)
        settings, ledger, count = _resumed(Path(arguments.resume), arguments.games, say)
    else:
        settings, ledger, count = _begun(arguments, say)
    first, second = settings.names
    who = f"{len(settings.ideas)} ideas" if settings.ideas else f"{first} against {second}"
    say(f"{who}; results: {ledger.path}")
    code = 0
    try:
        if not count.done:
            code = play(
                settings, ledger, count, console,
                scheduler=arguments.scheduler, concurrency=arguments.concurrency, pgn=pgn, keep=keep,
            )  # fmt: skip
    finally:
        if count.pairs and not ledger.closed:
            with suppress(SetupError):  # a full disk has been told, or is by the next run
                ledger.add("summary", summary(settings, count))
        ledger.close()
    if count.pairs:
        if settings.ideas:
            effects = count.screening.effects()
            console.print(effects_table(effects) if effects else "too few pairs to tell what each idea is worth")
        else:
            console.print(encounter_lines(count.encounter))
        if settings.sprt is not None:
            say(sprt_text(settings.sprt, count.encounter.pairs))
        ends = ", ".join(f"{name} {number}" for name, number in count.reasons.most_common())
        say(f"ends: {ends}; {count.plies / count.encounter.games:.0f} plies a game")
        if not settings.ideas:
            if (found := count.pace) is not None:
                say(f"time of a node: {found.text} of that of {settings.names[1]}")
            console.print(final_line(count, settings.sprt), soft_wrap=True)
    return code


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0: done, 1: with failures, 2: cannot be done as asked, 130: interrupted."""
    arguments = parser().parse_args(words)
    console = command.make_console()
    try:
        if arguments.resume:
            only_with_resume(parser(), words, BESIDE_RESUME)
        return run(arguments, console)
    except SetupError as error:
        return command.refused(console, error)


if __name__ == "__main__":
    sys.exit(main())
