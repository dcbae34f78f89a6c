"""The classical evaluation as a table: each term for White, Black and together, in middlegame and endgame."""

from typing import Any

import numpy as np

from engine.board.aliases import Position
from engine.evaluation.classical.features import GROUPS, TERMS
from engine.evaluation.classical.pawns import PAWN_TABLE
from engine.evaluation.classical.scaling import SCALE_UNIT
from engine.evaluation.classical.value import traced_value
from engine.evaluation.classical.weights import TRACE, WEIGHTS, TraceRecord, unpack
from engine.evaluation.material import FULL_PHASE
from engine.jit import new_record


def trace_of(position: Position) -> tuple[Any, int]:
    """The trace of ``position``, and its value in centipawns for the side to move."""
    trace = new_record(TRACE)
    return trace, int(traced_value(new_record(PAWN_TABLE), position, trace))


def _by_group(trace: TraceRecord) -> dict[str, np.ndarray]:
    """The values of each group of features, int64 [color][stage] in centipawns from its owner's view."""
    values = unpack(WEIGHTS["value"])  # [stage][feature]
    counts = trace["count"]
    parts = {group.name: slice(group.start, group.start + group.size) for group in GROUPS}
    return {name: counts[:, part] @ values[:, part].T for name, part in parts.items()}


def shares(trace: TraceRecord) -> dict[str, np.ndarray]:
    """The values of each term of the table, int64 [color][stage] in centipawns from its owner's view."""
    by_group = _by_group(trace)
    by_term = {name: np.zeros((2, 2), np.int64) for name in TERMS}
    for group in GROUPS:
        by_term[group.term] += by_group[group.name]
    return by_term


def _stages(trace: TraceRecord, by_term: dict[str, np.ndarray]) -> tuple[int, int]:
    """The phase, and the endgame scale in units of SCALE_UNIT."""
    total = np.sum(list(by_term.values()), axis=0)
    strong = int(total[0, 1] <= total[1, 1])
    scale = int(WEIGHTS["scale"][trace["scale_class"][strong]])
    return min(int(trace["accumulator"]["phase"]), FULL_PHASE), scale


def _tapered(trace: TraceRecord, by_name: dict[str, np.ndarray]) -> dict[str, tuple[int, int]]:
    """White's and Black's share of each term in centipawns at the position's phase, from the owner's view."""
    phase, scale = _stages(trace, shares(trace))
    late = scale / SCALE_UNIT * (FULL_PHASE - phase)
    tapered = {name: np.rint((share @ (phase, late)) / FULL_PHASE).astype(int) for name, share in by_name.items()}
    return {name: (int(white), int(black)) for name, (white, black) in tapered.items()}


def explain(position: Position) -> list[tuple[str, int, int]]:
    """The sum by term: name, White's and Black's share in centipawns at the position's phase, from the owner's view."""
    trace, _ = trace_of(position)
    return [(name, white, black) for name, (white, black) in _tapered(trace, shares(trace)).items()]


def group_shares(position: Position) -> dict[str, tuple[int, int]]:
    """The sum by group of features: each side's share in centipawns at the position's phase, from its own view."""
    trace, _ = trace_of(position)
    return _tapered(trace, _by_group(trace))


def classical_table(position: Position) -> str:
    """The table that ``eval`` prints, in pawns for middlegame and endgame, with the resulting value."""
    trace, value = trace_of(position)
    by_term = shares(trace)
    rule = "-----------+---------------+---------------+--------------"
    lines = [
        "      term |     White     |     Black     |     Total",
        "           |     MG     EG |     MG     EG |     MG     EG",
        rule,
        *(_row(name, share) for name, share in by_term.items()),
        rule,
    ]
    lines.append(_row("sum", np.sum(list(by_term.values()), axis=0)))
    phase, scale = _stages(trace, by_term)
    white_view = value if position["side"] == 0 else -value
    lines.append(
        f"phase {phase} of {FULL_PHASE}, endgame scaled by {scale / SCALE_UNIT:.2f}: "
        f"{white_view / 100:.2f} pawns from White's view"
    )
    return "\n".join(lines)


def _row(name: str, share: np.ndarray) -> str:
    columns = (share[0], share[1], share[0] - share[1])
    return f"{name:>10} | " + " | ".join(" ".join(f"{value / 100:6.2f}" for value in pair) for pair in columns)
