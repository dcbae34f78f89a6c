"""How far evaluations are from another engine's static evaluation, on quiet positions; nothing is trained on it.

The judge is an engine that answers Stockfish's command ``eval``. Its answers are kept in the cache folder, by the
engine's name and the position's FEN.
"""

import math
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
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
from tuning.common.ledger import Ledger
from tuning.data.dataset import REFERENCE, Quiet, is_quiet, matching_scale
from tuning.data.marlinformat import unpack
from tuning.data.positions import is_games, read_positions
from tuning.data.viriformat import files_of
from tuning.data.viriformat import read_positions as read_games
from tuning.matches.engines import parse_words

TOOL = "tuning.loss"

MOST_FILES = 16
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
        boards = read_games([files[place] for place in random.permutation(len(files))[:MOST_FILES]]).boards
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


class _Judge:
    """A running engine. Raises :class:`SetupError` if it ends or has no command ``eval``."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        names = [line.removeprefix("id name ") for line in self._ask("uci", "uciok") if line.startswith("id name ")]
        self.name = re.sub(r"\W+", "_", names[0]) if names else "judge"

    def value(self, fen: str) -> float:
        """The static value in centipawns, White's view."""
        for line in self._ask(f"position fen {fen}\neval\nisready", "readyok"):
            if found := _ANSWER.search(line):
                return 100 * float(found[1])
        raise SetupError(f"the judge gives no static evaluation of {fen}")

    def _ask(self, text: str, last: str) -> list[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        lines: list[str] = []
        try:
            self._process.stdin.write(text + "\n")
            self._process.stdin.flush()
        except OSError:
            raise SetupError("the judge ended") from None
        for line in self._process.stdout:
            if line.strip() == last:
                return lines
            lines.append(line.rstrip())
        raise SetupError("the judge ended")


@contextmanager
def _judge(command: str) -> Iterator[_Judge]:
    words = parse_words([command]).resolved_command()
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield _Judge(process)
        finally:
            process.kill()


def judged(boards: np.ndarray, command: str, progress: Progress) -> np.ndarray:
    """The judge's values of ``boards``, float64 centipawns, White's view. Raises :class:`SetupError`."""
    fens = fens_of(boards)
    with _judge(command) as judge:
        file = cache_folder() / "judged" / f"{judge.name}.jsonl"
        ledger, events = Ledger.resume(file, TOOL) if file.exists() else (Ledger.create(file, TOOL, {}), [])
        known: dict[str, float] = dict(data for _, data in events)
        with closing(ledger):
            for fen in progress.track(fens, description=f"judging by {judge.name}"):
                if fen not in known:
                    known[fen] = judge.value(fen)
                    ledger.add("value", (fen, known[fen]))
    return np.array([known[fen] for fen in fens])


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
