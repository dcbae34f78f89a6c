"""A tournament: plan, play on a cluster, record, stop when decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations, count
from pathlib import Path
from typing import Any, NamedTuple

from tuning.cluster.base import Cluster
from tuning.common.errors import EngineFailure, SetupError
from tuning.common.files import digest
from tuning.common.ledger import Ledger, restored
from tuning.matches import units
from tuning.matches.engines import EngineSpec
from tuning.matches.game import Conditions
from tuning.matches.openings import Check, OpeningSuite, RandomOpenings, load_openings
from tuning.matches.records import GameRecord
from tuning.matches.tally import Tally
from tuning.matches.units import EngineInfo, Pair
from tuning.statistics.sprt import Sprt

TOOL = "tuning.match"

KINDS = ("roundrobin", "gauntlet")

MAX_FAILURES = 3
"""Units in a row that may fail because of one engine before the tournament gives up."""


@dataclass(frozen=True, slots=True)
class BookSettings:
    """Where openings come from; without a ``path``, ``plies`` random moves (8 unless said otherwise).

    ``digest`` identifies the contents of the file; older results files do not have it."""

    path: str | None = None
    order: str = "random"
    seed: int = 1
    plies: int | None = None
    chess960: bool = False
    digest: str | None = None

    def open(self, log: Callable[[str], None], check: Check = lambda board: None) -> OpeningSuite | RandomOpenings:
        """The openings; see :func:`load_openings`. Raises :class:`SetupError` also for a file that has changed."""
        if self.path is None:
            return RandomOpenings(8 if self.plies is None else self.plies, self.seed, self.chess960)
        settings = asdict(self)
        path, expected = Path(settings.pop("path")), settings.pop("digest")
        suite = load_openings(path, log=log, check=check, **settings)
        if expected not in (None, digest(path)):
            raise SetupError(f"openings {path}: the file has changed since the run began")
        return suite


@dataclass(frozen=True, slots=True)
class TournamentSettings:
    """The settings that determine play. ``games`` is per encounter, ``None`` for no limit."""

    engines: tuple[EngineSpec, ...]
    games: int | None = 100
    kind: str = "roundrobin"
    conditions: Conditions = field(default_factory=Conditions)
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


def pairings(engines: int, kind: str = "roundrobin") -> list[tuple[int, int]]:
    """The encounters of engines 0, 1, ...: all with all, or in a gauntlet the first with all others."""
    if kind == "gauntlet":
        return [(0, other) for other in range(1, engines)]
    return list(combinations(range(engines), 2))


class PlannedPair(NamedTuple):
    """Pair ``number`` of the tournament: engines by index, the opening by number, one game or two."""

    number: int
    engines: tuple[int, int]
    opening: int
    games: int = 2


def plan(engines: int, games: int | None, kind: str = "roundrobin") -> Iterator[PlannedPair]:
    """All pairs, round by round, so that every encounter has the same openings when play stops early.

    ``games`` is the number for each encounter, ``None`` for no end; an odd number makes the last pair single."""
    meetings = pairings(engines, kind)
    for opening in count() if games is None else range((games + 1) // 2):
        for place, meeting in enumerate(meetings):
            number = opening * len(meetings) + place
            yield PlannedPair(number, meeting, opening, 2 if games is None else min(2, games - 2 * opening))


class Tournament:
    """Plays a tournament and keeps the tally.

    ``on_game`` is called for each newly counted game, ``on_trouble`` for each other failure."""

    def __init__(
        self,
        settings: TournamentSettings,
        ledger: Ledger,
        on_game: Callable[[GameRecord], None],
        on_trouble: Callable[[str], None],
    ) -> None:
        names = [spec.name for spec in settings.engines]
        self.settings = settings
        self.meetings = pairings(len(names), settings.kind)
        self.tally = Tally(names, self.meetings)
        self._ledger = ledger
        self._on_game = on_game
        self._on_trouble = on_trouble
        self._failures: Counter[str] = Counter()

    @property
    def total(self) -> int | None:
        """Games to be played in all, if that is known."""
        games = self.settings.games
        return None if games is None else games * len(self.meetings)

    @property
    def verdict(self) -> str | None:
        """The decision of the sequential test, if it has ended."""
        if self.settings.sprt is None:
            return None
        return self.settings.sprt.verdict(next(iter(self.tally.encounters.values())).pairs)

    def probe(self, cluster: Cluster) -> list[EngineInfo]:
        """Start every engine once on every host, and require the same name of those that start later.

        Raises :class:`EngineFailure` for the first that does not start, and :class:`SetupError` for one that differs
        between hosts."""
        for _, quitting in cluster.everywhere(units.quit_idle, iter([None])):
            if quitting.error is not None:
                raise quitting.error
        cards: dict[str, tuple[str, EngineInfo]] = {}
        for place, outcome in cluster.everywhere(units.probe, iter(self.settings.engines)):
            if isinstance(outcome.error, EngineFailure) and place:
                raise EngineFailure(outcome.error.engine, f"{outcome.error.problem} (on {place})")
            if outcome.error is not None:
                raise outcome.error
            first, card = cards.setdefault(outcome.item.name, (place, outcome.result))
            if outcome.result != card:
                raise SetupError(
                    f"{card.name} is {card} on {first}, but {outcome.result} on {place}: install the same one on "
                    "every host and restart the workers"
                )
        engines = [replace(spec, identity=cards[spec.name][1].identity) for spec in self.settings.engines]
        self.settings = replace(self.settings, engines=tuple(engines))
        return [cards[spec.name][1] for spec in engines]

    def play(self, cluster: Cluster, openings: OpeningSuite | RandomOpenings | None = None) -> None:
        """Play until the plan is finished or the test decided, from ``openings`` if they are open already. Raises
        :class:`EngineFailure` or :class:`SetupError` after repeated failures; all games so far are kept."""
        if self.verdict is not None:
            return
        openings = openings or self.settings.book.open(self.log_trouble)
        for outcome in cluster.run(units.play_pair, self._pairs(openings), self._arrived):
            if outcome.error is None:
                for record in outcome.result:
                    self._arrived(record)
                self._failures.clear()
            else:
                self._failed(outcome.item, outcome.error)
            if self.verdict is not None:
                return

    def _pairs(self, openings: OpeningSuite | RandomOpenings) -> Iterator[Pair]:
        settings = self.settings
        for number, sides, opening, games in plan(len(settings.engines), settings.games, settings.kind):
            done = tuple(index for index in range(2) if (number, index) in self.tally.keys)
            if len(done) < games:
                first, second = (settings.engines[index] for index in sides)
                yield Pair(number, (first, second), openings.opening(opening), settings.conditions, done, games)

    def _arrived(self, record: GameRecord) -> None:
        if record.key not in self.tally.keys:
            self._ledger.add("game", asdict(record))
            self.tally.add(record)
            self._on_game(record)

    def log_trouble(self, message: str) -> None:
        self._ledger.add("trouble", message)
        self._on_trouble(message)

    def _failed(self, pair: Pair, error: BaseException) -> None:
        if isinstance(error, SetupError):
            raise error
        self.log_trouble(f"pair {pair.number + 1} ({pair.opening.source}) was not finished: {error}")
        culprit = error.engine if isinstance(error, EngineFailure) else type(error).__name__
        self._failures[culprit] += 1
        if self._failures[culprit] >= MAX_FAILURES:
            if isinstance(error, EngineFailure):
                raise error
            raise SetupError(f"gave up after {MAX_FAILURES} failed units: {error}")
