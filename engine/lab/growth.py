"""Plots the growth of the trees: leaves against depth, between b^m and Knuth and Moore's minimum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.lab.games import LabError
from engine.lab.measure import EXHAUSTIVE, Row, minimal_leaves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

THEORY: dict[str, Callable[[float, int], float]] = {
    "b^m (minimax)": lambda b, m: b**m,
    "b^(3m/4) (random order)": lambda b, m: b ** (0.75 * m),
    "b^⌈m/2⌉ + b^⌊m/2⌋ - 1 (perfect order)": minimal_leaves,
}
"""Leaves at m plies with b branches each: all of them; roughly those that alpha-beta visits in random order (Russell
and Norvig); exactly those that it visits in perfect order."""

_COLOURS = (*(f"C{number}" for number in range(10)), "black", "navy")
_MARKERS = "os^vD<>pP*X"
"""Colours and markers of the curves: more combinations than there are algorithms."""

Curve = list[tuple[int, float]]


def measured(rows: Sequence[Row]) -> dict[str, Curve]:
    """Each algorithm's leaves by depth; for the engine, which counts no leaves, its nodes. UCT is left out: its number
    of games is fixed."""
    curves: dict[str, Curve] = {}
    for row in rows:
        size = row.nodes if row.leaves is None else row.leaves
        if size and row.how != "estimated":
            curves.setdefault(row.algorithm, []).append((row.depth, size))
    return curves


def bounds(rows: Sequence[Row]) -> dict[str, Curve]:
    """The three theoretical curves for the mean branching factor b = leaves^(1/m) of minimax's deepest tree.

    Empty if no exhaustive search was measured.
    """
    whole = [row for row in rows if row.algorithm in EXHAUSTIVE and row.leaves]
    if not whole:
        return {}
    deepest = max(whole, key=lambda row: row.depth)
    b = (deepest.leaves or 1) ** (1 / deepest.depth)
    return {name: [(m, leaves(b, m)) for m in range(1, deepest.depth + 1)] for name, leaves in THEORY.items()}


def plot(rows: Sequence[Row], title: str, path: Path) -> None:
    """Draw the curves into ``path``; its ending chooses the format.

    Raises :class:`LabError` without matplotlib.
    """
    require_matplotlib()
    drawing(rows, title).savefig(path, dpi=150)


def drawing(rows: Sequence[Row], title: str) -> Figure:
    """The curves as a matplotlib figure. Each has its own colour and a hollow marker, so that curves which coincide
    remain distinguishable."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(9, 6), layout="constrained")
    axes = figure.subplots()
    for (name, curve), style in zip(bounds(rows).items(), ("-", "--", ":"), strict=False):
        axes.plot(*zip(*curve, strict=True), style, color="0.6", label=name)
    for number, (name, curve) in enumerate(measured(rows).items()):
        (drawn,) = axes.plot(*zip(*curve, strict=True), "-", linewidth=1.4, markerfacecolor="none", label=name)
        drawn.set(color=_COLOURS[number % len(_COLOURS)], marker=_MARKERS[number % len(_MARKERS)])
        drawn.set_markersize(5 + number % 4)
    axes.set(yscale="log", xlabel="depth m (plies)", ylabel="leaves (Numbat: nodes)", title=title)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return figure


def require_matplotlib() -> None:
    """Raise :class:`LabError` with installation instructions if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise LabError("--plot needs matplotlib: pip install 'numbat-chess[tuning]'") from None


def check_format(path: Path) -> None:
    """Raise :class:`LabError` if matplotlib cannot write the format that the suffix of ``path`` names."""
    from matplotlib.figure import Figure

    formats = Figure().canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in formats:
        raise LabError(f"cannot draw '{path}': its name must end in one of {', '.join(sorted(formats))}")
