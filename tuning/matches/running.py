"""Runs a tournament with results file, PGN and live report."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from engine.commandline import FAILED
from engine.console import Console
from tuning.cluster.base import ClusterLost
from tuning.cluster.run import HERE, open_cluster
from tuning.common import revisions
from tuning.common.command import orderly, print_error, stopped
from tuning.common.errors import EngineFailure, SetupError
from tuning.common.ledger import Ledger
from tuning.matches import units
from tuning.matches.openings import OpeningSuite
from tuning.matches.records import GameRecord
from tuning.matches.report import LiveReport, print_trouble, summary
from tuning.matches.tournament import TOOL, Tournament, TournamentSettings


class PgnFile:
    """Games in PGN, appended as they end; a resumed run first writes the earlier games again. Raises
    :class:`SetupError` if the file cannot be written, or holds anything but the first of these earlier games."""

    def __init__(self, path: str | None, settings: TournamentSettings, records: Sequence[GameRecord]) -> None:
        self._path = Path(path) if path else None
        self._limits = {spec.name: spec.limits for spec in settings.engines}
        self._event = settings.event
        if self._path is not None:
            text = "".join(map(self._text, records))
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                before = self._path.read_text(encoding="utf-8", errors="replace") if self._path.is_file() else ""
                if not text.startswith(before):
                    raise SetupError(f"cannot write {self._path}: it is not empty; choose another name")
                self._path.write_text(text, encoding="utf-8")
            except OSError as error:
                raise SetupError(f"cannot write {self._path}: {error.strerror}") from None

    def add(self, record: GameRecord) -> None:
        if self._path is not None:
            try:
                with self._path.open("a", encoding="utf-8") as stream:
                    stream.write(self._text(record))
            except OSError as error:
                raise SetupError(
                    f"cannot write {self._path}: {error.strerror}; the games are in the results file; --resume with "
                    "--pgn writes them again"
                ) from None

    def _text(self, record: GameRecord) -> str:
        white, black = self._limits[record.white], self._limits[record.black]
        control = str(white) if white == black else f"{white} / {black}"
        return record.to_pgn({"Event": self._event, "TimeControl": control})


@dataclass(frozen=True, slots=True)
class MatchPlace:
    """Where a tournament is played and written: ``path`` of the results file, ``pgn`` file, cluster."""

    path: Path
    console: Console
    scheduler: str | None = None
    concurrency: int | None = None
    pgn: str | None = None


class _MatchRun:
    """A tournament with its results file, PGN and live report. ``started`` is true once engines may have played."""

    def __init__(self, settings: TournamentSettings, place: MatchPlace, resume: bool) -> None:
        self._book_faults: list[str] = []
        self.settings, self._place = settings, place
        self._openings = settings.book.open(self._book_faults.append)
        self._events: list[tuple[str, Any]] = []
        if resume:
            self.ledger, self._events = Ledger.resume(place.path, TOOL)
        else:
            self.ledger = Ledger.create(place.path, TOOL, asdict(settings))
        self.started = False
        self.tournament = Tournament(settings, self.ledger, self._on_game, partial(print_trouble, place.console))

    def _on_game(self, record: GameRecord) -> None:
        self._pgn.add(record)
        self._report.game(record)

    def play(self) -> None:
        """Play the remaining games. Raises :class:`SetupError`, :class:`EngineFailure` and :class:`ClusterLost`."""
        console, tournament, place = self._place.console, self.tournament, self._place
        with orderly() as stack:
            records = [GameRecord.read(place.path, data) for kind, data in self._events if kind == "game"]
            for record in records:
                tournament.tally.add(record)
            self._pgn = PgnFile(place.pgn, self.settings, records)
            for fault in self._book_faults:
                tournament.log_trouble(fault)
            if isinstance(self._openings, OpeningSuite):
                self._openings.remarks.log = tournament.log_trouble
            for spec in self.settings.engines:
                if spec.revision is not None:
                    revisions.prepare(spec.revision, log=partial(console.print, f"{spec.name}:", soft_wrap=True))
            with console.status("starting workers and engines"):
                cluster = open_cluster(place.scheduler, place.concurrency, tournament.log_trouble)
                stack.callback(cluster.close)
                self.started = True
                cards = tournament.probe(cluster)
            for card in cards:
                limits = next(spec.limits for spec in self.settings.engines if spec.name == card.name)
                console.print(f"{card.name}: {card.identity}, {limits}")
            if any(spec.limits.base is not None or spec.limits.movetime is not None for spec in self.settings.engines):
                warn_if_busy(cluster.workers, place.scheduler, console)
            self._report = LiveReport(console, tournament)
            with self._report.bar:
                tournament.play(cluster, self._openings)


def play(settings: TournamentSettings, place: MatchPlace, *, resume: bool = False) -> tuple[Tournament, int]:
    """Play a tournament with results file, PGN and live report. Returns it and the exit code.

    0: finished; 1: stopped by a failure; 130: interrupted. All games played are kept. Raises :class:`SetupError` for a
    request that is not possible, before anything is played; no results file is left then."""
    run = _MatchRun(settings, place, resume)
    tournament, code = run.tournament, 0
    try:
        run.play()
    except (KeyboardInterrupt, ClusterLost) as error:
        again = f"continue with: python -m tuning.match --resume {shlex.quote(str(place.path))}"
        code = stopped(place.console, error, again if tournament.tally.games else "")
    except (EngineFailure, SetupError) as error:
        if not run.started:
            raise
        print_error(place.console, error)
        code = FAILED
    finally:
        if tournament.tally.games and run.started:
            run.ledger.finish("summary", summary(tournament))
        run.ledger.close()
        if not tournament.tally.games and not resume:
            place.path.unlink()  # it holds nothing but the command line
    return tournament, code


def check(settings: TournamentSettings) -> None:
    """Open the book and start every engine once. Raises :class:`SetupError` or :class:`EngineFailure`."""
    settings.book.open(lambda fault: None)
    for spec in settings.engines:
        units.probe(spec)


def resumed_settings(path: Path, games: int | None, console: Console) -> TournamentSettings:
    """The settings of a results file; a different number of ``games`` is recorded in it. Raises :class:`SetupError`."""
    ledger, _ = Ledger.resume(path, TOOL)
    try:
        TournamentSettings.read(path, ledger.settings)
        ledger.change("games", games, console.print)
        return TournamentSettings.read(path, ledger.settings)
    finally:
        ledger.close()


def warn_if_busy(workers: int, scheduler: str | None, console: Console) -> None:
    """Warn if the machine is too busy for games at a clock, which need a core each."""
    cores = os.cpu_count() or 1
    if scheduler not in (None, HERE) or not hasattr(os, "getloadavg"):
        return
    load = os.getloadavg()[0]
    if load + workers > cores + 0.75:
        text = f"! the machine is busy: load {load:.1f} and {workers} games on {cores} cores; clocks will suffer"
        console.print(text, style="yellow")
