"""A match or tournament: settings, games still to be played, results file, report."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import combinations, count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.commandline import FAILED, terminated_as_interrupted
from engine.console import Console
from engine.messages import counted
from tuning.common import revisions
from tuning.common.command import print_error, print_warning, stopped
from tuning.common.errors import EngineFailure, SetupError
from tuning.common.files import check_output
from tuning.common.results import ResultsFile, restored
from tuning.matches import fastchess
from tuning.matches.adjudication import Adjudication
from tuning.matches.engines import EngineSpec
from tuning.matches.fastchess import MatchGame
from tuning.matches.openings import BookSettings, Opening, OpeningSuite, RandomOpenings
from tuning.matches.probe import EngineInfo, probe
from tuning.matches.report import LiveReport, print_trouble, summary
from tuning.matches.tally import Tally
from tuning.statistics.sprt import Sprt

TOOL = "tuning.match"

KINDS = ("roundrobin", "gauntlet")

MAX_PAIRS = 500  # pairs of games that one run of fastchess plays; a longer match takes several runs


@dataclass(frozen=True, slots=True)
class TournamentSettings:
    """The settings that determine play. ``games`` is per encounter, ``None`` for no limit."""

    engines: tuple[EngineSpec, ...]
    games: int | None = 100
    kind: str = "roundrobin"
    adjudication: Adjudication = field(default_factory=Adjudication)
    book: BookSettings = field(default_factory=BookSettings)
    sprt: Sprt | None = None
    event: str = "match"

    @classmethod
    def read(cls, path: Path, data: Mapping[str, Any]) -> TournamentSettings:
        """The settings in the results file ``path``. Raises :class:`SetupError` if they are incomplete."""
        try:
            return restored(cls, data)
        except (KeyError, TypeError, ValueError) as error:
            raise SetupError(f"{path} does not contain the settings of a tournament: {error!r}") from None


@dataclass(frozen=True, slots=True)
class MatchPlace:
    """Where a tournament is played and written: ``path`` of the results file, ``pgn`` file, fastchess."""

    path: Path
    console: Console
    fastchess: str | None = None
    jobs: int | None = None
    pgn: str | None = None


def pairings(engines: int, kind: str = "roundrobin") -> list[tuple[int, int]]:
    """The encounters of engines 0, 1, ...: all with all, or in a gauntlet the first with all others."""
    if kind == "gauntlet":
        return [(0, other) for other in range(1, engines)]
    return list(combinations(range(engines), 2))


class Tournament:
    """Plays a tournament, one encounter after the other, and keeps the tally and the results file."""

    def __init__(self, settings: TournamentSettings, results: ResultsFile, place: MatchPlace) -> None:
        names = [spec.name for spec in settings.engines]
        self.settings = settings
        self.meetings = pairings(len(names), settings.kind)
        self.tally = Tally(names, self.meetings)
        self._results, self._place = results, place

    @property
    def total(self) -> int | None:
        """Games to be played in all, if that is known."""
        games = self.settings.games
        return None if games is None else (games + games % 2) * len(self.meetings)

    @property
    def verdict(self) -> str | None:
        """The decision of the sequential test, if it has ended."""
        if self.settings.sprt is None:
            return None
        return self.settings.sprt.verdict(next(iter(self.tally.encounters.values())).pairs)

    @property
    def finished(self) -> bool:
        names = [spec.name for spec in self.settings.engines]
        meetings = ((names[first], names[second]) for first, second in self.meetings)
        return self.verdict is not None or not any(map(self._missing, meetings))

    def restore(self, kind: str, data: Any) -> None:
        """Count an event of the results file. Raises :class:`SetupError` for invalid data."""
        try:
            if kind == "game":
                self.tally.add(restored(MatchGame, data))
            elif kind == "trouble":
                self.tally.count_warning(data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SetupError(f"{self._place.path} contains an invalid game: {error!r}") from None

    def log_trouble(self, message: str) -> None:
        """Record something that went wrong, and show it, unless it is one of many wrong lines of thought."""
        self._results.add("trouble", message)
        if not self.tally.count_warning(message):
            print_trouble(self._place.console, message)

    def play(self, program: str, engines: Mapping[str, EngineInfo], openings: OpeningSuite | RandomOpenings) -> None:
        """Play until all games are finished or the test is decided. Raises :class:`SetupError` if fastchess fails."""
        report = LiveReport(self._place.console, self.tally, self.settings.sprt, self.total)
        with report.bar, TemporaryDirectory() as folder:
            for meeting in self.meetings:
                specs = [self.settings.engines[number] for number in meeting]
                names = (specs[0].name, specs[1].name)
                while self.verdict is None and (pairs := self._missing(names)):
                    book = [openings.opening(pair) for pair in pairs]
                    words = [program]
                    for spec in specs:
                        words += ["-engine", *fastchess.engine_words(spec, engines[spec.name].options)]
                    words += self._words(book, Path(folder))
                    self._place.console.print(shlex.join(words), style="dim", soft_wrap=True)
                    with closing(fastchess.run(words)) as output:
                        for line in output:
                            self._read(line, names, pairs, report)
                            if self.verdict is not None:
                                break
                    if not any(self.tally.has_pair(names, pair) for pair in pairs):
                        raise SetupError(
                            f"fastchess reported none of {counted(2 * len(pairs), 'game')}; another version?"
                        )

    def _missing(self, names: tuple[str, str]) -> list[int]:
        """The numbers of the next pairs to play."""
        games = self.settings.games
        numbers = count() if games is None else range((games + 1) // 2)
        return list(islice((pair for pair in numbers if not self.tally.has_pair(names, pair)), MAX_PAIRS))

    def _read(self, line: str, names: tuple[str, str], pairs: list[int], report: LiveReport) -> None:
        game = fastchess.read_game(line, names, pairs)
        if game is not None and self.tally.add(game):
            self._results.add("game", asdict(game))
            report.show_game(game)
        elif fastchess.is_trouble(line):
            self.log_trouble(line)

    def _words(self, openings: list[Opening], folder: Path) -> list[str]:
        """The command line of fastchess after the engines; the openings become a file in ``folder``."""
        place, settings = self._place, self.settings
        book = folder / "openings.epd"
        chess960 = any(opening.chess960 for opening in openings)
        book.write_text("".join(f"{opening.board().fen(shredder=chess960)}\n" for opening in openings))
        words = ["-openings", f"file={book}", "format=epd", "order=sequential"]
        words += ["-games", "2", "-rounds", str(len(openings))]
        words += ["-variant", "fischerandom"] if chess960 else []
        words += fastchess.adjudication_words(settings.adjudication)
        words += ["-concurrency", str(place.jobs or os.cpu_count() or 1), "-force-concurrency", "-recover"]
        words += ["-check-mate-pvs", "-testEnv", "-event", settings.event, "-ratinginterval", "0"]
        words += ["-config", f"outname={folder / 'config.json'}"]
        if place.pgn is not None:
            words += ["-pgnout", f"file={Path(place.pgn).absolute()}", "nodes=true", "timeleft=true"]
        return words


def probed(
    settings: TournamentSettings, openings: OpeningSuite | RandomOpenings, console: Console
) -> dict[str, EngineInfo]:
    """Start every engine once. Raises :class:`EngineFailure` for one that refuses an option or does not answer."""
    found = {}
    for spec in settings.engines:
        if spec.revision is not None:
            revisions.prepare(spec.revision, log=partial(console.print, f"{spec.name}:", soft_wrap=True))
        found[spec.name] = probe(spec, *fastchess.starting(spec), openings.opening(0).chess960)
    return found


def play(settings: TournamentSettings, place: MatchPlace, *, resume: bool = False) -> tuple[Tournament, int]:
    """Play a tournament with results file, PGN and live report. Returns it and the exit code.

    0: finished; 1: stopped by a failure; 130: interrupted. All games played are kept. Raises :class:`SetupError` or
    :class:`EngineFailure` for a request that is not possible, before anything is played; no results file is left."""
    program = fastchess.find(place.fastchess)
    book_faults: list[str] = []
    openings = settings.book.open(book_faults.append)
    check_output(None if place.pgn is None else Path(place.pgn), (), replace=resume)
    events: list[tuple[str, Any]] = []
    if resume:
        results, events = ResultsFile.resume(place.path, TOOL)
    else:
        results = ResultsFile.create(place.path, TOOL, asdict(settings))
    tournament, code, started = Tournament(settings, results, place), 0, False
    try:
        for kind, data in events:
            tournament.restore(kind, data)
        if tournament.finished:
            return tournament, 0
        with terminated_as_interrupted():
            engines = probed(settings, openings, place.console)
            for spec in settings.engines:
                place.console.print(f"{spec.name}: {engines[spec.name].identity}, {spec.limits}")
            if any(spec.limits.base is not None or spec.limits.movetime is not None for spec in settings.engines):
                warn_if_busy(place.jobs or os.cpu_count() or 1, place.console)
            for fault in book_faults:
                tournament.log_trouble(fault)
            if isinstance(openings, OpeningSuite):
                openings.warnings.log = tournament.log_trouble
            started = True
            tournament.play(program, engines, openings)
    except KeyboardInterrupt as error:
        again = f"continue with: python -m tuning.match --resume {shlex.quote(str(place.path))}"
        code = stopped(place.console, error, again if tournament.tally.games else "")
    except (EngineFailure, SetupError) as error:
        if not started:
            raise
        print_error(place.console, error)
        code = FAILED
    finally:
        if tournament.tally.games and started:
            results.finish("summary", summary(tournament.tally, settings.sprt))
        results.close()
        if not tournament.tally.games and not resume:
            place.path.unlink()  # it holds nothing but the command line
    return tournament, code


def check(settings: TournamentSettings, place: MatchPlace) -> None:
    """Find fastchess, open the book, start each engine. Raises :class:`SetupError` or :class:`EngineFailure`."""
    fastchess.find(place.fastchess)
    check_output(None if place.pgn is None else Path(place.pgn), (), replace=False)
    probed(settings, settings.book.open(lambda fault: None), place.console)


def resumed_settings(path: Path, games: int | None, console: Console) -> TournamentSettings:
    """The settings of a results file; a different number of ``games`` is recorded in it. Raises :class:`SetupError`."""
    results, _ = ResultsFile.resume(path, TOOL)
    try:
        TournamentSettings.read(path, results.settings)
        results.change("games", games, console.print)
        return TournamentSettings.read(path, results.settings)
    finally:
        results.close()


def warn_if_busy(games: int, console: Console) -> None:
    """Warn if the machine is too busy for ``games`` at a clock, which need a core each."""
    cores = os.cpu_count() or 1
    if hasattr(os, "getloadavg") and (load := os.getloadavg()[0]) + games > cores + 0.75:
        wanted = f"{counted(games, 'game')} on {counted(cores, 'core')}"
        print_warning(console, f"the machine is busy: load {load:.1f} and {wanted}; clocks will suffer")
