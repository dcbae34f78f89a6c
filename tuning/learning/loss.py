"""How well evaluations predict what becomes of positions that no network has learned from.

The positions are those that the training run in the folder ``run`` held out. An evaluation is named as the option
``EvalType`` names it, or is the file of a network. Each speaks of centipawns of its own, so each is given the scale
that makes the best of it on other positions, those the run learned from; then all are held to the same expected scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from scipy.special import expit

from engine.evaluation.choice import Evaluation, choose
from engine.evaluation.evaluator import KINDS
from engine.evaluation.nnue.file import NetError
from tuning.common.errors import SetupError
from tuning.data.dataset import SCALED_BY
from tuning.data.values import values_of
from tuning.learning.logistic import fit_scale, logistic_loss
from tuning.learning.recipe import settings_of


def _evaluation(name: str) -> Evaluation:
    try:
        return choose(name, "") if name in KINDS else choose("NNUE", name)
    except NetError as error:
        raise SetupError(f"{error}; the evaluations are {', '.join(KINDS)} and files of networks") from None


def compare(run: Path, names: Sequence[str], console: Console) -> None:
    """Print a table of losses. Raises :class:`SetupError` for what cannot be used."""
    settings = settings_of(run)
    evaluations = [_evaluation(name) for name in names]
    with Progress(console=console, transient=True) as progress:
        positions = settings.shuffled(progress)
    judged, some = positions.held_out(), positions.some(SCALED_BY)
    expected, wanted = (positions.expected(boards, settings.result_weight) for boards in (judged, some))
    table = Table("evaluation", "scale (cp)", "mean squared error", "cross-entropy (nats)")
    table.title = f"expected score of {len(judged):,} positions of games held out"
    even = np.zeros(len(judged))
    rows = [("0", even, np.nan)]
    for name, evaluation in zip(names, evaluations, strict=True):
        scale = fit_scale(values_of(evaluation, some), wanted)
        rows.append((name, values_of(evaluation, judged) / scale, scale))
    for name, log_odds, scale in rows:
        error = float(np.mean((expit(log_odds) - expected) ** 2))
        shown = "" if np.isnan(scale) else f"{scale:.0f}"
        table.add_row(name, shown, f"{error:.6f}", f"{logistic_loss(log_odds, expected):.6f}")
    console.print(table)
