"""Fits the weights of the classical evaluation to positions whose outcome is known.

Texel's method (https://www.chessprogramming.org/Texel%27s_Tuning_Method) as one logistic regression. The engine's own
traced evaluation counts each feature in a quiet position; the log-odds of the outcome are the weighted sum of these
counts over a scale in centipawns. The outcome blends the game's result with a search's evaluation. Evaluations of
different sources differ in scale, and so do results of weak and strong players. So each source has two scales: one
turns its evaluations into expected scores, the other, fitted with the weights, our centipawns into its log-odds.

The loss has an analytic gradient, and is minimized by L-BFGS (scipy). Whole games are held out for validation. The
start position's army is worth what it is in ``material.json``, which fixes the centipawn.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeElapsedColumn
from rich.table import Table
from scipy.optimize import minimize
from scipy.special import expit

from engine.board.aliases import Position
from engine.board.setup import new_position
from engine.console import Console, TextColumn
from engine.evaluation import material
from engine.evaluation.classical.features import COUNT, GROUPS, PIECE_SQUARE
from engine.evaluation.classical.pawns import PAWN_TABLE, PawnTable
from engine.evaluation.classical.scaling import SCALE_CLASSES, SCALE_UNIT
from engine.evaluation.classical.value import traced_value
from engine.evaluation.classical.weights import STAGES, TRACE, TraceRecord
from engine.evaluation.material import FULL_PHASE, PIECE_NAMES
from engine.jit import new_record
from tuning.common.compiled import compiled
from tuning.common.files import write_whole
from tuning.data.dataset import QuietRules
from tuning.data.marlinformat import PackedBoards, unpack
from tuning.data.shuffled import Shuffled, shuffled
from tuning.learning.logistic import log_odds, logistic_loss
from tuning.learning.recipe import by_pieces

QUIET = QuietRules(8, np.inf)  # training positions: from ply 8 on, because earlier ones repeat
HELD_OUT = 0.1  # the share of games held out for validation
UNIT = 100.0  # weights are fitted in this unit (centipawns), so that all parameters are of similar size
BLOCK = 100_000  # positions turned into features in one step
SHOW_EVERY = 5  # iterations between two losses that are shown
ARMY = {"pawn": 8, "knight": 2, "bishop": 2, "rook": 2, "queen": 1}  # the pieces of the start position without the king


class Block(NamedTuple):
    """Features of a block of positions in sparse rows: their ``columns`` and ``counts``, White's minus Black's, one row
    after the other up to its ``ends``; and of each position ``classes`` and ``phases`` as in :class:`Sample`."""

    columns: np.ndarray
    counts: np.ndarray
    ends: np.ndarray
    classes: np.ndarray
    phases: np.ndarray


@compiled
def _trace_block(
    boards: PackedBoards, position: Position, pawn_table: PawnTable, trace: TraceRecord, block: Block
) -> int:
    """Fill ``block`` with the features of ``boards``; returns their number. The other records are scratch space."""
    filled = 0
    for number in range(len(boards)):
        unpack(position, boards[number])
        traced_value(pawn_table, position, trace)
        for feature in range(trace.count.shape[1]):
            count = trace.count[0, feature] - trace.count[1, feature]
            if count != 0:
                block.columns[filled] = feature
                block.counts[filled] = count
                filled += 1
        block.ends[number] = filled
        block.classes[number, 0] = trace.scale_class[0]
        block.classes[number, 1] = trace.scale_class[1]
        block.phases[number] = min(trace.accumulator.phase, FULL_PHASE)
    return filled


@dataclass
class Sample:
    """Positions as numbers for the loss.

    ``features`` float32 [position][feature], White's count minus Black's; ``phase`` from 1, the full board, to 0;
    ``classes`` [position][color] the class of ending were that colour the stronger; ``source`` the number of the
    file; ``target`` White's expected score.
    """

    features: scipy.sparse.csr_matrix
    phase: np.ndarray
    classes: np.ndarray
    source: np.ndarray
    target: np.ndarray

    def __len__(self) -> int:
        return len(self.phase)


def limit_positions(boards: np.ndarray, limit: int, random: np.random.Generator) -> np.ndarray:
    """At most ``limit`` of ``boards`` from each source, chosen at random."""
    order = random.permutation(len(boards))
    sources = boards["extra"][order]
    chosen = np.concatenate([order[sources == source][:limit] for source in np.unique(sources)])
    return np.asarray(boards[np.sort(chosen)])


def encode(boards: np.ndarray, expected: np.ndarray, advance: Callable[[int], None] = lambda count: None) -> Sample:
    """Positions of a shuffled set as numbers; ``advance`` receives the number of positions done."""
    state = (new_position(), new_record(PAWN_TABLE), new_record(TRACE))
    columns, counts = np.empty(BLOCK * 256, np.int32), np.empty(BLOCK * 256, np.float32)
    blocks = []
    classes, phase = np.empty((len(boards), 2), np.int16), np.empty(len(boards), np.float32)
    for start in range(0, len(boards), BLOCK):
        block = slice(start, min(start + BLOCK, len(boards)))
        size = block.stop - start
        ends = np.zeros(size + 1, np.int64)
        found = Block(columns, counts, ends[1:], classes[block], phase[block])
        filled = int(_trace_block(boards[block], *state, found))
        contents = (counts[:filled].copy(), columns[:filled].copy(), ends)
        blocks.append(scipy.sparse.csr_matrix(contents, shape=(size, COUNT)))
        advance(size)
    features = scipy.sparse.vstack(blocks, format="csr")
    return Sample(features, phase / np.float32(FULL_PHASE), classes, boards["extra"], expected)


@dataclass
class Weights:
    """The parameters: ``values`` [stage][feature] in centipawns (material apart from piece-square tables), ``material``
    [stage][kind], ``scale`` [class of ending] (1: no change), ``slopes`` [source] log-odds of :data:`UNIT`."""

    values: np.ndarray
    material: np.ndarray
    scale: np.ndarray
    slopes: np.ndarray

    def with_material(self) -> np.ndarray:
        """[stage][feature] with the material added to the tables."""
        values = self.values.copy()
        values[:, PIECE_SQUARE : PIECE_SQUARE + 384] += np.repeat(self.material, 64, axis=1)
        return values


def scores(sample: Sample, weights: Weights) -> np.ndarray:
    """The evaluation of every position in centipawns from White's view."""
    middlegame, endgame = (sample.features @ weights.with_material().astype(np.float32).T).T
    strong = np.where(endgame > 0, sample.classes[:, 0], sample.classes[:, 1])
    values: np.ndarray = (
        sample.phase * middlegame + (1 - sample.phase) * weights.scale[strong].astype(np.float32) * endgame
    )
    return values


def loss_of(sample: Sample, weights: Weights) -> float:
    """Mean cross-entropy in nats."""
    return logistic_loss(scores(sample, weights) * weights.slopes[sample.source] / UNIT, sample.target)


class Loss:
    """The penalized loss and its gradient over one vector of parameters, in units of :data:`UNIT`."""

    def __init__(self, sample: Sample, sources: int, decay: float) -> None:
        self.sample = sample
        self.decay = decay
        self.sources = sources
        self.transposed = sample.features.T
        self.size = 2 * (COUNT + 6)

    def pack(self, weights: Weights) -> np.ndarray:
        """Weights as parameters."""
        parts = (weights.values / UNIT, weights.material / UNIT, weights.scale, np.log(weights.slopes))
        return np.concatenate([part.ravel() for part in parts])

    def unpack(self, parameters: np.ndarray) -> Weights:
        """The inverse of :meth:`pack`."""
        values, piece_values = np.split(parameters[: self.size], [2 * COUNT])
        scale, slopes = np.split(parameters[self.size :], [SCALE_CLASSES])
        return Weights(values.reshape(2, COUNT) * UNIT, piece_values.reshape(2, 6) * UNIT, scale, np.exp(slopes))

    def __call__(self, parameters: np.ndarray) -> tuple[float, np.ndarray]:
        weights, sample = self.unpack(parameters), self.sample
        phase = sample.phase
        middlegame, endgame = (sample.features @ (weights.with_material() / UNIT).astype(np.float32).T).T
        strong = np.where(endgame > 0, sample.classes[:, 0], sample.classes[:, 1])
        scale = weights.scale[strong].astype(np.float32)
        slope = weights.slopes[sample.source].astype(np.float32)
        late = (1 - phase) * endgame
        log_odds = slope * (phase * middlegame + scale * late)
        residual = ((expit(log_odds) - sample.target) / len(phase)).astype(np.float32)
        push = residual * slope
        by_stage = (self.transposed @ np.stack((push * phase, push * scale * (1 - phase)), axis=1)).T
        by_kind = by_stage[:, PIECE_SQUARE : PIECE_SQUARE + 384].reshape(2, 6, 64).sum(axis=2)
        by_class = np.bincount(strong, push * late, SCALE_CLASSES)
        by_source = np.bincount(sample.source, residual * log_odds, self.sources)
        gradient = np.concatenate((by_stage.ravel(), by_kind.ravel(), by_class, by_source)).astype(np.float64)

        away = np.zeros_like(parameters)  # decay: values to 0, scales to 1; material and slopes are free
        away[: 2 * COUNT] = parameters[: 2 * COUNT]
        away[self.size : self.size + SCALE_CLASSES] = weights.scale - 1
        penalty = self.decay / 2 * float(away @ away)
        return logistic_loss(log_odds, sample.target) + penalty, gradient + self.decay * away


def fit(
    train: Sample,
    start: Weights,
    decay: float,
    iterations: int,
    report: Callable[[Weights], None] = lambda weights: None,
) -> Weights:
    """The weights with the best penalized likelihood; ``report`` is called at each iteration."""
    loss = Loss(train, len(start.slopes), decay)
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * loss.size
    bounds += [(0.0, 2.0)] * SCALE_CLASSES + [(None, None)] * loss.sources
    found = minimize(
        loss, loss.pack(start), jac=True, method="L-BFGS-B", bounds=bounds,
        callback=lambda parameters: report(loss.unpack(parameters)),
        options={"maxiter": iterations, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-7, "maxfun": 2 * iterations + 50},
    )  # fmt: skip
    return loss.unpack(found.x)


def army(material_values: np.ndarray) -> float:
    """The worth of the start position's army, averaged over the stages."""
    counts = np.array([ARMY.get(name, 0) for name in PIECE_NAMES])
    return float((material_values @ counts).mean())


def effective_material(weights: Weights, visits: np.ndarray) -> np.ndarray:
    """[stage][kind] the value of a piece on the squares where pieces stand, each counted ``visits`` [kind][square]."""
    values = weights.with_material()[:, PIECE_SQUARE : PIECE_SQUARE + 384].reshape(2, 6, 64)
    return np.asarray((values * visits).sum(axis=2) / np.maximum(visits.sum(axis=1), 1))


def normalized(weights: Weights, visits: np.ndarray, worth: float) -> Weights:
    """The same evaluation in readable form: tables average to 0 over the squares where pieces stand, kings are worth 0,
    and all is scaled so that an army is worth ``worth`` centipawns."""
    average = effective_material(weights, visits)
    values = weights.with_material()
    values[:, PIECE_SQUARE : PIECE_SQUARE + 384] -= np.repeat(average, 64, axis=1)
    never = (visits == 0).ravel()
    values[:, PIECE_SQUARE : PIECE_SQUARE + 384][:, never] = 0
    average[:, PIECE_NAMES.index("king")] = 0
    factor = worth / army(average)
    return Weights(values * factor, average * factor, weights.scale, weights.slopes / factor)


def rounded(weights: Weights) -> Weights:
    """The weights with the precision of the file."""
    scale = np.rint(weights.scale * SCALE_UNIT) / SCALE_UNIT
    return Weights(np.rint(weights.values), np.rint(weights.material), scale, weights.slopes)


def _rows(values: np.ndarray) -> Any:
    return values.astype(int).tolist()


def contents_of(weights: Weights, recipe: dict[str, Any]) -> dict[str, Any]:
    """The contents of the weights file, with the ``recipe``."""
    tables = weights.values[:, PIECE_SQUARE : PIECE_SQUARE + 384].reshape(2, 6, 8, 8)[:, :, ::-1]
    by_stage = tuple(enumerate(STAGES))
    return {
        "recipe": recipe,
        "material": {
            name: {stage: int(weights.material[s, kind]) for s, stage in by_stage}
            for kind, name in enumerate(PIECE_NAMES)
        },
        "scale": _rows(weights.scale * SCALE_UNIT),
        "features": {
            group.name: {
                "meaning": group.help,
                **{
                    stage: _rows(weights.values[s, group.start : group.start + group.size].reshape(group.shape))
                    for s, stage in by_stage
                },
            }
            for group in GROUPS
            if group.start != PIECE_SQUARE
        },
        "piece_square": {
            name: {stage: _rows(tables[s, kind]) for s, stage in by_stage} for kind, name in enumerate(PIECE_NAMES)
        },
    }


def write_weights(file: Path, contents: Mapping[str, Any]) -> None:
    """Write JSON with each list of whole numbers on one aligned line. Raises :class:`SetupError`."""
    text = re.sub(r"\[\s*(-?\d[-\d\s,]*?)\s*\]", _aligned, json.dumps(contents, indent=1))
    write_whole(file, (text + "\n").encode())


def _aligned(numbers: re.Match[str]) -> str:
    return "[" + ", ".join(f"{int(value):4}" for value in numbers[1].split(",")) + "]"


def initial_weights(sources: int) -> Weights:
    """The initial weights: material only."""
    table = json.loads(material.WEIGHTS_FILE.read_text())["material"]
    values = np.tile([float(table[name]) for name in PIECE_NAMES], (2, 1))
    return Weights(np.zeros((2, COUNT)), values, np.ones(SCALE_CLASSES), np.full(sources, UNIT / 300))


def learn(arguments: argparse.Namespace, console: Console) -> None:
    """Read, fit, report and write. Raises :class:`SetupError` for invalid input."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        positions = shuffled(arguments.positions, arguments.cache, QUIET, HELD_OUT, progress)
        train, test = samples = _samples(positions, arguments, progress)
        used = np.bincount(np.concatenate([part.source for part in samples])).tolist()
        described = [
            {"name": source.name, "positions": count, "games": source.games, "scale": round(source.scale, 1)}
            for source, count in zip(positions.sources, used, strict=True)
        ]
        for source in described:
            console.print("{name}: {positions} quiet positions of {games} games, scale {scale:.0f}".format(**source))
        start = initial_weights(len(arguments.positions))
        found = _fitted(train, test, start, arguments, progress)
    tables = slice(PIECE_SQUARE, PIECE_SQUARE + 384)
    visits = np.sum([abs(part.features[:, tables]).sum(axis=0) for part in samples], axis=0).reshape(6, 64)
    final = rounded(normalized(found, visits, army(start.material)))
    losses = {"training": loss_of(train, final), "held out": loss_of(test, final)}
    _report(final, losses, samples, console)
    recipe = {
        "command": f"python -m tuning.texel --positions {' '.join(source.name for source in positions.sources)}"
        f" --limit {arguments.limit} --result-share {arguments.result_share} --decay {arguments.decay}"
        f" --iterations {arguments.iterations} --seed {arguments.seed}",
        "sources": described,
        "seed": arguments.seed,
        "loss": {name: round(loss, 5) for name, loss in losses.items()},
        "log_odds_scale": [round(UNIT / slope, 1) for slope in final.slopes],
    }
    write_weights(arguments.output, contents_of(final, recipe))
    console.print(f"wrote {arguments.output}")


def _samples(positions: Shuffled, arguments: argparse.Namespace, progress: Progress) -> list[Sample]:
    """Random positions for the fit, and of the games held out."""
    random = np.random.default_rng(arguments.seed)
    samples = []
    for boards, part in ((positions.learned(), 1 - HELD_OUT), (positions.held_out(), HELD_OUT)):
        chosen = limit_positions(boards, max(round(part * arguments.limit), 1), random)
        task = progress.add_task("features", total=len(chosen))
        expected = positions.expected(chosen, by_pieces(str(arguments.result_share)))
        samples.append(encode(chosen, expected, partial(progress.advance, task)))
    return samples


def _fitted(train: Sample, test: Sample, start: Weights, arguments: argparse.Namespace, progress: Progress) -> Weights:
    """The best weights; the bar shows the loss of the games held out."""
    task = progress.add_task("fitting", total=arguments.iterations)
    steps = itertools.count(1)

    def report(weights: Weights) -> None:
        progress.advance(task)
        if next(steps) % SHOW_EVERY == 0:
            progress.update(task, description=f"fitting, held-out loss {loss_of(test, weights):.5f}")

    found = fit(train, start, arguments.decay, arguments.iterations, report)
    progress.update(task, total=next(steps) - 1)
    return found


def _report(final: Weights, losses: Mapping[str, float], samples: Sequence[Sample], console: Console) -> None:
    """Print tables of the losses with their lower bounds, and of the material."""
    table = Table("evaluation", *losses, title="cross-entropy (nats)")
    table.add_row("Classical, learned", *(f"{loss:.5f}" for loss in losses.values()))
    floor = [logistic_loss(log_odds(part.target), part.target) for part in samples]
    table.add_row("target itself", *(f"{loss:.5f}" for loss in floor))
    console.print(table)
    values = Table("piece", *STAGES, title="material (cp)")
    for kind, row in zip(PIECE_NAMES, final.material.T, strict=True):
        values.add_row(kind, *(f"{value:.0f}" for value in row))
    console.print(values)
