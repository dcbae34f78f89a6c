"""Train a network on positions whose outcome is known.

    python -m tuning.train --positions tcec_evals.tsv.gz lichess2400_evals.tsv.gz --cache cache --out run --hidden 64
    python -m tuning.train --resume run

Every file's scores are turned into expected scores by a scale of its own, with which they are as far from a draw, on
the mean, as Classical is, and the network learns them by AdamW over shuffled batches of quiet positions. Its centipawns
are worth as much as those of Classical, which the search is used to: one scale makes the best of both as predictions.

Some games of every file are never learned from; the loss over them is the validation loss. The folder ``--out`` gets
``log.jsonl`` (the settings and a line for each epoch), ``loss.png``, ``checkpoint.pt``, from which an interrupted run
goes on, and after each epoch ``net.nnue``, the network in the engine's integers with its recipe in the header.
"""

from __future__ import annotations

import argparse
import math
import pickle
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from engine.evaluation.choice import choose
from engine.evaluation.nnue.file import write_net
from engine.evaluation.nnue.shape import HIDDEN_STEP, MAX_HIDDEN, SCALE
from tuning.common import plots
from tuning.common.errors import SetupError, at_least
from tuning.common.flags import only_with_resume
from tuning.common.ledger import Ledger
from tuning.data.dataset import Batch, Sample, Source, batches, split
from tuning.learning.network import Network
from tuning.learning.plots import loss_figure
from tuning.learning.recipe import CHECKPOINT, CURVES, LOG, NET, Settings, settings_of
from tuning.loss import scale_of

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


def parser() -> argparse.ArgumentParser:
    lines = (__doc__ or "").splitlines()
    made = argparse.ArgumentParser("python -m tuning.train", description=lines[0])
    add = made.add_argument
    add("--positions", nargs="+", metavar="FILE", help="what to learn from: see tuning.data.positions for the forms")
    add("--cache", type=Path, metavar="DIR", help="where parsed positions are kept for the next time")
    add("--out", type=Path, metavar="DIR", help="a folder for the results, not yet there")
    add("--resume", type=Path, metavar="DIR", help="go on with the run in this folder; its settings are used")
    group = made.add_argument_group("recipe")
    helps = {
        "hidden": f"columns N of the network, a multiple of {HIDDEN_STEP}",
        "epochs": "times that every position is learned",
        "batch": "positions to a step",
        "learning_rate": "at the start",
        "final_learning_rate": "at the end, by a cosine",
        "weight_decay": "of AdamW",
        "exponent": "of the error in the loss that is learned",
        "result_weight": "the game result's share in the target, the rest is the score",
        "first_ply": "positions before it are left out",
        "decided": "log-odds of success beyond which positions are left out",
        "held_out": "share of games to judge by",
        "seed": "of the first weights and the order of positions",
    }
    for field in fields(Settings):
        if field.name in helps:
            kind, text = type(field.default), helps[field.name]
            name = "--" + field.name.replace("_", "-")
            group.add_argument(
                name, type=kind, default=field.default, metavar="X", help=f"{text} (default %(default)s)"
            )
    return made


def _settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings on the command line. Raises :class:`SetupError` for values that make no sense."""
    for name in ("positions", "cache", "out"):
        if getattr(arguments, name) is None:
            raise SetupError(f"--{name} is missing (or --resume)")
    chosen = {field.name: getattr(arguments, field.name) for field in fields(Settings)}
    chosen["positions"] = [str(Path(file).resolve()) for file in arguments.positions]
    chosen["cache"] = str(arguments.cache.resolve())
    settings = Settings(**chosen)
    if settings.hidden % HIDDEN_STEP or not 0 < settings.hidden <= MAX_HIDDEN:
        raise SetupError(f"--hidden {settings.hidden} is not a multiple of {HIDDEN_STEP} up to {MAX_HIDDEN}")
    for name in ("epochs", "batch", "learning_rate", "final_learning_rate", "exponent", "decided", "held_out"):
        if not getattr(settings, name) > 0:
            raise SetupError(f"--{name.replace('_', '-')} {getattr(settings, name)} is not above 0")
    at_least(0, seed=settings.seed, first_ply=settings.first_ply, weight_decay=settings.weight_decay)
    if settings.held_out >= 1:
        raise SetupError(f"--held-out {settings.held_out} is not below 1")
    if not 0 <= settings.result_weight <= 1:
        raise SetupError(f"--result-weight {settings.result_weight} is not between 0 and 1")
    return settings


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0: done, 2: cannot be done as asked, 130: interrupted."""
    arguments = parser().parse_args(words)
    console = Console(stderr=True)
    out = arguments.resume or arguments.out
    try:
        if arguments.resume:
            only_with_resume(parser(), words, ())
        settings = settings_of(out) if arguments.resume else _settings_of(arguments)
        train(settings, out, arguments.resume is not None, console)
    except KeyboardInterrupt:
        console.print(f"interrupted; go on with --resume {out}", highlight=False)
        return 130
    except SetupError as error:
        console.print(f"error: {error}", style="bold red", highlight=False, markup=False, soft_wrap=True)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
