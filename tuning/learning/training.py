"""Train a network on positions whose outcome is known.

Every file's scores are turned into expected scores by a scale of its own, with which they are as far from a draw, on
the mean, as Classical is, and the network learns them by AdamW over shuffled batches of quiet positions. Its centipawns
are worth as much as those of Classical, which the search is used to: one scale makes the best of both as predictions.

Some games of every file are never learned from; the loss over them is the validation loss. The folder ``--out`` gets
``log.jsonl`` (the settings and a line for each epoch), ``loss.png``, ``checkpoint.pt``, from which an interrupted run
goes on, and after each epoch ``net.nnue``, the network in the engine's integers with its recipe in the header.
"""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from engine.evaluation.choice import choose
from engine.evaluation.nnue.file import write_net
from engine.evaluation.nnue.shape import SCALE
from tuning.common import plots
from tuning.common.errors import SetupError
from tuning.common.ledger import Ledger
from tuning.data.dataset import Batch, Sample, Source, batches, split
from tuning.learning.loss import scale_of
from tuning.learning.network import Network
from tuning.learning.plots import loss_figure
from tuning.learning.recipe import CHECKPOINT, CURVES, LOG, NET, Settings

TOOL = "tuning.train"


class _Rate(ProgressColumn):
    """Positions a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.finished_speed or task.speed or 0:,.0f}/s")


class Training:
    """A network, its optimiser, and how far they have come.

    ``scale`` is how many of the network's centipawns multiply the odds of success by e.
    """

    def __init__(self, settings: Settings, scale: float, device: str) -> None:
        torch.manual_seed(settings.seed)
        self.settings = settings
        self.slope = SCALE / scale
        self.device = device
        self.network = Network(settings.hidden).to(device)
        self.optimizer = torch.optim.AdamW(
            [
                {"params": self.network.weights(), "weight_decay": settings.weight_decay},
                {"params": self.network.offsets(), "weight_decay": 0.0},
            ],
            settings.learning_rate,
        )
        self.history: list[dict[str, float]] = []

    @property
    def epoch(self) -> int:
        """Epochs done."""
        return len(self.history)

    def rate(self, progress: float) -> float:
        """The learning rate, a half wave of the cosine over the whole run (``progress`` 0 to 1)."""
        first, last = self.settings.learning_rate, self.settings.final_learning_rate
        return last + (first - last) * (1 + math.cos(math.pi * progress)) / 2

    def learn(self, sample: Sample, progress: Progress, bar: Any) -> float:
        """One epoch; the mean loss over it."""
        size, epochs = self.settings.batch, self.settings.epochs
        order = np.random.default_rng([self.settings.seed, self.epoch]).permutation(len(sample))
        done, total = 0, 0.0
        for batch in batches(sample, order, size):
            for group in self.optimizer.param_groups:
                group["lr"] = self.rate((self.epoch + done / len(order)) / epochs)
            self.optimizer.zero_grad()
            loss = self._errors(batch).pow(self.settings.exponent).mean()
            loss.backward()
            self.optimizer.step()
            self.network.clip()
            count = len(batch.expected)
            done += count
            total += count * loss.item()
            progress.advance(bar, count)
        return total / done

    @torch.no_grad()
    def validate(self, sample: Sample) -> float:
        """The mean squared error of the expected score."""
        parts = batches(sample, np.arange(len(sample)), self.settings.batch)
        return sum(float(self._errors(batch).square().sum()) for batch in parts) / len(sample)

    def _errors(self, batch: Batch) -> torch.Tensor:
        features, buckets, expected = (torch.from_numpy(array).to(self.device) for array in batch)
        return (torch.sigmoid(self.slope * self.network(features, buckets)) - expected).abs()

    def save(self, file: Path) -> None:
        """Write a checkpoint; the old one stays until the new one is whole."""
        spare = file.with_suffix(".new")
        state = {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "history": self.history,
        }
        torch.save(state, spare)
        spare.replace(file)

    def load(self, file: Path) -> None:
        """Go on from a checkpoint. Raises :class:`SetupError` where it is not one of this run."""
        try:
            state = torch.load(file, map_location=self.device, weights_only=True)
            self.network.load_state_dict(state["network"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.history = state["history"]
        except (OSError, EOFError, RuntimeError, KeyError, TypeError, ValueError, pickle.UnpicklingError) as error:
            fault = getattr(error, "strerror", None) or type(error).__name__
            raise SetupError(f"{file} is no checkpoint of this run: {fault}") from None


def recipe(settings: Settings, sources: Sequence[Source], scale: float, history: Sequence[dict[str, float]]) -> dict:
    """What a network's header tells of its making."""
    return {
        "tool": TOOL,
        **{name: value for name, value in asdict(settings).items() if name != "cache"},
        "positions": [
            {
                "file": source.name,
                "games": source.games,
                "positions": len(source.boards),
                "held_out": int(source.held_out.sum()),
                "scale": round(source.scale, 2),
            }
            for source in sources
        ],
        "scale": round(scale, 2),
        "epochs_done": len(history),
        "train_loss": history[-1]["train"],
        "validation_loss": history[-1]["validation"],
    }


def train(settings: Settings, out: Path, resume: bool, console: Console) -> None:
    """Train to the end. Raises :class:`SetupError` for what cannot be used."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)  # what is left to torch on a CPU is too small to be worth the waiting for each other
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), _Rate(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress, closing(_open_ledger(settings, out, resume)) as ledger:
        sources = settings.sources(progress)
        for source in sources:
            console.print(
                f"{source.name}: {len(source.boards):,} quiet positions of {source.games:,} games, "
                f"{source.held_out.sum():,} held out; scale {source.scale:.0f}",
                highlight=False,
            )
        learned, judged = split(sources)
        scale = scale_of(choose("Classical", ""), learned)
        training = Training(settings, scale, device)
        if resume and (out / CHECKPOINT).exists():
            training.load(out / CHECKPOINT)
        total = settings.epochs * len(learned)
        bar = progress.add_task("training", total=total, completed=training.epoch * len(learned))
        while training.epoch < settings.epochs:
            started = time.perf_counter()
            loss = training.learn(learned, progress, bar)
            seconds = time.perf_counter() - started
            entry = {
                "epoch": training.epoch + 1,
                "train": loss,
                "validation": training.validate(judged),
                "rate": round(len(learned) / seconds),
            }
            training.history.append(entry)
            training.save(out / CHECKPOINT)
            ledger.add("epoch", entry)
            plots.save(loss_figure(training.history), out / CURVES)
            write_net(out / NET, training.network.quantised(recipe(settings, sources, scale, training.history)))
            console.print(
                f"epoch {entry['epoch']:3}: train {loss:.6f}, validation {entry['validation']:.6f}, "
                f"{entry['rate']:,} positions a second",
                highlight=False,
            )
    console.print(f"wrote {out / NET}", highlight=False)


def _open_ledger(settings: Settings, out: Path, resume: bool) -> Ledger:
    return Ledger.resume(out / LOG, TOOL)[0] if resume else Ledger.create(out / LOG, TOOL, asdict(settings))
