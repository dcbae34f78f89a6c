"""Counts games, each once, even if it arrives twice."""

import re
from collections import Counter
from dataclasses import dataclass, field

from tuning.matches.fastchess import FAULTS, MatchGame

_DETAILS = re.compile(r" - | from |(?=\d)")  # what separates the kind of a warning from its details


@dataclass(slots=True)
class Encounter:
    """Results of one pairing, from the view of its first engine.

    ``wdl``: losses, draws, wins. ``pairs``: finished pairs by points 0, 1/2, 1, 3/2, 2."""

    first: str
    second: str
    wdl: list[int] = field(default_factory=lambda: [0, 0, 0])
    pairs: list[int] = field(default_factory=lambda: [0, 0, 0, 0, 0])

    @property
    def games(self) -> int:
        return sum(self.wdl)

    @property
    def points(self) -> float:
        return self.wdl[2] + self.wdl[1] / 2

    @property
    def draw_ratio(self) -> float:
        return self.wdl[1] / self.games if self.games else 0.0

    @property
    def counts(self) -> list[int]:
        """The best statistic so far: pairs, or single games while no pair is complete."""
        return self.pairs if sum(self.pairs) else self.wdl


@dataclass(slots=True)
class EngineCount:
    """Games and faults of one engine, and fastchess's ``warnings`` about its output by kind."""

    games: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)


class Tally:
    """All results of a tournament so far."""

    def __init__(self, names: list[str], meetings: list[tuple[int, int]]) -> None:
        self.encounters = {(names[a], names[b]): Encounter(names[a], names[b]) for a, b in meetings}
        self.engines = {name: EngineCount() for name in names}
        self._played: dict[tuple[str, str, int], dict[int, MatchGame]] = {}

    @property
    def games(self) -> int:
        return sum(encounter.games for encounter in self.encounters.values())

    def has_pair(self, names: tuple[str, str], pair: int) -> bool:
        """Whether both games of a pair of this encounter were counted."""
        return len(self._played.get((*names, pair), ())) == 2

    def add(self, game: MatchGame) -> bool:
        """Count a game; return False, and change nothing, if it was counted before."""
        names = (game.white, game.black)
        encounter = self.encounters.get(names) or self.encounters[names[::-1]]
        played = self._played.setdefault((encounter.first, encounter.second, game.pair), {})
        if game.index in played:
            return False
        played[game.index] = game
        encounter.wdl[int(2 * game.points_of(encounter.first))] += 1
        if len(played) == 2:
            encounter.pairs[int(2 * sum(one.points_of(encounter.first) for one in played.values()))] += 1
        for name in names:
            self.engines[name].games += 1
            if game.fault and not game.points_of(name):
                self.engines[name].faults[game.fault] += 1
        return True

    def count_warning(self, message: str) -> bool:
        """Count a warning of fastchess about an engine's output; return False for another message."""
        text = message.partition(" :: ")[0]
        about = [name for name in self.engines if text.endswith(f" {name}")]
        for name in about:
            self.engines[name].warnings[_DETAILS.split(text.removeprefix("Warning; "), 1)[0]] += 1
        return bool(about) and message.startswith("Warning")

    @property
    def faults(self) -> Counter[str]:
        """Games lost by faults, over all engines."""
        total: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))
        for count in self.engines.values():
            total.update(count.faults)
        return total
