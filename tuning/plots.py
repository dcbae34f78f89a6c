"""Pictures of results: how a match went, where a rating list stands, how a tuning run moves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tuning.elo import estimate
from tuning.errors import SetupError
from tuning.ratings import RatingList
from tuning.tally import Encounter
from tuning.tournament import Tournament

matplotlib.use("Agg")

COLOR = "#2b6ca3"
HIGHLIGHT = "#c44536"


def check(path: Path) -> None:
    """Raise :class:`SetupError` if no picture can be written to ``path``, before the work that is to be drawn."""
    known = sorted(FigureCanvasAgg.get_supported_filetypes())
    if path.suffix.lower().removeprefix(".") not in known:
        raise SetupError(f"cannot draw {path}: the end of its name is none of .{', .'.join(known)}")
    if path.is_dir():
        raise SetupError(f"cannot draw {path}: it is a directory")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"cannot draw {path}: {path.parent}: {error.strerror}") from None


def save(figure: Figure, path: Path) -> None:
    """Write a picture; the suffix says the format. Raises :class:`SetupError` when that cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150, bbox_inches="tight")
    except (OSError, ValueError) as error:
        raise SetupError(f"cannot draw {path}: {error}") from None


def plot_tournament(tournament: Tournament, path: Path, ratings: RatingList | None = None) -> None:
    """A match as Elo (and, with SPRT, the log-likelihood ratio) over its pairs; more engines as a rating list."""
    if ratings is not None:
        save(rating_figure(ratings, tournament.settings.engines[0].name), path)
    else:
        encounter = next(iter(tournament.tally.encounters.values()))
        save(match_figure(encounter, tournament), path)


def rating_figure(ratings: RatingList, highlight: str | None = None) -> Figure:
    """Every engine's rating with its 95% error bar, the best on top; without one if the games do not tell it."""
    rows = list(reversed(ratings.ratings))
    figure = Figure(figsize=(8, 1.2 + 0.4 * len(rows)))
    axes = figure.subplots()
    for place, rating in enumerate(rows):
        color = HIGHLIGHT if rating.name == highlight else COLOR
        axes.errorbar(rating.elo, place, xerr=rating.error, fmt="o", color=color, capsize=4)
        axes.annotate(f"{rating.elo:+.0f}", (rating.elo, place), (0, 6), textcoords="offset points", ha="center")
    axes.set_yticks(range(len(rows)), [rating.name for rating in rows])
    axes.set_ylim(-0.6, len(rows) - 0.3)
    axes.set_xlabel("Elo, 95% error bars" + (" (clean scores: the extremes are bounds)" if ratings.softened else ""))
    axes.grid(axis="x", alpha=0.3)
    return figure


def match_figure(encounter: Encounter, tournament: Tournament) -> Figure:
    """How the estimate settled: Elo with its 95% band over finished pairs; below it the test, if there is one."""
    test = tournament.settings.sprt
    figure = Figure(figsize=(8, 7 if test else 4))
    panels = figure.subplots(2 if test else 1, 1, squeeze=False)[:, 0]
    _draw_elo(panels[0], tournament.points_history)
    panels[0].set_title(f"{encounter.first} against {encounter.second}")
    if test is not None:
        history = tournament.llr_history
        panels[1].plot(range(1, len(history) + 1), history, color=COLOR)
        for bound, label in ((test.lower, f"H0: {test.elo0:g}"), (test.upper, f"H1: {test.elo1:g}")):
            panels[1].axhline(bound, color=HIGHLIGHT, linestyle="--")
            panels[1].annotate(label, (0, bound), (3, 3), textcoords="offset points")
        panels[1].set_xlabel("pairs")
        panels[1].set_ylabel(f"log-likelihood ratio ({test.model})")
        panels[1].grid(alpha=0.3)
    return figure


def _draw_elo(axes: Axes, points: Sequence[int]) -> None:
    counts = [0, 0, 0, 0, 0]
    places, middle, low, high = [], [], [], []
    for number, category in enumerate(points, start=1):
        counts[category] += 1
        found = estimate(counts)
        if found is None or found.elo_low is None or found.elo_high is None:
            continue  # too few pairs
        if all(map(math.isfinite, (found.elo, found.elo_low, found.elo_high))):
            places.append(number)
            middle.append(found.elo)
            low.append(found.elo_low)
            high.append(found.elo_high)
    axes.plot(places, middle, color=COLOR)
    axes.fill_between(places, low, high, color=COLOR, alpha=0.2, linewidth=0)
    axes.axhline(0, color="black", linewidth=0.8)
    if middle:
        reach = max(20.0, 2 * (high[-1] - low[-1]))
        axes.set_ylim(middle[-1] - reach, middle[-1] + reach)
    axes.set_xlabel("pairs")
    axes.set_ylabel("Elo with 95% interval")
    axes.grid(alpha=0.3)


def trajectory_figure(
    history: Mapping[str, Sequence[float]], bounds: Mapping[str, tuple[float, float]], defaults: Mapping[str, float]
) -> Figure:
    """Each parameter's way through a tuning run, a panel each, its default dashed."""
    columns = min(3, len(history))
    rows = -(-len(history) // columns)
    figure = Figure(figsize=(4 * columns, 2.4 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).flat
    for axes, (name, values) in zip(panels, history.items(), strict=False):
        axes.plot(range(1, len(values) + 1), values, color=COLOR)
        axes.axhline(defaults[name], color="black", linestyle="--", linewidth=0.8)
        spread = max(abs(value - defaults[name]) for value in values) * 1.3 or 1.0
        low, high = bounds[name]
        axes.set_ylim(max(low, defaults[name] - spread), min(high, defaults[name] + spread))
        axes.set_title(name, fontsize=9)
        axes.grid(alpha=0.3)
    for axes in list(panels):
        axes.set_visible(False)
    return figure


def suite_figure(times: Mapping[str, Sequence[float]], total: int, limit_text: str) -> Figure:
    """Positions solved over time, one curve for each engine."""
    figure = Figure(figsize=(8, 4.5))
    axes = figure.subplots()
    for name, solved in times.items():
        steps = sorted(max(moment, 1e-3) for moment in solved)
        axes.step([1e-3, *steps], range(len(steps) + 1), where="post", label=f"{name}: {len(steps)}")
    axes.set_xscale("log")
    axes.set_ylim(0, total)
    axes.set_xlabel(f"seconds to the solution ({limit_text})")
    axes.set_ylabel(f"solved of {total}")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def loss_figure(history: Sequence[Mapping[str, float]], step: str = "epoch") -> Figure:
    """Training and validation loss over the epochs, or whatever ``step`` counts."""
    figure = Figure(figsize=(8, 4.5))
    axes = figure.subplots()
    steps = [entry[step] for entry in history]
    axes.plot(steps, [entry["train"] for entry in history], color=COLOR, label="train", marker=".")
    axes.plot(steps, [entry["validation"] for entry in history], color=HIGHLIGHT, label="validation", marker=".")
    axes.set_xlabel(step)
    axes.set_ylabel("loss")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure
