"""The settings of a training run, and the files it writes."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.progress import Progress

from engine.evaluation.nnue.file import MAX_PIECES
from tuning.common.errors import SetupError
from tuning.common.flags import number, whole
from tuning.common.results import read_header
from tuning.data.dataset import QuietRules
from tuning.data.shuffled import Shuffled, shuffled

LOG, CHECKPOINT, CURVES, NET = "log.jsonl", "checkpoint.pt", "loss.png", "net.nnue"  # the files of a run


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """The settings that determine the result, and ``cache``, the folder of prepared positions.

    ``length``, ``warm_up`` and ``report`` are positions seen; a position counts again in every pass. ``result_weight``
    and ``accepted`` are texts for :func:`by_pieces`."""

    positions: list[str]
    cache: str
    begin: str = ""
    hidden: int = 256
    length: int = 2_000_000_000
    batch: int = 16_384
    learning_rate: float = 2e-3
    final_learning_rate: float = 1e-5
    warm_up: int = 10_000_000
    weight_decay: float = 0.01
    exponent: float = 2.0
    result_weight: str = "0"
    accepted: str = "1"
    first_ply: int = 10
    decided: float = 6.0
    held_out: float = 0.02
    report: int = 25_000_000
    seed: int = 1

    def shuffled(self, progress: Progress) -> Shuffled:
        """The quiet positions of every file. Raises :class:`SetupError` for invalid files."""
        files = [Path(file) for file in self.positions]
        return shuffled(files, Path(self.cache), QuietRules(self.first_ply, self.decided), self.held_out, progress)

    def learning_rate_at(self, seen: int) -> float:
        """The learning rate after ``seen`` positions: a linear warm-up, then a cosine to the end."""
        first, last = self.learning_rate, self.final_learning_rate
        rate = last + (first - last) * (1 + math.cos(math.pi * min(seen / self.length, 1))) / 2
        return rate * min(1, (seen + self.batch) / max(self.warm_up, 1))


def by_pieces(text: str) -> np.ndarray:
    """The shares, from 0 to 1, that ``text`` gives to positions by their number of pieces, float64 [number of pieces].

    ``10:0.3,24:0.05`` means 0.3 with up to 10 pieces, 0.05 with 11 to 24, and 0 with more; a number alone is for all.
    Raises :class:`argparse.ArgumentTypeError`."""
    shares, first = np.zeros(MAX_PIECES + 1), 0
    for part in text.split(","):
        most, colon, share = part.rpartition(":")
        last = whole(first, MAX_PIECES)(most) if colon or "," in text else MAX_PIECES
        shares[first : last + 1] = number(0, 1)(share)
        first = last + 1
    return shares


def settings_of(run: Path) -> TrainingSettings:
    """The settings of the run in a folder. Raises :class:`SetupError` if it holds none."""
    try:
        return TrainingSettings(**read_header(run / LOG)["settings"])
    except TypeError:
        raise SetupError(f"{run / LOG} is not the log of a training run of this version") from None
