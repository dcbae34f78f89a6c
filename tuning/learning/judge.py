"""How far evaluations are from another engine's static evaluation, on quiet positions; nothing is trained on it.

The judge is an engine that answers Stockfish's command ``eval``.
"""

import math
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.progress import Progress
from rich.table import Table
from scipy.special import expit

from engine.board.fen import to_fen
from engine.board.setup import new_position
from engine.folders import cache_folder
from tuning.common.errors import SetupError
from tuning.data.dataset import REFERENCE, QuietRules, matching_scale, quiet_positions
from tuning.data.marlinformat import unpack
from tuning.data.positions import is_games, read_positions
from tuning.data.viriformat import Positions, files_of
from tuning.data.viriformat import read_positions as read_games
from tuning.learning.logistic import fit_scale
from tuning.matches.engines import parse_words

MAX_FILES = 16  # files of a folder of games from which positions are drawn
MAX_POSITIONS = 100_000  # positions over which the mean absolute value is taken

PIECE_RANGES = ((2, 10), (11, 16), (17, 24), (25, 32))
"""The ranges of numbers of pieces, from and to, each with a scale and with rows of its own."""

LABEL_NAMES = ("score", "result")  # labels of the positions themselves, shown with the evaluations

_ANSWER = re.compile(r"Final evaluation:? +([+-]?\d+\.\d+) \(white side\)")


def draw(path: Path, progress: Progress) -> Positions:
    """At most :data:`MAX_POSITIONS` quiet positions of games or text, in random order. Raises :class:`SetupError`."""
    random = np.random.default_rng(1)
    if is_games(path):
        files = files_of(path)
        positions = read_games([files[place] for place in random.permutation(len(files))[:MAX_FILES]])
    else:
        positions = read_positions(path, cache_folder() / "positions", progress)
    positions = quiet_positions(positions, QuietRules())
    if not len(positions):
        raise SetupError(f"{path}: no quiet position in it")
    order = random.permutation(len(positions))[:MAX_POSITIONS]
    return Positions(positions.boards[order], positions.games[order])


def fens_of(boards: np.ndarray) -> list[str]:
    """The FENs of PACKED positions."""
    position = new_position()
    fens = []
    for board in boards:
        unpack(position, board)
        fens.append(to_fen(position))
    return fens


def judged(boards: np.ndarray, command: str) -> np.ndarray:
    """The values that the engine ``command`` gives ``boards``, float64 centipawns, White's view. Raises
    :class:`SetupError` for one without the command ``eval``."""
    words = parse_words([command]).resolved_command()
    asked = "".join(f"position fen {fen}\neval\n" for fen in fens_of(boards))
    answer = subprocess.run(words, input=f"uci\n{asked}quit\n", stdout=subprocess.PIPE, text=True)
    values = _ANSWER.findall(answer.stdout)
    if len(values) != len(boards):
        raise SetupError(f"{command} gives {len(values)} static values of {len(boards)} positions")
    return 100 * np.array(values, float)


@dataclass(frozen=True, slots=True)
class Distance:
    """The mean squared distance of expected scores from the judge's, and the slope of (score - first) on (judge -
    first), each with its standard error; the first evaluation has no slope.

    Independent errors of the first evaluation also give others a slope above zero, so the distance decides."""

    squared: float
    error: float
    slope: float | None = None
    slope_error: float | None = None


def distances(scores: np.ndarray, judge: np.ndarray, games: np.ndarray) -> list[Distance]:
    """The distances of expected ``scores`` [evaluation][position] from the judge's, ``judge``; standard errors by
    ``games``, the numbers of the positions' games."""
    games = np.unique(games, return_inverse=True)[1]

    def error_of(values: np.ndarray) -> float:
        """The error of the sum of ``values``, whose mean is zero; those of a game are not independent."""
        return math.sqrt(float(np.sum(np.bincount(games, values) ** 2)))

    wanted = judge - scores[0]
    found = []
    for score in scores:
        errors = (judge - score) ** 2
        slope = slope_error = None
        moved = score - scores[0]
        if moved.any() and wanted.any():
            slope = float(moved @ wanted / (wanted @ wanted))
            slope_error = error_of(wanted * (moved - slope * wanted)) / float(wanted @ wanted)
        found.append(Distance(float(errors.mean()), error_of(errors - errors.mean()) / len(errors), slope, slope_error))
    return found


def judged_scores(theirs: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The judge's expected scores, by a scale that makes them as decided as those of the first evaluation, whose
    centipawns are ``first``, by :data:`REFERENCE`."""
    return np.asarray(expit(theirs / matching_scale(theirs, expit(first / REFERENCE))))


def expected_scores(values: np.ndarray, judge: np.ndarray, pieces: np.ndarray) -> np.ndarray:
    """The expected scores of ``values`` [evaluation][position], by the scales that fit the judge's best.

    Engines weigh the phases of a game differently, so each of :data:`PIECE_RANGES` has its own; ``pieces`` [position]
    are numbers of pieces."""
    scores = np.empty(values.shape)
    for least, most in PIECE_RANGES:
        chosen = np.flatnonzero((pieces >= least) & (pieces <= most))
        for value, score in zip(values, scores, strict=True) if len(chosen) else ():
            score[chosen] = expit(value[chosen] / fit_scale(value[chosen], judge[chosen]))
    return scores


def distance_table(
    names: Sequence[str], values: np.ndarray, judge: np.ndarray, positions: Positions, sizes: Sequence[float]
) -> Table:
    """A table of the distances by numbers of pieces: of ``values`` [evaluation][position] and, after them, of the set's
    scores and results; ``sizes`` are the evaluations' mean absolute values in centipawns."""
    table = Table("pieces", "evaluation", "distance", "slope", "mean |cp|")
    table.title = f"mean squared distance of the expected score over {len(judge):,} quiet positions"
    pieces = np.bitwise_count(positions.boards["occupancy"])
    values = np.concatenate((values, positions.boards["score"][None].astype(np.float64)))
    scores = np.stack((*expected_scores(values, judge, pieces), positions.boards["result"] / 2))
    shown = [f"{size:.1f}" for size in sizes]
    for least, most in ((2, 32), *PIECE_RANGES):
        chosen = (pieces >= least) & (pieces <= most)
        if not chosen.any():
            continue
        table.add_section()
        label = f"{least} to {most}: {chosen.sum():,}"
        found = distances(scores[:, chosen], judge[chosen], positions.games[chosen])
        for name, one, size in zip((*names, *LABEL_NAMES), found, (*shown, "", ""), strict=True):
            slope = "" if one.slope is None else f"{one.slope:+.3f} ± {one.slope_error:.3f}"
            table.add_row(label, name, f"{one.squared:.5f} ± {one.error:.5f}", slope, size)
            label = ""
        shown = [""] * len(names)
    return table
