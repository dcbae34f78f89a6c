"""What a training run is told, and where it keeps what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from tuning.common.errors import SetupError
from tuning.common.ledger import read_settings
from tuning.data.dataset import Quiet, Source, read_sources

#: The files of a run.
LOG, CHECKPOINT, CURVES, NET = "log.jsonl", "checkpoint.pt", "loss.png", "net.nnue"


@dataclass(frozen=True, slots=True)
class Settings:
    """All that decides what comes out; ``cache`` only says where parsed positions are kept."""

    positions: list[str]
    cache: str
    hidden: int = 128
    epochs: int = 20
    batch: int = 4096
    learning_rate: float = 5e-3
    final_learning_rate: float = 1e-5
    weight_decay: float = 0.1
    exponent: float = 2.0
    result_weight: float = 0.0
    first_ply: int = 10
    decided: float = 6.0
    held_out: float = 0.05
    seed: int = 1

    def sources(self, progress: Progress) -> list[Source]:
        """The quiet positions of every file. Raises :class:`SetupError` for files that cannot be used."""
        files = [Path(file) for file in self.positions]
        quiet = Quiet(self.first_ply, self.decided)
        return read_sources(files, Path(self.cache), quiet, self.result_weight, self.held_out, progress)


def settings_of(run: Path) -> Settings:
    """The settings of the run in a folder. Raises :class:`SetupError` where there is none."""
    try:
        return Settings(**read_settings(run / LOG))
    except TypeError:
        raise SetupError(f"{run / LOG} is not the log of a training run") from None
