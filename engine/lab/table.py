"""The rows as text for the terminal, at most 100 columns wide."""

from collections.abc import Sequence

from engine.lab.measure import ENGINE, EXHAUSTIVE, Row

HEADER = (
    f"{'depth':>5}  {'algorithm':<16} {'nodes':>10} {'leaves':>10} {'of minimax':>10} {'time s':>8} {'branch':>6} "
    f"{'value':>7}  line"
)

LEGEND = """\
of minimax  leaves as a share of minimax's         branch  the effective branching factor, from the nodes
line        counted: the size of the tree, not searched; estimated: by random games (UCT); compiled: the engine, with
            its own evaluation, extensions and quiescence; gave up: over --seconds
+order      this depth alone, ordered by what earlier depths learned
b^ceil(m/2) + b^floor(m/2) - 1 are the leaves that alpha-beta sees of a uniform tree of m plies in perfect order (Knuth
and Moore), where minimax sees b^m."""

#: Added to the legend if an explicit tree is not searched to its leaves.
CUT_OFF = "value       of an inner node at the depth limit: the mean of the leaves below it"

_WIDTH = 100


def line(row: Row) -> str:
    """One row; a dash if nothing was measured."""
    figures = (
        f"{row.depth:>5}  {row.algorithm:<16} {_or_dash(row.nodes, ','):>10} {_or_dash(row.leaves, ','):>10} "
        f"{_or_dash(row.share, '.3%'):>10} {_or_dash(row.seconds, '.4f'):>8} {_or_dash(row.branching, '.2f'):>6} "
        f"{row.value or '-':>7}  "
    )
    words = " ".join(row.line) if row.how == "searched" else f"{row.how}: {' '.join(row.line)}".rstrip(": ")
    room = max(_WIDTH - len(figures), len(row.how))
    if len(words) > room:
        words = words[: room - 1].rpartition(" ")[0] + " …"
    return f"{figures}{words}".rstrip()


def heading(row: Row) -> str:
    """The heading of a depth: the sizes of the whole tree and of the minimal one; empty if they are unknown."""
    if row.whole is None or row.minimal is None:
        return ""
    return f"depth {row.depth}: {row.whole:,} leaves in all, {row.minimal:,.0f} in perfect order"


def summary(rows: Sequence[Row]) -> str:
    """A sentence that names the search with the smallest share of the deepest tree; empty without one."""
    deepest = [row for row in rows if row.depth == rows[-1].depth and row.algorithm != ENGINE]
    shares = {row.algorithm: row.share for row in deepest if row.algorithm not in EXHAUSTIVE and row.share is not None}
    if not shares:
        return ""
    best = min(shares, key=shares.__getitem__)
    also = "" if best == "alpha-beta" or "alpha-beta" not in shares else f", alpha-beta {shares['alpha-beta']:.1%}"
    return f"At depth {rows[-1].depth} {best} sees {shares[best]:.1%} of the leaves that minimax sees{also}."


def _or_dash(number: float | None, form: str) -> str:
    return "-" if number is None else format(number, form)
