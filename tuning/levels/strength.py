"""The Elo of the levels: pairings, measurements, fit, and files.

The measurements so far, ``tuning/results/levels.json``, are two lists. ``levels`` are ratings of levels that misjudge,
each with its 95% error. ``games`` are results of a number of nodes without misjudgement; their ``rival`` is the Elo of
one of Stockfish's Skill Levels, or the name of an opponent of unknown strength, which links the numbers of nodes that
have met it.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

from engine.play.strength import BEGINNERS, FULL_SKILL, LEVELS, Level
from tuning.common.errors import SetupError
from tuning.common.files import write_whole
from tuning.common.revisions import PROJECT
from tuning.matches.engines import EngineSpec
from tuning.matches.limits import TimeControl
from tuning.statistics.ratings import errors_of, fit_linear

SKILL_ELO = (
    1320, 1468, 1608, 1742, 1923, 2204, 2363, 2500, 2596, 2703,
    2788, 2856, 2923, 2973, 3025, 3070, 3111, 3141, 3170, 3191,
)  # fmt: skip
"""Elo of Stockfish's Skill Levels, 0 to 19, on the scale of CCRL Blitz, give or take 100.

J. VandeVondele played Stockfish, a month after 15.1, against rated versions of Stash at 120 s + 1 s a game (Stockfish
pull request 4341, 2023). ``UCI_Elo`` of Stockfish 16 and later follows it. That of 15.1 does not: it calls Skill Level
14 2550.
"""

ANCHORS = (0, 1, 3, 4, 5, 6, 8, 10, 12, 14)  # Skill Levels of Stockfish that levels are measured against
LEVELS_PER_ANCHOR = 2  # levels that each anchor plays
MIN_LEVELS_FOR_CUBIC = 8  # Skill Levels that must have been measured for a cubic

FILE = PROJECT / "tuning" / "results" / "levels.json"

#: Doublings in the middle of the measurements, about 100,000 nodes: there the line's height is fitted.
_MIDDLE_DOUBLINGS = 17.0

MIN_STEP_ELO = 5.0  # Elo between one level and the next if measurements would have them equal or reversed
WITHOUT_CLOCK = TimeControl(nodes=100_000_000)  # for the levels, which end their searches themselves


def level_spec(level: int) -> EngineSpec:
    """This engine at a level. Above the Skill Levels, a level is a number of nodes without misjudgement."""
    command = (sys.executable, str(PROJECT / "uci_main.py"))
    if level < FULL_SKILL:
        return EngineSpec(f"Level {level}", command, options={"Skill Level": str(level)}, limits=WITHOUT_CLOCK)
    return EngineSpec(f"Level {level}", command, limits=TimeControl(nodes=LEVELS[level].nodes))


def anchor_nodes(skill: int) -> int:
    """Nodes per move with which Stockfish reaches the depth at which it chooses, one more than its Skill Level.

    Otherwise it nearly always plays its best move, because the other lines of an aborted iteration have no score.
    Search beyond that depth matters too: it fills the transposition table for the next move.
    """
    if skill <= 6:
        return 200_000
    return 500_000 if skill <= 10 else 1_000_000


def anchor_spec(skill: int) -> EngineSpec:
    """Stockfish at a Skill Level."""
    options, limits = {"Skill Level": str(skill)}, TimeControl(nodes=anchor_nodes(skill))
    return EngineSpec(f"Stockfish {SKILL_ELO[skill]}", ("stockfish",), options=options, limits=limits)


def encounters(levels: Sequence[int], anchors: Sequence[int]) -> list[tuple[EngineSpec, EngineSpec]]:
    """The pairings: each anchor plays the levels nearest to it, and levels outside the anchors play the next one."""
    specs = {level: level_spec(level) for level in levels}
    elos = [SKILL_ELO[anchor] for anchor in anchors]
    weakest, strongest = min(elos), max(elos)
    outside = [(a, b) for a, b in pairwise(levels) if LEVELS[a].elo < weakest or LEVELS[b].elo > strongest]
    result = [(specs[a], specs[b]) for a, b in outside]
    for anchor, elo in zip(anchors, elos, strict=True):
        near = sorted(levels, key=lambda level: abs(LEVELS[level].elo - elo))[:LEVELS_PER_ANCHOR]
        result += [(specs[level], anchor_spec(anchor)) for level in sorted(near)]
    return result


def smooth(measured: Mapping[int, tuple[float, float]]) -> dict[int, float]:
    """The Elo of measured levels on the likeliest curve: a cubic, because Elo rises slowly at both ends, or with fewer
    than :data:`MIN_LEVELS_FOR_CUBIC` levels a parabola or a line. Nodes and misjudgement change evenly from level to
    level, so jumps in Elo are errors of measurement.
    """
    levels = sorted(measured)
    elos, errors = np.array([measured[level] for level in levels]).T
    degree = 3 if len(levels) >= MIN_LEVELS_FOR_CUBIC else min(2, len(levels) - 1)
    return dict(zip(levels, np.polyval(np.polyfit(levels, elos, degree, w=1 / errors), levels).tolist(), strict=True))


def rising(measured: Mapping[int, float], count: int) -> list[float]:
    """The Elo of ``count`` levels, interpolated and extrapolated linearly from the measured ones, never falling."""
    known = sorted(measured)
    values = [measured[level] for level in known]
    for place, (weaker, stronger) in enumerate(pairwise(known), 1):
        values[place] = max(values[place], values[place - 1] + MIN_STEP_ELO * (stronger - weaker))
    line = make_interp_spline(known, values, k=1)
    return [float(elo) for elo in line(np.arange(count))]


def fitted(counts: Mapping[tuple[str, str], Sequence[float]]) -> dict[str, tuple[float, float]]:
    """Elo and 95% error of each player from (losses, draws, wins) of encounters; a Stockfish is named by its Elo."""
    names = list(dict.fromkeys(name for pair in counts for name in pair))
    known = {name: float(name.split()[1]) for name in names if name.startswith("Stockfish ")}
    free = [name for name in names if name not in known]
    place = {name: number for number, name in enumerate([*free, *known])}
    first, second = np.array([[place[a], place[b]] for a, b in counts]).T
    table = np.array(list(counts.values()), float)
    table[(table[:, 0] + table[:, 1] == 0) | (table[:, 1] + table[:, 2] == 0), 1] += 1  # never infinitely stronger
    signs = np.zeros((len(counts), len(place)))
    signs[np.arange(len(counts)), first] = 1
    signs[np.arange(len(counts)), second] = -1
    anchors = np.array(list(known.values()))
    start = np.full(len(free), anchors.mean())
    elos, covariance = fit_linear(signs[:, : len(free)], signs[:, len(free) :] @ anchors, table, start)
    found = dict(zip(free, zip(elos.tolist(), errors_of(covariance).tolist(), strict=True), strict=True))
    return {**found, **{name: (elo, 0.0) for name, elo in known.items()}}


def write_rows(path: Path, note: str, **lists: Sequence[Mapping[str, Any]]) -> None:
    """Write JSON with a line for each row of the ``lists``, after the ``note``, if there is one."""
    parts = [f' "note": {json.dumps(note)}'] if note else []
    for name, rows in lists.items():
        lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        parts.append(f' "{name}": [\n{lines}\n ]')
    write_whole(path, ("{\n" + ",\n".join(parts) + "\n}\n").encode())


def write(path: Path, elos: Sequence[float], note: str) -> None:
    """Write the levels with their Elo; the beginners' stay as they are."""
    rows = [
        {"nodes": level.nodes, "noise": level.noise, "elo": round(elo)}
        | ({"alert": level.alert} if level.alert < 1 else {})
        for level, elo in zip(LEVELS, elos, strict=True)
    ]
    write_rows(path, note, beginners=[asdict(level) for level in BEGINNERS], levels=rows)


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

    The Elo of unrated opponents is fitted too. Raises :class:`SetupError` without two numbers of nodes or a rating."""
    if len({game.nodes for game in games}) < 2 or not any(isinstance(game.rival, int) for game in games):
        raise SetupError("a fit takes games of two numbers of nodes, and some against a rated opponent")
    unrated = sorted({game.rival for game in games if isinstance(game.rival, str)})
    terms = np.zeros((len(games), 2 + len(unrated)))
    terms[:, 0] = 1
    terms[:, 1] = [math.log2(game.nodes) - _MIDDLE_DOUBLINGS for game in games]
    for row, game in enumerate(games):
        if isinstance(game.rival, str):
            terms[row, 2 + unrated.index(game.rival)] = -1
    given = np.array([game.rival if isinstance(game.rival, int) else 0.0 for game in games])
    counts = np.array([(game.losses, game.draws, game.wins) for game in games], float)
    start = np.array([2500.0, 50.0, *(2500.0 for _ in unrated)])
    values, _ = fit_linear(terms, -given, counts, start)
    return float(values[0] - _MIDDLE_DOUBLINGS * values[1]), float(values[1])


def elos_of(measured: Measurements, levels: Sequence[Level]) -> list[float]:
    """The Elo of all ``levels``: levels that misjudge from the curve of the rated ones, the others, which are
    numbers of nodes, from the line of the games. Raises :class:`SetupError` if there is too little for that."""
    weaker = {level: rating for level, rating in measured.levels.items() if level < FULL_SKILL}
    if len(weaker) < 2:
        raise SetupError("a fit takes two levels that misjudge and were measured")
    start, slope = line(measured.games)
    elos = rising(smooth(weaker), len(levels))
    for number, level in enumerate(levels):
        if not level.noise:
            elos[number] = max(start + slope * math.log2(level.nodes), elos[number - 1] + MIN_STEP_ELO)
    return elos
