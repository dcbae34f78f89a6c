"""Trains a network on positions whose outcome is known.

Every file has its own scale for turning scores into expected scores, chosen so that they are on average as far from a
draw as those of Classical. The network learns them by AdamW over shuffled batches of quiet positions. Its centipawns
are scaled like those of Classical, for which the search was tuned.

Some games of every file are held out for the validation loss. The folder ``--out`` gets ``log.jsonl`` (the settings and
a line for each report), ``loss.png``, ``checkpoint.pt``, from which a run is resumed, and with each report
``net.nnue``, the network in the engine's integers with its recipe in the header.
"""

import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TimeRemainingColumn
from rich.text import Text

from engine.console import Console, TextColumn
from engine.evaluation.choice import choose
from engine.evaluation.nnue.file import Net, read_net, write_net
from engine.evaluation.nnue.shape import SCALE
from engine.files import open_draft
from tuning.common import plots
from tuning.common.errors import SetupError
from tuning.common.results import ResultsFile
from tuning.data.dataset import SCALE_POSITIONS
from tuning.data.shuffled import Chunk, Shuffled, batches
from tuning.data.values import values_of
from tuning.learning import cpu, gpu
from tuning.learning.logistic import fit_scale
from tuning.learning.network import Network
from tuning.learning.plots import loss_figure
from tuning.learning.recipe import CHECKPOINT, CURVES, LOG, NET, TrainingSettings, by_pieces

TOOL = "tuning.train"

#: A column that fires in fewer views of positions has learned little; each report says how many do.
UNUSED_SHARES = (0.01, 0.05)

FIRED_POSITIONS = 10_000  # held-out positions that show how often columns fire


class _Rate(ProgressColumn):
    """Positions a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.finished_speed or task.speed or 0:,.0f}/s")


class Training:
    """A network, its optimizer, and their progress.

    ``scale`` is the number of the network's centipawns that multiply the odds of success by e. ``seen`` counts
    positions; ``epoch`` and ``place`` give the next chunk (see :meth:`tuning.data.shuffled.Shuffled.passes`)."""

    def __init__(
        self, settings: TrainingSettings, positions: Shuffled, scale: float, begin: Net | None, device: str
    ) -> None:
        torch.manual_seed(settings.seed)
        self.settings = settings
        self.positions = positions
        self.device = device
        self.network = Network(settings.hidden)
        if begin is not None:
            self.network.take(begin)
        self.network.to(device)
        self.optimizer = torch.optim.AdamW(
            [
                {"params": self.network.weights(), "weight_decay": settings.weight_decay},
                {"params": self.network.offsets(), "weight_decay": 0.0},
            ],
            settings.learning_rate,
            fused=True,
        )
        self.history: list[dict[str, float]] = []
        self.seen, self.epoch, self.place = 0, 0, 0
        how = (self.network, positions.scales, SCALE / scale, by_pieces(settings.result_weight))
        self._step: Any = cpu.CpuStep(*how) if device == "cpu" else gpu.GpuStep(*how, device)

    def learn(self, advance: Callable[[int], None]) -> float:
        """Train until the next report; the mean loss since the last one.

        Reports are at the ends of chunks, so that a resumed run continues exactly as without the interruption."""
        settings, total, first = self.settings, 0.0, self.seen
        for chunk in self.positions.passes(settings.seed, self.epoch, self.place):
            boards = self._accepted(chunk)
            for batch in self._step.batches(boards, settings.batch, chunk.seed):
                if self.seen >= settings.length:
                    break
                for group in self.optimizer.param_groups:
                    group["lr"] = settings.learning_rate_at(self.seen)
                total += self._step.set_gradients(batch, settings.exponent)
                self.optimizer.step()
                self.network.clip()
                self.seen += len(batch)
                advance(len(batch))
            self.epoch, self.place = chunk.epoch, chunk.place + 1
            if self.seen - first >= settings.report or self.seen >= settings.length:
                break
        return float(total) / (self.seen - first)

    def _accepted(self, chunk: Chunk) -> np.ndarray:
        """A random part of a chunk, by the numbers of pieces. Raises :class:`SetupError` if it is empty."""
        shares = by_pieces(self.settings.accepted)[np.bitwise_count(chunk.boards["occupancy"])]
        accepted = chunk.boards[np.random.default_rng((*chunk.seed, 1)).random(len(shares)) < shares]
        if not len(accepted):
            raise SetupError(f"--accepted {self.settings.accepted} leaves no position of a chunk")
        return np.asarray(accepted)

    def validate(self, boards: np.ndarray) -> float:
        """The mean squared error of the expected score by search alone, whatever the training target."""
        return float(sum(map(self._step.squared_error, batches(boards, 8 * self.settings.batch)))) / len(boards)

    def unused_columns(self, boards: np.ndarray) -> dict[float, float]:
        """The shares of the columns that fire in fewer than :data:`UNUSED_SHARES` of the views of ``boards``."""
        net = self.network.quantized({})
        some = boards[:: -(-len(boards) // FIRED_POSITIONS)]
        fired = cpu.fired(some, net.weights.astype(np.int16), net.biases.astype(np.int16))
        return {share: float(np.mean(fired < share)) for share in UNUSED_SHARES}

    def save(self, file: Path) -> None:
        """Replace the checkpoint atomically."""
        state = {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "history": self.history,
            "positions": self.positions.digest,
            "place": (self.seen, self.epoch, self.place),
        }
        with open_draft(file) as stream:
            torch.save(state, stream)

    def load(self, file: Path) -> None:
        """Continue from a checkpoint. Raises :class:`SetupError` if it is not one of this run."""
        try:
            state = torch.load(file, map_location=self.device, weights_only=True)
            if state["positions"] != self.positions.digest:
                raise SetupError(f"{file} was made from other positions: a file has changed since")
            self.network.load_state_dict(state["network"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.history = state["history"]
            self.seen, self.epoch, self.place = state["place"]
        except SetupError:
            raise
        except (OSError, EOFError, RuntimeError, KeyError, TypeError, ValueError, pickle.UnpicklingError) as error:
            fault = getattr(error, "strerror", None) or type(error).__name__
            raise SetupError(f"{file} is no checkpoint of this run: {fault}") from None


def initial_network(settings: TrainingSettings) -> Net:
    """The network that the run starts from. Raises :class:`SetupError` or :class:`engine.messages.OptionError`."""
    net = read_net(Path(settings.begin))
    if net.hidden > settings.hidden:
        raise SetupError(f"{settings.begin} has {net.hidden} columns, more than {settings.hidden}")
    return net


def recipe(
    settings: TrainingSettings, positions: Shuffled, start: Mapping[str, Any], history: Sequence[dict[str, float]]
) -> dict[str, Any]:
    """The recipe that goes into a network's header. ``start``: the scale, and the recipe of the first network."""
    chosen = {name: value for name, value in asdict(settings).items() if name not in ("cache", "report")}
    if settings.begin:
        chosen["begin"] = {"file": Path(settings.begin).name, **start["begin"]}
    return {
        "tool": TOOL,
        **chosen,
        "positions": [
            {"file": source.name, **{k: v for k, v in asdict(source).items() if k != "name"}}
            for source in positions.sources
        ],
        "scale": round(start["scale"], 2),
        "seen": int(history[-1]["seen"]),
        "train_loss": history[-1]["train"],
        "validation_loss": history[-1]["validation"],
    }


def train(settings: TrainingSettings, out: Path, resume: bool, console: Console) -> None:
    """Train to the end. Raises :class:`SetupError` for invalid positions or networks."""
    events: list[tuple[str, Any]] = []
    if resume:
        results, events = ResultsFile.resume(out / LOG, TOOL)
    else:
        results = ResultsFile.create(out / LOG, TOOL, asdict(settings))
    resumed = resume and (out / CHECKPOINT).exists()
    start = dict(events).get("start") if resumed else None  # what follows from files that may have been replaced since
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)  # torch's own work on a CPU is too small to share among threads
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), _Rate(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress, closing(results):
        begin = initial_network(settings) if settings.begin and start is None else None
        positions = settings.shuffled(progress)
        for source in positions.sources:
            console.print(
                f"{source.name}: {source.positions:,} quiet positions of {source.games:,} games, "
                f"{source.held_out:,} held out; scale {source.scale:.0f}"
            )
        if start is None:
            some = positions.some(SCALE_POSITIONS)
            scale = fit_scale(values_of(choose("Classical", ""), some), positions.expected(some, by_pieces("0")))
            start = {"scale": float(scale), "begin": begin.training if begin else None}
            results.add("start", start)
        training = Training(settings, positions, start["scale"], begin, device)
        if resumed:
            training.load(out / CHECKPOINT)
            for entry in training.history[sum(kind == "report" for kind, _ in events) :]:
                results.add("report", entry)  # an interruption came between it and the checkpoint
            _write(training, out, start)
        judged = positions.held_out()
        bar = progress.add_task("training", total=settings.length, completed=training.seen)
        while training.seen < settings.length:
            started, before = time.perf_counter(), training.seen
            loss = training.learn(partial(progress.advance, bar))
            seconds = time.perf_counter() - started
            shares = training.unused_columns(judged)
            entry = {
                "seen": training.seen,
                "train": loss,
                "validation": training.validate(judged),
                "rate": round((training.seen - before) / seconds),
                **{f"columns below {share:.0%}": part for share, part in shares.items()},
            }
            training.history.append(entry)
            training.save(out / CHECKPOINT)
            results.add("report", entry)
            _write(training, out, start)
            unused = " and ".join(f"{part:.1%} of columns below {share:.0%}" for share, part in shares.items())
            console.print(
                f"{training.seen / 1e6:,.1f} million seen: train {loss:.6f}, validation {entry['validation']:.6f}, "
                f"{entry['rate']:,} positions a second; {unused}"
            )
    console.print(f"wrote {out / NET}")


def _write(training: Training, out: Path, start: Mapping[str, Any]) -> None:
    """Write the curves and the network of the last report."""
    plots.save(loss_figure(training.history), out / CURVES)
    made = recipe(training.settings, training.positions, start, training.history)
    write_net(out / NET, training.network.quantized(made))
