"""What was measured of the levels so far, and the Elo of all levels that follows from it.

``tuning/results/levels.json`` has two lists. ``levels`` are ratings of levels that misjudge, each with its 95% error.
``games`` are results of a number of nodes without misjudgement against Stockfish; there a setting that is not
``rated`` is an opponent of unknown strength, which links the numbers of nodes that have met it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.play.strength import FULL_SKILL, Level
from tuning.common.errors import SetupError
from tuning.common.files import write_whole
from tuning.common.revisions import PROJECT
from tuning.levels.strength import LEAST_STEP, fitted, rising, smooth

FILE = PROJECT / "tuning" / "results" / "levels.json"


@dataclass(frozen=True, slots=True)
class Games:
    """What ``nodes`` a move scored against Stockfish at ``UCI_Elo`` ``rival``."""

    nodes: int
    rival: int
    wins: int
    draws: int
    losses: int
    rated: bool = True

    @property
    def pair(self) -> tuple[str, str]:
        """The names of both, as :func:`tuning.levels.strength.fitted` wants them."""
        return f"Nodes {self.nodes}", f"{'Stockfish' if self.rated else 'Unrated'} {self.rival}"


@dataclass(slots=True)
class Measurements:
    """The ratings of levels, (Elo, 95% error) by level, and the games of numbers of nodes."""

    levels: dict[int, tuple[float, float]] = field(default_factory=dict)
    games: list[Games] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Measurements:
        """Read a file. Raises :class:`SetupError` if it is none of this kind."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            levels = {row["level"]: (float(row["elo"]), float(row["error"])) for row in data["levels"]}
            return cls(levels, [Games(**row) for row in data["games"]])
        except (ValueError, KeyError, TypeError) as error:
            raise SetupError(f"{path} has no measurements of levels: {error}") from error

    def write(self, path: Path) -> None:
        """Write a file."""
        levels = [{"level": n, "elo": round(elo), "error": round(error)} for n, (elo, error) in self.levels.items()]
        games = [
            {name: getattr(game, name) for name in ("nodes", "rival", "wins", "draws", "losses")}
            | ({} if game.rated else {"rated": False})
            for game in self.games
        ]
        lists = []
        for name, rows in (("levels", levels), ("games", games)):
            lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
            lists.append(f' "{name}": [\n{lines}\n ]')
        write_whole(path, ("{\n" + ",\n".join(lists) + "\n}\n").encode())

    def add(
        self,
        counts: Mapping[tuple[str, str], Sequence[float]],
        ratings: Mapping[str, tuple[float, float]],
        levels: Sequence[Level],
    ) -> None:
        """Take in the (losses, draws, wins) of encounters and the ratings by them: of levels that misjudge the rating,
        of the others the games against Stockfish."""
        for (name, rival), (losses, draws, wins) in counts.items():
            number = int(name.split()[1])
            if number < FULL_SKILL:
                self.levels[number] = ratings[name]
            elif rival.startswith("Stockfish "):
                games = Games(levels[number].nodes, int(rival.split()[1]), int(wins), int(draws), int(losses))
                self.games.append(games)
        self.levels = dict(sorted(self.levels.items()))

    def of_nodes(self) -> dict[int, tuple[float, float]]:
        """The Elo and 95% error of each number of nodes, by its games."""
        counts: dict[tuple[str, str], list[float]] = {}
        for game in self.games:
            row = counts.setdefault(game.pair, [0.0, 0.0, 0.0])
            for place, count in enumerate((game.losses, game.draws, game.wins)):
                row[place] += count
        found = fitted(counts)
        return {int(name.split()[1]): rating for name, rating in found.items() if name.startswith("Nodes ")}


def line(measured: Mapping[int, tuple[float, float]]) -> tuple[float, float]:
    """The straight line through the Elo of numbers of nodes: its value at one node, and what a doubling adds."""
    nodes = sorted(measured)
    elos, errors = np.array([measured[number] for number in nodes]).T
    terms = np.array([np.ones(len(nodes)), np.log2(nodes)]).T
    start, slope = np.linalg.lstsq(terms / errors[:, None], elos / errors, rcond=None)[0]
    return float(start), float(slope)


def elos_of(measured: Measurements, levels: Sequence[Level]) -> list[float]:
    """The Elo of all ``levels``: those that misjudge on the curve of the rated ones, the others, which are numbers of
    nodes, on the line of the games. Raises :class:`SetupError` if there is too little for that."""
    nodes = measured.of_nodes() if measured.games else {}
    weaker = {level: rating for level, rating in measured.levels.items() if level < FULL_SKILL}
    if len(weaker) < 2 or len(nodes) < 2:
        raise SetupError("a fit takes two levels and two numbers of nodes that were measured")
    start, slope = line(nodes)
    elos = rising(smooth(weaker), len(levels))
    for number, level in enumerate(levels):
        if not level.noise:
            elos[number] = max(start + slope * math.log2(level.nodes), elos[number - 1] + LEAST_STEP)
    return elos
