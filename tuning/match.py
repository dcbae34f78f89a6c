"""Play engines against each other and say, with error bars, which is stronger.

python -m tuning.match --engine stockfish --engine ethereal-chess --tc 8+0.08 --games 200
python -m tuning.match --new HEAD --base main~3 --tc 8+0.08 --sprt 0 10 --openings book.epd
python -m tuning.match --resume results/match-20260131-120000.jsonl
"""

from __future__ import annotations

import argparse
import math
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from tuning.cluster.base import Cluster
from tuning.cluster.choice import HERE, open_cluster
from tuning.common import revisions
from tuning.common.errors import EngineFailure, SetupError, at_least
from tuning.common.extras import need
from tuning.common.flags import only_with_resume
from tuning.common.ledger import Ledger
from tuning.matches.adjudication import Adjudication, parse_rule
from tuning.matches.engines import (
    WORDS_HELP,
    EngineSpec,
    parse_each,
    parse_limit_words,
    parse_words,
    with_unique_names,
)
from tuning.matches.game import PV_CHECKS, Conditions
from tuning.matches.limits import Limits, parse_time_control
from tuning.matches.openings import Book
from tuning.matches.records import GameRecord
from tuning.matches.report import LiveReport, closing, ratings_of, summary
from tuning.matches.schedule import KINDS
from tuning.matches.tournament import TOOL, BookSettings, Settings, Tournament, limits_checked, single_threaded
from tuning.statistics.sprt import MODELS, Sprt

PAGE_WIDTH = 120

RESIGN_KEYS = {"movecount": "resign_moves", "score": "resign_score", "twosided": "resign_both"}
DRAW_KEYS = {"movenumber": "draw_from", "movecount": "draw_moves", "score": "draw_score"}


def add_cluster_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say where work runs, the same for every tool."""
    group = parser.add_argument_group("where the work runs")
    group.add_argument("--concurrency", type=int, metavar="N", help="units at once (default: one for each core)")
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="a running dask scheduler, such as tcp://host:8786; 'here' runs everything in this process "
        "(default: a cluster of local processes)",
    )


def add_limit_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say how long engines think, the same for every tool."""
    group = parser.add_argument_group("time and other limits (an engine's own words come first)")
    group.add_argument("--tc", metavar="TC", help="clock: [moves/][minutes:]seconds[+increment], such as 8+0.08")
    group.add_argument("--movetime", type=float, metavar="MS", help="fixed time for each move, milliseconds")
    group.add_argument("--nodes", type=int, metavar="N", help="nodes for each move")
    group.add_argument("--depth", type=int, metavar="PLIES", help="depth for each move")
    group.add_argument(
        "--timemargin",
        type=float,
        metavar="MS",
        help="milliseconds that the time may be overstepped by (default: 0, but 100 with a fixed time)",
    )


def limits_from(arguments: argparse.Namespace) -> Limits:
    """Read the flags of :func:`add_limit_flags`."""
    base, increment, moves = parse_time_control(arguments.tc) if arguments.tc else (None, 0.0, 0)
    return Limits(
        base,
        increment,
        moves,
        movetime=None if arguments.movetime is None else arguments.movetime / 1000,
        nodes=arguments.nodes,
        depth=arguments.depth,
        margin=None if arguments.timemargin is None else arguments.timemargin / 1000,
    )


def add_play_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say how games begin, end and are checked."""
    group = parser.add_argument_group("openings")
    group.add_argument("--openings", metavar="FILE", help="EPD, FEN or PGN book; every opening is played twice")
    group.add_argument("--order", choices=("random", "sequential"), default="random", help="order of the book")
    group.add_argument("--seed", type=int, default=1, help="of the random order or the random openings (default 1)")
    group.add_argument(
        "--plies", type=int, help="cut PGN lines to so many plies; without a book: random plies (default 8)"
    )
    group.add_argument("--chess960", action="store_true", help="Fischer random chess")
    group = parser.add_argument_group("ends of games")
    usual = Adjudication()
    group.add_argument(
        "--resign",
        nargs="+",
        metavar="WORD",
        default=[],
        help=f"'off', or movecount= score= (centipawns) twosided=0|1; default movecount={usual.resign_moves} "
        f"score={usual.resign_score} twosided=1: both engines must agree",
    )
    group.add_argument(
        "--draw",
        nargs="+",
        metavar="WORD",
        default=[],
        help=f"'off', or movenumber= movecount= score=; default movenumber={usual.draw_from} "
        f"movecount={usual.draw_moves} score={usual.draw_score}",
    )
    group.add_argument("--tb", metavar="DIR", help="folder of Syzygy tables to decide endings by")
    group.add_argument("--maxmoves", type=int, default=0, metavar="N", help="call it a draw after N moves")
    group.add_argument(
        "--pv-check",
        choices=PV_CHECKS,
        default="all",
        help="which lines of thought to check for illegal moves, moves after the end and false mates",
    )
    group.add_argument(
        "--stall", type=float, default=120.0, metavar="S", help="a search without a clock hangs after this"
    )


BESIDE_RESUME = ("--games", "--pgn", "--plot", "--scheduler", "--concurrency")
"""Flags that say more than the results file that is resumed."""


def play_settings(arguments: argparse.Namespace) -> tuple[Conditions, BookSettings]:
    """Read the flags of :func:`add_play_flags`. Raises :class:`SetupError` for what cannot be."""
    rules: dict[str, Any] = {
        **parse_rule(arguments.resign, RESIGN_KEYS, "--resign"),
        **parse_rule(arguments.draw, DRAW_KEYS, "--draw"),
    }
    if "resign_both" in rules:
        rules["resign_both"] = bool(rules["resign_both"])
    if arguments.tb is not None and not any(Path(arguments.tb).glob("*.rtbw")):
        raise SetupError(f"--tb {arguments.tb}: no Syzygy tables (*.rtbw) in that folder")
    adjudication = Adjudication(tablebases=arguments.tb, max_moves=arguments.maxmoves, **rules)
    at_least(0, plies=arguments.plies)
    if not 0 < arguments.stall < math.inf:
        raise SetupError(f"--stall must be above zero, not {arguments.stall:g}")
    path = arguments.openings
    if path is not None and Path(path).is_dir():
        raise SetupError(f"--openings {path}: a directory, not a file")
    if path is not None and not Path(path).is_file():
        raise SetupError(f"--openings {path}: No such file")
    return (
        Conditions(adjudication, arguments.pv_check, arguments.stall),
        BookSettings(
            path and str(Path(path).resolve()), arguments.order, arguments.seed, arguments.plies, arguments.chess960
        ),
    )


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.match``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.match", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    group = result.add_argument_group("engines (UCI or xboard)")
    group.add_argument(
        "--engine", nargs="+", action="append", default=[], metavar="WORD", help=f"one engine: {WORDS_HELP}"
    )
    group.add_argument(
        "--each", nargs="+", default=[], metavar="WORD",
        help="option.NAME=VALUE for every engine that has the option, and limits for all",
    )  # fmt: skip
    group.add_argument(
        "--new", metavar="REV", help="this engine at a git revision ('.': the working tree as it is now)"
    )
    group.add_argument("--base", metavar="REV", help="the revision that --new is measured against")
    add_limit_flags(result)
    group = result.add_argument_group("how much to play")
    group.add_argument(
        "--games", type=int, metavar="N",
        help="games for each encounter (default 100; with --sprt no end); with --resume the new number",
    )  # fmt: skip
    group.add_argument(
        "--tournament", choices=KINDS, default="roundrobin", help="gauntlet: the first against all others"
    )
    group.add_argument("--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"), help="stop when H0 or H1 is accepted")
    group.add_argument("--alpha", type=float, default=0.05, help="chance to accept H1 falsely (default 0.05)")
    group.add_argument("--beta", type=float, default=0.05, help="chance to accept H0 falsely (default 0.05)")
    group.add_argument("--model", choices=MODELS, default="logistic", help="the Elo that --sprt speaks of")
    add_play_flags(result)
    add_cluster_flags(result)
    group = result.add_argument_group("results")
    group.add_argument("--event", default="match", help="a name for PGN and results")
    group.add_argument("--json", metavar="FILE", help="results, one game a line (default: results/EVENT-TIME.jsonl)")
    group.add_argument("--resume", metavar="FILE", help="go on with a results file; its settings are used")
    group.add_argument("--pgn", metavar="FILE", help="all games with evaluation, depth and clock comments")
    group.add_argument("--plot", metavar="FILE", help="a picture of the result, PNG or SVG")
    return result


def settings_from(arguments: argparse.Namespace) -> Settings:
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
    sprt = None
    if arguments.sprt:
        elo0, elo1 = arguments.sprt
        sprt = Sprt(elo0, elo1, arguments.alpha, arguments.beta, arguments.model)
    engines = with_unique_names([with_commit(spec) for spec in specs])
    return limits_checked(
        Settings(tuple(engines), games, arguments.tournament, conditions, book, sprt, arguments.event)
    )


def with_commit(spec: EngineSpec) -> EngineSpec:
    """The engine with its revision pinned to a commit, so that a resumed match means the same one."""
    if spec.revision is None:
        return spec
    commit = revisions.resolve(spec.revision)
    return replace(spec, revision=commit, name=f"{spec.name}@{commit[:7]}")


def results_path(arguments: argparse.Namespace) -> Path:
    """Where results go unless the user says otherwise."""
    if arguments.json:
        return Path(arguments.json)
    return Path("results") / f"{arguments.event}-{datetime.now():%Y%m%d-%H%M%S}.jsonl"


class PgnFile:
    """Games in PGN, appended as they end; on resuming, the file is first made from the results again.

    Raises :class:`SetupError` when it cannot be written, or holds something before the first game.
    """

    def __init__(
        self, path: str | None, settings: Settings, records: Sequence[GameRecord] = (), resume: bool = False
    ) -> None:
        self._path = Path(path) if path else None
        self._limits = {spec.name: spec.limits for spec in settings.engines}
        self._event = settings.event
        if self._path is not None:
            if not resume and self._path.is_file() and self._path.stat().st_size:
                raise SetupError(f"cannot write {self._path}: it holds something already; choose another name")
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._path.write_text("".join(map(self._text, records)), encoding="utf-8")
            except OSError as error:
                raise SetupError(f"cannot write {self._path}: {error.strerror}") from None

    def add(self, record: GameRecord) -> None:
        if self._path is not None:
            try:
                with self._path.open("a", encoding="utf-8") as stream:
                    stream.write(self._text(record))
            except OSError as error:
                raise SetupError(
                    f"cannot write {self._path}: {error.strerror}; the games are in the results, --resume with --pgn "
                    "writes them again"
                ) from None

    def _text(self, record: GameRecord) -> str:
        white, black = self._limits[record.white], self._limits[record.black]
        control = str(white) if white == black else f"{white} / {black}"
        return record.to_pgn({"Event": self._event, "TimeControl": control})


def run(
    settings: Settings,
    path: Path,
    console: Console,
    *,
    scheduler: str | None = None,
    concurrency: int | None = None,
    pgn: str | None = None,
    resume: bool = False,
) -> tuple[Tournament, int]:
    """Play a tournament with everything around it: results file, PGN, live report. Returns the exit code.

    0: played to the end; 1: stopped by a failure; 130: interrupted. Whatever was played is kept. Raises
    :class:`SetupError` for what cannot be done as asked, before anything is played; no results file is left then.
    """
    open_faults: list[str] = []
    book = settings.book.open(open_faults.append)
    records: list[GameRecord] = []
    if resume:
        ledger, events = Ledger.resume(path, TOOL)
        records = [GameRecord.read(path, data) for kind, data in events if kind == "game"]
    else:
        ledger = Ledger.create(path, TOOL, settings.to_json())
    code = 0
    report = LiveReport(console, None)
    cluster: Cluster | None = None
    begun = False

    def on_game(record: GameRecord) -> None:
        pgn_file.add(record)
        report.game(record)

    tournament = Tournament(settings, ledger, on_game, report.trouble)
    report = LiveReport(console, tournament.total)
    signal_before = signal.signal(signal.SIGTERM, as_interrupt), signal.getsignal(signal.SIGINT)
    try:
        tournament.restore(records)
        pgn_file = PgnFile(pgn, settings, records, resume)
        for fault in open_faults:
            tournament.complain(fault)
        if isinstance(book, Book):
            book.complain = tournament.complain
        for spec in settings.engines:
            if spec.revision is not None:
                with console.status(f"building {spec.name}"):
                    revisions.prepare(spec.revision)
        with console.status("starting workers and engines"):
            cluster = open_cluster(scheduler, concurrency)
        begun = True
        for card in tournament.introduce(cluster):
            limits = next(spec.limits for spec in settings.engines if spec.name == card.name)
            console.print(f"{card.name}: {card.identity}, {limits}", highlight=False, markup=False)
        warn_if_busy(cluster.workers, scheduler, console)
        report.attach(tournament)
        with report:
            tournament.play(cluster, book)
    except KeyboardInterrupt:
        again = f"go on with: python -m tuning.match --resume {shlex.quote(str(path))}"
        console.print("interrupted" + (f"; {again}" if tournament.tally.games else ""), highlight=False, markup=False)
        code = 130
    except (EngineFailure, SetupError) as error:
        if not begun:
            raise
        console.print(f"error: {error}", style="bold red", highlight=False, markup=False, soft_wrap=True)
        code = 1
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one Ctrl-C is enough; let everything close in order
        if cluster is not None:
            cluster.close()
        signal.signal(signal.SIGTERM, signal_before[0])
        signal.signal(signal.SIGINT, signal_before[1])
        if tournament.tally.games and begun and not ledger.closed:
            with suppress(SetupError):  # a full disk has been told, or is by the next run
                ledger.add("summary", summary(tournament))
        ledger.close()
        if not tournament.tally.games and not resume:
            path.unlink()  # nothing in it that the command line does not say
    return tournament, code


def resumed_settings(path: Path, games: int | None, console: Console) -> Settings:
    """The settings to go on with; another number of ``games`` for each encounter is noted in the results file.

    Raises :class:`SetupError`.
    """
    at_least(1, games=games)
    ledger, events = Ledger.resume(path, TOOL)
    try:
        settings = Settings.read(path, ledger.settings)
        for kind, data in events:
            if kind == "change":
                settings = replace(settings, games=data["games"])
        if games is not None and games != settings.games:
            before = "no end" if settings.games is None else str(settings.games)
            console.print(f"games of each encounter: {games} in place of {before}", highlight=False)
            ledger.add("change", {"games": games})
            settings = replace(settings, games=games)
    finally:
        ledger.close()
    return settings


def check_picture(path: str | None) -> None:
    """Raise :class:`SetupError` now if a picture could not be drawn at the end."""
    if path is not None:
        need("matplotlib", "--plot")
        from tuning.common.plots import check

        check(Path(path))


def warn_if_busy(workers: int, scheduler: str | None, console: Console) -> None:
    """Games by the clock need a core each; say so when others are using this machine."""
    cores = os.cpu_count() or 1
    if scheduler not in (None, HERE) or not hasattr(os, "getloadavg"):
        return
    load = os.getloadavg()[0]
    if load + workers > cores + 0.75:
        text = f"! the machine is busy: load {load:.1f} and {workers} games on {cores} cores; clocks will suffer"
        console.print(text, style="yellow", highlight=False, markup=False)


def draw(tournament: Tournament, path: Path, console: Console) -> None:
    """Draw the result; a picture that cannot be written is said, and costs nothing else."""
    from tuning.matches.plots import plot_tournament  # matplotlib takes half a second that most runs can spare

    try:
        plot_tournament(tournament, path, ratings_of(tournament) if len(tournament.tally.engines) > 2 else None)
    except SetupError as error:
        console.print(f"error: {error}", style="bold red", highlight=False, markup=False, soft_wrap=True)


def make_console() -> Console:
    """The terminal, or for a file or pipe a page wide enough for the tables."""
    console = Console()
    return console if console.is_terminal else Console(width=PAGE_WIDTH)


def as_interrupt(number: int, frame: object) -> NoReturn:
    """A signal handler: end as Ctrl-C does, with everything written down."""
    raise KeyboardInterrupt


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 0, 1 (failed), 2 (cannot be done as asked) or 130 (interrupted)."""
    arguments = parser().parse_args(words)
    console = make_console()
    try:
        check_picture(arguments.plot)
        if arguments.resume:
            path = Path(arguments.resume)
            only_with_resume(parser(), words, BESIDE_RESUME)
            settings = resumed_settings(path, arguments.games, console)
        else:
            path = results_path(arguments)
            settings = settings_from(arguments)
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
        console.print(f"error: {error}", style="bold red", highlight=False, markup=False, soft_wrap=True)
        return 2
    if tournament.tally.games:
        console.print(closing(tournament))
        if arguments.plot:
            draw(tournament, Path(arguments.plot), console)
        console.print(f"\nresults: {path}", highlight=False)
    return code


if __name__ == "__main__":
    sys.exit(main())
