"""Figures of matches and rating lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tuning.common.plots import COLOR, HIGHLIGHT, literal, save
from tuning.matches.tally import Encounter
from tuning.matches.tournament import Tournament
from tuning.statistics.elo import estimate
from tuning.statistics.ratings import RatingList


def plot_tournament(tournament: Tournament, path: Path, ratings: RatingList | None = None) -> None:
    """A match as Elo (and, with SPRT, the log-likelihood ratio) over its pairs; more engines as a rating list."""
    if ratings is not None:
        save(rating_figure(ratings, tournament.settings.engines[0].name), path)
    else:
        encounter = next(iter(tournament.tally.encounters.values()))
        save(match_figure(encounter, tournament), path)


def rating_figure(ratings: RatingList, highlight: str | None = None) -> Figure:
    """Every engine's rating with its 95% error bar (if known), the best on top."""
    rows = list(reversed(ratings.ratings))
    figure = Figure(figsize=(8, 1.2 + 0.4 * len(rows)), layout="constrained")
    axes = figure.subplots()
    for place, rating in enumerate(rows):
        color = HIGHLIGHT if rating.name == highlight else COLOR
        axes.errorbar(rating.elo, place, xerr=rating.error, fmt="o", color=color, capsize=4)
        axes.annotate(f"{rating.elo:+.0f}", (rating.elo, place), (0, 6), textcoords="offset points", ha="center")
    axes.set_yticks(range(len(rows)), [literal(rating.name) for rating in rows])
    axes.set_ylim(-0.6, len(rows) - 0.3)
    axes.set_xlabel("Elo, 95% error bars" + (" (for clean scores the extremes are bounds)" if ratings.softened else ""))
    axes.grid(axis="x", alpha=0.3)
    return figure


def match_figure(encounter: Encounter, tournament: Tournament) -> Figure:
    """Elo with its 95% band over finished pairs; below it the sequential test, if there is one."""
    test = tournament.settings.sprt
    figure = Figure(figsize=(8, 7 if test else 4), layout="constrained")
    panels = figure.subplots(2 if test else 1, 1, squeeze=False)[:, 0]
    _draw_elo(panels[0], tournament.points_history)
    panels[0].set_title(literal(f"{encounter.first} against {encounter.second}"))
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
