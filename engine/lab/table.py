"""The rows as text for the terminal."""

from engine.lab.measure import Row

HEADER = (
    f"{'depth':>5}  {'algorithm':<17} {'nodes':>13} {'leaves':>13} {'b^m':>13} {'minimal':>10} {'of minimax':>10} "
    f"{'time s':>9} {'branching':>9} {'value':>8}  {'how':<9}  line"
)

LEGEND = """\
b^m         minimax's leaves, m being the depth       minimal    b^ceil(m/2) + b^floor(m/2) - 1, what alpha-beta sees
            of a uniform tree in perfect order (Knuth and Moore)
of minimax  leaves as a share of minimax's         branching  the effective branching factor, from the nodes
how         searched; counted: the size of the tree, not searched; estimated: by random games (UCT); compiled: the
            engine, with its own evaluation, extensions and quiescence; gave up: over --seconds
+order      this depth alone, ordered by what earlier depths learned"""

#: Added to the legend if an explicit tree is not searched to its leaves.
CUT_OFF = "value       of an inner node at the depth limit: the mean of the leaves below it"


def line(row: Row) -> str:
    """One row; a dash if nothing was measured."""
    return (
        f"{row.depth:>5}  {row.algorithm:<17} {_or_dash(row.nodes, ','):>13} {_or_dash(row.leaves, ','):>13} "
        f"{_or_dash(row.whole, ','):>13} {_or_dash(row.minimal, ',.0f'):>10} "
        f"{_or_dash(row.share, '.3%'):>10} {_or_dash(row.seconds, '.4f'):>9} {_or_dash(row.branching, '.2f'):>9} "
        f"{row.value or '-':>8}  {row.how:<9}  {' '.join(row.line)}"
    ).rstrip()


def _or_dash(number: float | None, form: str) -> str:
    return "-" if number is None else format(number, form)
