"""Counts games, each once, even if it arrives twice."""

from collections import Counter
from dataclasses import dataclass, field

from tuning.matches.records import FAULTS, GameRecord


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
    """Faults, lines and speed of one engine."""

    games: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    pv_lines: int = 0
    pv_faults: Counter[str] = field(default_factory=Counter)
    moves: int = 0
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0

    @property
    def mean_depth(self) -> float:
        return self.depth / self.moves if self.moves else 0.0

    @property
    def nps(self) -> float:
        return self.nodes / self.seconds if self.seconds else 0.0


class Tally:
    """All results of a tournament so far."""

    def __init__(self, names: list[str], meetings: list[tuple[int, int]]) -> None:
        self.encounters = {(names[a], names[b]): Encounter(names[a], names[b]) for a, b in meetings}
        self.engines = {name: EngineCount() for name in names}
        self.keys: set[tuple[int, int]] = set()
        self._half: dict[int, GameRecord] = {}

    @property
    def games(self) -> int:
        return len(self.keys)

    def add(self, record: GameRecord) -> bool:
        """Count a game; return False, and change nothing, if it was counted before."""
        if record.key in self.keys:
            return False
        self.keys.add(record.key)
        names = (record.white, record.black)
        encounter = self.encounters.get(names) or self.encounters[names[::-1]]
        score = record.score_of(encounter.first)
        encounter.wdl[int(2 * score)] += 1
        if (other := self._half.pop(record.pair, None)) is not None:
            points = score + other.score_of(encounter.first)
            encounter.pairs[int(2 * points)] += 1
        else:
            self._half[record.pair] = record
        self._count_engines(record)
        return True

    def _count_engines(self, record: GameRecord) -> None:
        white_to_move = record.opening.fen.split()[1] == "w"
        first_mover = (len(record.opening.moves) + (not white_to_move)) % 2
        for place, name in enumerate((record.white, record.black)):
            count = self.engines[name]
            count.games += 1
            count.pv_lines += record.pv_lines[place]
            count.pv_faults.update(record.pv_faults[place])
            if record.fault and record.culprit == name:
                count.faults[record.fault] += 1
            for move in record.moves[(place + first_mover) % 2 :: 2]:
                count.moves += 1
                count.depth += move.depth
                count.nodes += move.nodes
                count.seconds += move.seconds

    @property
    def faults(self) -> Counter[str]:
        """Games lost by faults, over all engines."""
        total: Counter[str] = Counter({kind: 0 for kind in FAULTS})
        for count in self.engines.values():
            total.update(count.faults)
        return total
