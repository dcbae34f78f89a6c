"""Tests of two settings of this engine: plan, count, display, and the run."""

import argparse
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.console import Console
from engine.messages import counted
from tuning.common.display import Display
from tuning.common.errors import SetupError
from tuning.common.results import ResultsFile
from tuning.common.units import StopRun, Workplace, run_units
from tuning.matches.openings import BookSettings, distinct
from tuning.matches.report import elo_text
from tuning.matches.tally import Encounter
from tuning.selfplay.batches import DuelPair, Matchup, PairBatch, play_batch
from tuning.selfplay.screening import Idea, Screening
from tuning.selfplay.sides import own_network
from tuning.statistics.elo import estimate
from tuning.statistics.pace import Pace, log_pace, pace
from tuning.statistics.sprt import Sprt

TOOL = "tuning.arena"

_BATCH_NODES = 50_000  # nodes a move times pairs of a batch


@dataclass(frozen=True, slots=True)
class ArenaSettings:
    """The settings that determine play. Without ``games`` the book or the sequential test ends the run."""

    names: tuple[str, str]
    meeting: Matchup
    games: int | None = None
    book: BookSettings = field(default_factory=BookSettings)
    sprt: Sprt | None = None
    ideas: tuple[Idea, ...] = ()  # of a screening, which ignores the names


class Count:
    """Counts pairs in order of their numbers, whatever order they arrive in.

    So neither the result nor the end of a sequential test depends on the number of processes. Pairs beyond the end stay
    in the results file but are not counted."""

    def __init__(self, settings: ArenaSettings) -> None:
        self.encounter = Encounter(*settings.names)
        self.reasons: Counter[str] = Counter()
        self.plies = 0
        self._paces: list[float] = []
        self.pairs = 0
        self.screening = Screening(settings.ideas, settings.book.seed)
        self._settings = settings
        self._waiting: dict[int, Mapping[str, Any]] = {}

    def has(self, number: int) -> bool:
        return number < self.pairs or number in self._waiting

    def add(self, pair: Mapping[str, Any]) -> bool:
        """Take a pair; return False, and change nothing, if it is known already."""
        if self.has(pair["number"]):
            return False
        self._waiting[pair["number"]] = pair
        while self.verdict is None and self.pairs in self._waiting:
            self._count(self._waiting.pop(self.pairs))
            self.pairs += 1
        return True

    def _count(self, pair: Mapping[str, Any]) -> None:
        points = pair["points"]
        for half in points:
            self.encounter.wdl[half] += 1
        self.encounter.pairs[sum(points)] += 1
        self.reasons.update(pair["reasons"])
        self.plies += sum(pair["plies"])
        log = log_pace(pair["nodes"], pair["seconds"])
        if log is not None:
            self._paces.append(log)
        self.screening.add(pair["number"], sum(points), log)

    @property
    def pace(self) -> Pace | None:
        """The time per node of the first side, as a multiple of the second's."""
        return pace(self._paces)

    @property
    def verdict(self) -> str | None:
        """The decision of the sequential test, if it has ended."""
        test = self._settings.sprt
        return None if test is None else test.verdict(self.encounter.pairs)

    @property
    def done(self) -> bool:
        games = self._settings.games
        return self.verdict is not None or (games is not None and 2 * self.pairs >= games)


class ArenaDisplay(Display):
    """Games, Elo and the sequential test."""

    def __init__(self, console: Console, settings: ArenaSettings, count: Count) -> None:
        super().__init__(console, "games", settings.games, 2 * count.pairs)
        self._count = count
        self._test = settings.sprt
        self._ideas = settings.ideas
        self._came = 0  # games in this session, counted or not

    def add(self, games: int) -> None:
        """Show that ``games`` more have arrived."""
        if not self._came:
            self.begin(1.0)
        self._came += games
        done = 2 * self._count.pairs
        self.show(done, self.text(), f"{counted(done, 'game')}, {self.text()}")

    @property
    def games_per_hour(self) -> float:
        """The speed of this session."""
        return 3600 * self._came / max(self.seconds, 1.0)

    def text(self) -> str:
        """Elo, state of the test, and speed."""
        parts = [] if self._ideas else [f"Elo {elo_text(self._count.encounter)}"]
        if self._test is not None:
            counts = self._count.encounter.pairs
            parts.append(f"LLR {self._test.llr(counts):+.2f} in ({self._test.lower:.2f}, {self._test.upper:.2f})")
        return ", ".join([*parts, f"{self.games_per_hour:,.0f} games/h"])


def plan(settings: ArenaSettings, count: Count, console: Console, with_games: bool = False) -> Iterator[PairBatch]:
    """The batches that are still to be played, each opening once."""
    names = settings.names if with_games else None

    def log(message: str) -> None:
        console.print(f"! {message}")

    openings = distinct(settings.book.open(log), log)
    screening = Screening(settings.ideas, settings.book.seed)
    rules = settings.meeting.rules
    size = max(1, _BATCH_NODES // (rules.clock[0] // 40 + 1 if rules.clock else rules.nodes))
    wanted = None if settings.games is None else (settings.games + 1) // 2
    pairs: list[DuelPair] = []
    number = 0
    while wanted is None or number < wanted:
        opening = next(openings, None)
        if opening is None:
            log(f"there are only {number} openings: repeating them would give the same games")
            break
        if not count.has(number):
            pairs.append(DuelPair(number, opening, screening.values(number)))
        if len(pairs) == size:
            yield PairBatch(settings.meeting, tuple(pairs), names)
            pairs = []
        number += 1
    if pairs:
        yield PairBatch(settings.meeting, tuple(pairs), names)


def play(
    settings: ArenaSettings, results: ResultsFile, count: Count, arguments: argparse.Namespace, console: Console
) -> int:
    """Play until all games are finished or the test is decided; the exit code of :func:`run_units`.

    Pairs go to the results, and games to the file ``--pgn``. Raises :class:`SetupError` if a batch fails."""
    pgn = Path(arguments.pgn) if arguments.pgn else None
    display = ArenaDisplay(console, settings, count)
    advice = f"continue with: python -m tuning.arena --resume {shlex.quote(str(results.path))}"

    def take(pairs: list[dict[str, Any]]) -> None:
        new = [pair for pair in pairs if count.add(pair)]
        for pair in new:
            games = pair.pop("games", ())
            results.add("pair", pair)
            if pgn is not None:
                with pgn.open("a", encoding="utf-8") as stream:
                    stream.write("".join(games))
        display.add(2 * len(new))
        if count.done:
            raise StopRun

    def give_up(error: BaseException) -> None:
        if not isinstance(error, SetupError):
            raise SetupError(f"later pairs do not count without the failed ones; {advice}")

    try:
        return run_units(
            play_batch,
            plan(settings, count, console, pgn is not None),
            Workplace(arguments.scheduler, arguments.jobs, console, display.bar, advice),
            on_report=take,
            on_failure=give_up,
        )
    finally:
        console.print(f"{display.games_per_hour:,.0f} games an hour")


def summary(settings: ArenaSettings, count: Count) -> dict[str, Any]:
    """All figures of a run, for JSON."""
    found = estimate(count.encounter.pairs)
    assert found is not None
    data: dict[str, Any] = {
        "first": settings.names[0], "second": settings.names[1], "games": count.encounter.games,
        "wdl": count.encounter.wdl, "pentanomial": count.encounter.pairs, "network": own_network(),
    }  # fmt: skip
    data |= found.figures()
    if (test := settings.sprt) is not None:
        data["sprt"] = {**asdict(test), "llr": round(test.llr(count.encounter.pairs), 4), "verdict": count.verdict}
    if settings.ideas:
        data["effects"] = [asdict(effect) for effect in count.screening.effects()]
    elif (time_per_node := count.pace) is not None:
        data["time_per_node"] = asdict(time_per_node)
    return data
