"""Figures of training: losses, and the parameters of a tuning run over time."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from engine.search.parameters import Tunable
from tuning.common.plots import COLOR, HIGHLIGHT

MAX_THREE_COLUMN_PANELS = 12  # parameters that fit into three columns


def trajectory_figure(history: Mapping[str, Sequence[float]], tunables: Sequence[Tunable]) -> Figure:
    """The values of each parameter in a tuning run, one panel each, with the default dashed."""
    columns = min(3 if len(history) <= MAX_THREE_COLUMN_PANELS else 6, len(history))
    rows = -(-len(history) // columns)
    width, height = 4 * columns, 2.4 * rows
    # Fixed margins: to measure all labels takes longer than to draw them.
    figure = Figure(figsize=(width, height), dpi=100)
    figure.subplots_adjust(
        left=0.6 / width, right=1 - 0.1 / width, bottom=0.3 / height, top=1 - 0.3 / height, wspace=0.2, hspace=0.4
    )
    panels = figure.subplots(rows, columns, squeeze=False).flat
    for tunable, axes in zip(tunables, panels, strict=False):  # in this order, or a panel is lost
        values, default = history[tunable.name], tunable.default
        axes.plot(range(1, len(values) + 1), values, color=COLOR)
        axes.axhline(default, color="black", linestyle="--", linewidth=0.8)
        spread = max(abs(value - default) for value in values) * 1.3 or 1.0
        axes.set_ylim(max(tunable.minimum, default - spread), min(tunable.maximum, default + spread))
        axes.set_title(tunable.name, fontsize=9)
        axes.locator_params(nbins=4)
        axes.grid(alpha=0.3)
    for axes in list(panels):
        axes.set_visible(False)
    return figure


def loss_figure(history: Sequence[Mapping[str, float]]) -> Figure:
    """Training and validation loss over the positions seen."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    steps = [entry["seen"] for entry in history]
    axes.plot(steps, [entry["train"] for entry in history], color=COLOR, label="train", marker=".")
    axes.plot(steps, [entry["validation"] for entry in history], color=HIGHLIGHT, label="validation", marker=".")
    axes.set_xlabel("seen")
    axes.set_ylabel("loss")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure
