"""How well evaluations predict what becomes of positions that no network has learned from.

The positions are those that a training run held out, or those of other games. An evaluation is named as the option
``EvalType`` names it, or is the file of a network. Each speaks of centipawns of its own, so each is given the scale
that makes the best of it, by positions that the run learned from, or else by the same ones; then all are held to the
same expected scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table
from scipy.special import expit

from engine.evaluation.choice import Evaluation, choose
from engine.evaluation.evaluator import KINDS
from engine.evaluation.nnue.file import NetError
from tuning.common.errors import SetupError
from tuning.data.dataset import SCALED_BY, Quiet, common_scale, quiet_positions
from tuning.data.values import values_of
from tuning.data.viriformat import files_of
from tuning.data.viriformat import read_positions as read_games
from tuning.learning.logistic import fit_scale, logistic_loss
from tuning.learning.recipe import LOG, settings_of

#: An evaluation's name, its log-odds float64 [position], and its scale.
_Row = tuple[str, np.ndarray, float]


def is_run(folder: Path) -> bool:
    """Whether it is the folder of a training run."""
    return (folder / LOG).exists()


def _evaluation(name: str) -> Evaluation:
    try:
        return choose(name, "") if name in KINDS else choose("NNUE", name)
    except NetError as error:
        raise SetupError(f"{error}; the evaluations are {', '.join(KINDS)} and files of networks") from None


def compare(run: Path, names: Sequence[str], console: Console) -> None:
    """Print a table of losses over what the training run in the folder ``run`` held out. Raises :class:`SetupError` for
    what cannot be used."""
    settings = settings_of(run)
    evaluations = [_evaluation(name) for name in names]
    with Progress(console=console, transient=True) as progress:
        positions = settings.shuffled(progress)
    judged, some = positions.held_out(), positions.some(SCALED_BY)
    expected, wanted = (positions.expected(boards, settings.result_weight) for boards in (judged, some))
    rows: list[_Row] = [("0", np.zeros(len(judged)), np.nan)]
    for name, evaluation in zip(names, evaluations, strict=True):
        scale = fit_scale(values_of(evaluation, some), wanted)
        rows.append((name, values_of(evaluation, judged) / scale, scale))
    console.print(_table(rows, expected, f"expected score of {len(judged):,} positions of games held out"))


def compare_on_games(path: Path, names: Sequence[str], console: Console) -> None:
    """The same over the quiet positions of a folder of games, or of a file in viriformat, all of them.

    Scores of deep searches (:mod:`tuning.relabel`) do not favour the network that played, but they count tactics that a
    search sees anyway: games decide. Raises :class:`SetupError`.
    """
    evaluations = [_evaluation(name) for name in names]
    quiet = Quiet()
    boards = quiet_positions(read_games(files_of(path)), quiet).boards
    if not len(boards):
        raise SetupError(f"{path}: no quiet position with a score in it")
    scale = common_scale(boards)
    boards = boards[np.abs(boards["score"].astype(np.float64)) <= quiet.decided * scale]
    expected = expit(boards["score"].astype(np.float64) / scale)
    rows: list[_Row] = [("0", np.zeros(len(boards)), np.nan)]
    for name, evaluation in zip(names, evaluations, strict=True):
        values = values_of(evaluation, boards)
        own = fit_scale(values, expected)
        rows.append((name, values / own, own))
    console.print(_table(rows, expected, f"expected score of {len(boards):,} quiet positions of {path.name}"))


def _table(rows: Sequence[_Row], expected: np.ndarray, title: str) -> Table:
    """The losses, and by how much the error of each is more than that of the first evaluation, with its standard
    error: over the same positions that says more than the errors themselves."""
    columns = ("scale (cp)", "mean squared error", "more than the first", "cross-entropy (nats)")
    table = Table("evaluation", *(Column(name, no_wrap=name.startswith("more")) for name in columns))
    table.title = title
    first = None
    for name, log_odds, scale in rows:
        errors = (expit(log_odds) - expected) ** 2
        shown, more = ("", "") if np.isnan(scale) else (f"{scale:.0f}", "")
        if first is not None:
            apart = errors - first
            more = f"{apart.mean():+.6f} ± {apart.std() / math.sqrt(len(apart)):.6f}"
        elif not np.isnan(scale):
            first = errors
        table.add_row(name, shown, f"{errors.mean():.6f}", more, f"{logistic_loss(log_odds, expected):.6f}")
    return table
