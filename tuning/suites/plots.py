"""The figure of a suite: positions solved over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from tuning.common.plots import literal


def suite_figure(times: Mapping[str, Sequence[float]], total: int, limit_text: str) -> Figure:
    """Positions solved over time, one curve for each engine."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, solved in times.items():
        steps = sorted(max(moment, 1e-3) for moment in solved)
        axes.step([1e-3, *steps], range(len(steps) + 1), where="post", label=literal(f"{name}: {len(steps)}"))
    axes.set_xscale("log")
    axes.set_ylim(0, total)
    axes.set_xlabel(f"seconds to the solution ({limit_text})")
    axes.set_ylabel(f"solved of {total}")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure
