"""The lab as one self-contained HTML page: the table, the growth and, for a small game, the tree step by step."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

from engine.lab.measure import EXHAUSTIVE, Row, minimal_leaves
from engine.lab.trace import TreeTrace
from engine.pages import fill

MARK = "<title>Numbat lab</title>"  # a text of every page

THEORY: dict[str, Callable[[float, int], float]] = {
    "b^m (minimax)": lambda b, m: b**m,
    "b^(3m/4) (random order)": lambda b, m: b ** (0.75 * m),
    "b^⌈m/2⌉ + b^⌊m/2⌋ - 1 (perfect order)": minimal_leaves,
}
"""Leaves at m plies with b branches each: of minimax; of alpha-beta in random order, roughly (Russell and Norvig); of
alpha-beta in perfect order, exactly."""

Curve = list[tuple[int, float]]


def measured(rows: Sequence[Row]) -> dict[str, Curve]:
    """Each algorithm's leaves by depth; nodes for the engine, which counts no leaves. UCT's number is fixed."""
    curves: dict[str, Curve] = {}
    for row in rows:
        size = row.nodes if row.leaves is None else row.leaves
        if size and row.how != "estimated":
            curves.setdefault(row.algorithm, []).append((row.depth, size))
    return curves


def bounds(rows: Sequence[Row]) -> dict[str, Curve]:
    """Three theoretical curves for the mean branching factor b = leaves^(1/m) of minimax's deepest tree, if any."""
    whole = [row for row in rows if row.algorithm in EXHAUSTIVE and row.leaves]
    if not whole:
        return {}
    deepest = max(whole, key=lambda row: row.depth)
    b = (deepest.leaves or 1) ** (1 / deepest.depth)
    return {name: [(m, leaves(b, m)) for m in range(1, deepest.depth + 1)] for name, leaves in THEORY.items()}


def render(title: str, rows: Sequence[Row], tree: TreeTrace | None) -> str:
    """The page as HTML. Its URL fragment can preset the controls: ``#search=alpha-beta&step=7``."""
    derived = ("share", "minimal", "branching")
    data = {
        "title": title,
        "rows": [asdict(row) | {name: getattr(row, name) for name in derived} for row in rows],
        "measured": measured(rows),
        "bounds": bounds(rows),
        "tree": tree.as_json() if tree else None,
    }
    return fill("engine.lab", "page.html", data)
