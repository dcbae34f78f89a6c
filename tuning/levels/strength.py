"""Ratings of the weaker levels: pairings, fit, and file."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

from engine.play.strength import FULL_SKILL, LEVELS
from tuning.common.files import write_whole
from tuning.common.revisions import PROJECT
from tuning.matches.engines import EngineSpec
from tuning.matches.limits import Limits
from tuning.statistics import ratings

SKILL_ELO = (
    1320, 1468, 1608, 1742, 1923, 2204, 2363, 2500, 2596, 2703,
    2788, 2856, 2923, 2973, 3025, 3070, 3111, 3141, 3170, 3191,
)  # fmt: skip
"""Elo of Stockfish's Skill Levels, 0 to 19, on the scale of CCRL Blitz, give or take 100.

J. VandeVondele played Stockfish, a month after 15.1, against rated versions of Stash at 120 s + 1 s a game (Stockfish
pull request 4341, 2023). ``UCI_Elo`` of Stockfish 16 and later follows it. That of 15.1 does not: it calls Skill Level
14 2550.
"""

ANCHORS = (0, 1, 3, 4, 5, 6, 8, 10, 12, 14)
"""Skill Levels of Stockfish that levels are measured against."""

NEIGHBOURS = 2
"""Levels that each anchor plays."""

ENOUGH = 8
"""Skill Levels that must have been measured for a cubic."""

LEAST_STEP = 5.0
"""Elo between one level and the next if measurements would have them equal or reversed."""

WITHOUT_CLOCK = Limits(nodes=100_000_000)
"""For the levels, which end their searches themselves."""


def level_spec(level: int) -> EngineSpec:
    """This engine at a level. Above the Skill Levels, a level is a number of nodes without misjudgement."""
    command = (sys.executable, str(PROJECT / "uci_main.py"))
    if level < FULL_SKILL:
        return EngineSpec(f"Level {level}", command, options={"Skill Level": str(level)}, limits=WITHOUT_CLOCK)
    return EngineSpec(f"Level {level}", command, limits=Limits(nodes=LEVELS[level].nodes))


def anchor_nodes(skill: int) -> int:
    """Nodes per move with which Stockfish reaches the depth at which it chooses, one more than its Skill Level.

    Otherwise it nearly always plays its best move, because the other lines of an aborted iteration have no score.
    Search beyond that depth matters too: it fills the transposition table for the next move.
    """
    return 200_000 if skill <= 6 else 500_000 if skill <= 10 else 1_000_000


def anchor_spec(skill: int) -> EngineSpec:
    """Stockfish at a Skill Level."""
    options, limits = {"Skill Level": str(skill)}, Limits(nodes=anchor_nodes(skill))
    return EngineSpec(f"Stockfish {SKILL_ELO[skill]}", ("stockfish",), options=options, limits=limits)


def encounters(levels: Sequence[int], anchors: Sequence[int]) -> list[tuple[EngineSpec, EngineSpec]]:
    """The pairings: each anchor plays the levels nearest to it, and levels outside the anchors play the next one."""
    specs = {level: level_spec(level) for level in levels}
    elos = [SKILL_ELO[anchor] for anchor in anchors]
    weakest, strongest = min(elos), max(elos)
    outside = [(a, b) for a, b in pairwise(levels) if LEVELS[a].elo < weakest or LEVELS[b].elo > strongest]
    result = [(specs[a], specs[b]) for a, b in outside]
    for anchor, elo in zip(anchors, elos, strict=True):
        near = sorted(levels, key=lambda level: abs(LEVELS[level].elo - elo))[:NEIGHBOURS]
        result += [(specs[level], anchor_spec(anchor)) for level in sorted(near)]
    return result


def smooth(measured: Mapping[int, tuple[float, float]]) -> dict[int, float]:
    """The Elo of measured levels on the likeliest curve: a cubic, because Elo rises slowly at both ends, or with fewer
    than :data:`ENOUGH` levels a parabola or a line. Nodes and misjudgement change evenly from level to level, so jumps
    in Elo are errors of measurement.
    """
    levels = sorted(measured)
    elos, errors = np.array([measured[level] for level in levels]).T
    degree = 3 if len(levels) >= ENOUGH else min(2, len(levels) - 1)
    return dict(zip(levels, np.polyval(np.polyfit(levels, elos, degree, w=1 / errors), levels).tolist(), strict=True))


def rising(measured: Mapping[int, float], count: int) -> list[float]:
    """The Elo of ``count`` levels from those that were measured: between them by straight lines, outside with the
    slope of the nearest two, and never falling."""
    known = sorted(measured)
    values = [measured[level] for level in known]
    for place, (weaker, stronger) in enumerate(pairwise(known), 1):
        values[place] = max(values[place], values[place - 1] + LEAST_STEP * (stronger - weaker))
    line = make_interp_spline(known, values, k=1)
    return [float(elo) for elo in line(np.arange(count))]


def fitted(counts: Mapping[tuple[str, str], Sequence[float]]) -> dict[str, tuple[float, float]]:
    """Elo and 95% error of each player from the (losses, draws, wins) of each encounter; a setting of Stockfish has the
    Elo in its name and no error."""
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
    elos, covariance = ratings.fit_linear(signs[:, : len(free)], signs[:, len(free) :] @ anchors, table, start)
    found = dict(zip(free, zip(elos.tolist(), ratings.errors_of(covariance).tolist(), strict=True), strict=True))
    return {**found, **{name: (elo, 0.0) for name, elo in known.items()}}


def write_rows(path: Path, note: str, **lists: Sequence[Mapping[str, Any]]) -> None:
    """Write JSON with a line for each row of the ``lists``, after the ``note``, if there is one."""
    parts = [f' "note": {json.dumps(note)}'] if note else []
    for name, rows in lists.items():
        lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        parts.append(f' "{name}": [\n{lines}\n ]')
    write_whole(path, ("{\n" + ",\n".join(parts) + "\n}\n").encode())


def write(path: Path, elos: Sequence[float], note: str) -> None:
    """Write the levels with their Elo."""
    rows = [
        {"nodes": level.nodes, "noise": level.noise, "elo": round(elo)}
        | ({"alert": level.alert} if level.alert < 1 else {})
        for level, elo in zip(LEVELS, elos, strict=True)
    ]
    write_rows(path, note, levels=rows)
