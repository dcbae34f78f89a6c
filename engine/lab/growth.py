"""The growth of the trees: leaves against depth, between b^m and Knuth and Moore's minimum."""

from collections.abc import Callable, Sequence

from engine.lab.measure import EXHAUSTIVE, Row, minimal_leaves

THEORY: dict[str, Callable[[float, int], float]] = {
    "b^m (minimax)": lambda b, m: b**m,
    "b^(3m/4) (random order)": lambda b, m: b ** (0.75 * m),
    "b^⌈m/2⌉ + b^⌊m/2⌋ - 1 (perfect order)": minimal_leaves,
}
"""Leaves at m plies with b branches each: all of them; roughly those that alpha-beta visits in random order (Russell
and Norvig); exactly those that it visits in perfect order."""

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
    """The three theoretical curves for the mean branching factor b = leaves^(1/m) of minimax's deepest tree. Empty if
    no exhaustive search was measured."""
    whole = [row for row in rows if row.algorithm in EXHAUSTIVE and row.leaves]
    if not whole:
        return {}
    deepest = max(whole, key=lambda row: row.depth)
    b = (deepest.leaves or 1) ** (1 / deepest.depth)
    return {name: [(m, leaves(b, m)) for m in range(1, deepest.depth + 1)] for name, leaves in THEORY.items()}
