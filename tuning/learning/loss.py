"""How well evaluations predict the outcome of positions that no network was trained on.

The positions were held out by a training run, or come from other games. An evaluation is a value of ``EvalType`` or a
network file. Each gets its best scale, fitted to training positions of the run, or else to the same positions. All are
compared with the same expected scores, on games also with the results.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.progress import BarColumn, Progress, TimeRemainingColumn
from rich.table import Table
from scipy.special import expit

from engine.console import Console, TextColumn
from engine.evaluation.choice import Evaluation, choose
from engine.evaluation.evaluator import KINDS
from engine.evaluation.nnue.file import NetError
from engine.messages import counted
from tuning.common.errors import SetupError
from tuning.data.dataset import SCALE_POSITIONS, QuietRules, common_scale, quiet_positions
from tuning.data.values import values_of
from tuning.data.viriformat import Positions, files_of
from tuning.data.viriformat import read_positions as read_games
from tuning.learning.judge import distance_table, draw, judged, judged_scores
from tuning.learning.logistic import fit_scale
from tuning.learning.recipe import LOG, by_pieces, settings_of

_Row = tuple[str, np.ndarray, float]  # an evaluation's name, its log-odds float64 [position], and its scale


def is_run(folder: Path) -> bool:
    """Whether it is the folder of a training run."""
    return (folder / LOG).exists()


def _evaluation(name: str) -> Evaluation:
    try:
        return choose(name, "") if name in KINDS else choose("NNUE", name)
    except NetError as error:
        raise SetupError(f"{error}; the evaluations are {', '.join(KINDS)} and files of networks") from None


def compare(run: Path, names: Sequence[str], console: Console) -> None:
    """Print a table of losses over the positions that the training ``run`` held out. Raises :class:`SetupError`."""
    settings = settings_of(run)
    evaluations = [_evaluation(name) for name in names]
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        positions = settings.shuffled(progress)
    judged, some = positions.held_out(), positions.some(SCALE_POSITIONS)
    weights = by_pieces(settings.result_weight)
    expected, wanted = (positions.expected(boards, weights) for boards in (judged, some))
    rows: list[_Row] = [("0", np.zeros(len(judged)), np.nan)]
    for name, evaluation in zip(names, evaluations, strict=True):
        scale = fit_scale(values_of(evaluation, some), wanted)
        rows.append((name, values_of(evaluation, judged) / scale, scale))
    console.print(_table(f"expected score of {len(judged):,} positions of games held out", rows, expected))


def compare_on_games(path: Path, names: Sequence[str], console: Console) -> None:
    """Print tables of losses over all quiet positions of a folder of games, or of a file in viriformat.

    Scores of deep searches (:mod:`tuning.relabel`) do not favour the network that played, but include tactics that a
    search finds anyway, so matches decide. Results need thousands of games. Raises :class:`SetupError`."""
    evaluations = [_evaluation(name) for name in names]
    quiet = QuietRules()
    positions = quiet_positions(read_games(files_of(path)), quiet)
    if not len(positions):
        raise SetupError(f"{path}: no quiet position with a score in it")
    scale = common_scale(positions.boards)
    open_ = np.abs(positions.boards["score"].astype(np.float64)) <= quiet.decided * scale
    boards, games = positions.boards[open_], positions.games[open_]
    expected = expit(boards["score"].astype(np.float64) / scale)
    results = boards["result"] / 2
    rows: list[_Row] = [("0", np.zeros(len(boards)), np.nan)]
    by_results = rows.copy()
    for name, evaluation in zip(names, evaluations, strict=True):
        values = values_of(evaluation, boards)
        for table, target in ((rows, expected), (by_results, results)):
            own = fit_scale(values, target)
            table.append((name, values / own, own))
    console.print(_table(f"expected score of {len(boards):,} quiet positions of {path.name}", rows, expected))
    numbers = np.unique(games, return_inverse=True)[1]
    console.print(_table(f"results of {counted(numbers.max() + 1, 'game', form=',')}", by_results, results, numbers))


def compare_with_judge(path: Path, names: Sequence[str], command: str, count: int, console: Console) -> None:
    """Print how far the evaluations, and the positions' own scores and results, are from the static values of the
    engine ``command``, over ``count`` quiet positions of games or of a text file. Raises :class:`SetupError`."""
    evaluations = [_evaluation(name) for name in names]
    with Progress(console=console, transient=True) as progress:
        drawn = draw(path, progress)
    values = np.array([values_of(evaluation, drawn.boards) for evaluation in evaluations])
    positions = Positions(drawn.boards[:count], drawn.games[:count])
    judge = judged_scores(judged(positions.boards, command), values[0, :count])
    console.print(distance_table(names, values[:, :count], judge, positions, np.abs(values).mean(axis=1)))


def _table(title: str, rows: Sequence[_Row], target: np.ndarray, games: np.ndarray | None = None) -> Table:
    """The losses of the rows, and how much larger each is than that of the first evaluation: paired differences are
    more precise. The loss is the squared error; with ``games``, the numbers of the games, it is the cross-entropy, with
    the standard error over games, because positions of one game are not independent."""
    columns = ["cross-entropy (nats)"] if games is not None else ["mean squared error", "cross-entropy (nats)"]
    columns.insert(1, "more than the first")
    table = Table("evaluation", "scale (cp)", *columns, title=title)
    table.columns[3].no_wrap = True
    first = None
    for name, log_odds, scale in rows:
        entropies = np.logaddexp(0, log_odds) - target * log_odds
        losses = (expit(log_odds) - target) ** 2 if games is None else entropies
        shown, more = ("", "") if np.isnan(scale) else (f"{scale:.0f}", "")
        if first is not None:
            apart = losses - first
            sums = apart - apart.mean() if games is None else np.bincount(games, apart - apart.mean())
            more = f"{apart.mean():+.6f} ± {math.sqrt(np.sum(sums**2)) / len(apart):.6f}"
        elif not np.isnan(scale):
            first = losses
        row = [name, shown, f"{losses.mean():.6f}", more, f"{entropies.mean():.6f}"]
        table.add_row(*row[: len(table.columns)])
    return table
