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
from tuning.data.dataset import REFERENCE, Quiet, is_quiet, matching_scale
from tuning.data.marlinformat import unpack
from tuning.data.positions import is_games, read_positions
from tuning.data.viriformat import files_of
from tuning.data.viriformat import read_positions as read_games
from tuning.matches.engines import parse_words

MAX_FILES = 16
"""Files of a folder of games from which positions are drawn."""

UNITS = 100_000
"""Positions over which the mean absolute value is taken."""

_ANSWER = re.compile(r"Final evaluation:? +([+-]?\d+\.\d+) \(white side\)")


def draw(path: Path, progress: Progress) -> np.ndarray:
    """Up to :data:`UNITS` quiet positions of games or of a text file, PACKED, in random order. Raises
    :class:`SetupError`."""
    random = np.random.default_rng(1)
    if is_games(path):
        files = files_of(path)
        boards = read_games([files[place] for place in random.permutation(len(files))[:MAX_FILES]]).boards
    else:
        boards = read_positions(path, cache_folder() / "positions", progress).boards
    boards = boards[is_quiet(boards, Quiet())]
    if not len(boards):
        raise SetupError(f"{path}: no quiet position in it")
    return np.asarray(boards[random.permutation(len(boards))[:UNITS]])


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
    """The mean squared distance of an evaluation's expected score from the judge's, and the slope of (evaluation -
    first) on (judge - first), each with its standard error; the first evaluation has no slope.

    Independent errors of the first evaluation also give others a slope above zero, so the distance decides."""

    squared: float
    error: float
    slope: float | None = None
    slope_error: float | None = None


def distances(values: np.ndarray, theirs: np.ndarray) -> list[Distance]:
    """The distances of evaluations, ``values`` [evaluation][position], from the judge's values, ``theirs``.

    Expected scores are those of :data:`REFERENCE`; the judge's scale makes it as decided as the first evaluation."""
    scores = expit(values / REFERENCE)
    judge = expit(theirs / matching_scale(theirs, scores[0]))
    wanted = judge - scores[0]
    found = []
    for score in scores:
        errors = (judge - score) ** 2
        slope = slope_error = None
        moved = score - scores[0]
        if moved.any():
            slope = float(moved @ wanted / (wanted @ wanted))
            slope_error = math.sqrt(float(np.sum((wanted * (moved - slope * wanted)) ** 2))) / float(wanted @ wanted)
        found.append(Distance(float(errors.mean()), float(errors.std()) / math.sqrt(len(errors)), slope, slope_error))
    return found


def distance_table(names: Sequence[str], found: Sequence[Distance], sizes: Sequence[float], count: int) -> Table:
    """A table of the distances over ``count`` positions, and of ``sizes``, the mean absolute values in centipawns."""
    table = Table("evaluation", "distance", "slope", "mean |cp|")
    table.title = f"mean squared distance of the expected score over {count:,} quiet positions"
    for name, one, size in zip(names, found, sizes, strict=True):
        slope = "" if one.slope is None else f"{one.slope:+.3f} ± {one.slope_error:.3f}"
        table.add_row(name, f"{one.squared:.5f} ± {one.error:.5f}", slope, f"{size:.1f}")
    return table
