"""The measurements of levels so far, and the Elo of all levels fitted to them.

``tuning/results/levels.json`` has two lists. ``levels`` are ratings of levels that misjudge, each with its 95% error.
``games`` are results of a number of nodes without misjudgement; their ``rival`` is the Elo of one of Stockfish's Skill
Levels, or the name of an opponent of unknown strength, which links the numbers of nodes that have met it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from engine.play.strength import FULL_SKILL, Level
from tuning.common.errors import SetupError
from tuning.common.revisions import PROJECT
from tuning.levels.strength import LEAST_STEP, rising, smooth, write_rows
from tuning.statistics.ratings import fit_linear

#: Doublings in the middle of the measurements, about 100,000 nodes: there the line's height is fitted.
_MIDDLE = 17.0

FILE = PROJECT / "tuning" / "results" / "levels.json"


@dataclass(frozen=True, slots=True)
class Games:
    """Results of ``nodes`` per move against ``rival``, an Elo or the name of an opponent without one. ``began`` is when
    their match began, if that is known: the same match may be counted again when it has more games."""

    nodes: int
    rival: int | str
    wins: int
    draws: int
    losses: int
    began: str = ""


@dataclass(slots=True)
class Measurements:
    """The ratings of levels, (Elo, 95% error) by level, and the games of numbers of nodes."""

    levels: dict[int, tuple[float, float]] = field(default_factory=dict)
    games: list[Games] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Measurements:
        """Read a file; one that does not exist has none. Raises :class:`SetupError` for invalid contents."""
        if not path.exists():
            return cls()
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            levels = {row["level"]: (float(row["elo"]), float(row["error"])) for row in data["levels"]}
            return cls(levels, [Games(**row) for row in data["games"]])
        except (ValueError, KeyError, TypeError) as error:
            raise SetupError(f"{path} has no measurements of levels: {error}") from error

    def write(self, path: Path) -> None:
        """Write a file."""
        levels = [{"level": n, "elo": round(elo), "error": round(error)} for n, (elo, error) in self.levels.items()]
        games = [{name: value for name, value in asdict(game).items() if value != ""} for game in self.games]
        write_rows(path, "", levels=levels, games=games)

    def add(
        self,
        counts: Mapping[tuple[str, str], Sequence[float]],
        ratings: Mapping[str, tuple[float, float]],
        levels: Sequence[Level],
        began: Mapping[tuple[str, str], str],
    ) -> None:
        """Add the results of encounters, (losses, draws, wins): the ratings of levels that misjudge, and the games of
        other levels against Stockfish, in place of those of the same match, which ``began`` at the same time."""
        for name, rating in ratings.items():
            kind, number = name.split()
            if kind == "Level" and int(number) < FULL_SKILL:
                self.levels[int(number)] = rating
        for pair, (losses, draws, wins) in counts.items():
            (_, level), (kind, elo) = pair[0].split(), pair[1].split()
            if int(level) >= FULL_SKILL and kind == "Stockfish":
                new = Games(levels[int(level)].nodes, int(elo), int(wins), int(draws), int(losses), began[pair])
                same = (new.nodes, new.rival, new.began)
                self.games = [old for old in self.games if (old.nodes, old.rival, old.began) != same] + [new]
        self.levels = dict(sorted(self.levels.items()))


def line(games: Sequence[Games]) -> tuple[float, float]:
    """The straight line over the logarithm of the nodes that makes ``games`` the likeliest (Bradley-Terry, a draw as
    half a win): its Elo at one node, and what a doubling adds.

    The Elo of opponents without a rating is fitted with it. Raises :class:`SetupError` without two numbers of nodes
    and a rated opponent."""
    if len({game.nodes for game in games}) < 2 or not any(isinstance(game.rival, int) for game in games):
        raise SetupError("a fit takes games of two numbers of nodes, and some against a rated opponent")
    unrated = sorted({game.rival for game in games if isinstance(game.rival, str)})
    terms = np.zeros((len(games), 2 + len(unrated)))
    terms[:, 0] = 1
    terms[:, 1] = [math.log2(game.nodes) - _MIDDLE for game in games]
    for row, game in enumerate(games):
        if isinstance(game.rival, str):
            terms[row, 2 + unrated.index(game.rival)] = -1
    given = np.array([game.rival if isinstance(game.rival, int) else 0.0 for game in games])
    counts = np.array([(game.losses, game.draws, game.wins) for game in games], float)
    start = np.array([2500.0, 50.0, *(2500.0 for _ in unrated)])
    values, _ = fit_linear(terms, -given, counts, start)
    return float(values[0] - _MIDDLE * values[1]), float(values[1])


def elos_of(measured: Measurements, levels: Sequence[Level]) -> list[float]:
    """The Elo of all ``levels``: those that misjudge on the curve of those that were rated, the others, which are
    numbers of nodes, on the line of the games. Raises :class:`SetupError` if there is too little for that."""
    weaker = {level: rating for level, rating in measured.levels.items() if level < FULL_SKILL}
    if len(weaker) < 2:
        raise SetupError("a fit takes two levels that misjudge and were measured")
    start, slope = line(measured.games)
    elos = rising(smooth(weaker), len(levels))
    for number, level in enumerate(levels):
        if not level.noise:
            elos[number] = max(start + slope * math.log2(level.nodes), elos[number - 1] + LEAST_STEP)
    return elos
