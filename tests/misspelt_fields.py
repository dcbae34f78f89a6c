"""Misspelt fields of records, for mypy: it reports a `type: ignore` without an error, so each of these must be one."""

from engine.board.aliases import Position
from engine.evaluation.records import Evaluator
from engine.search.parameters import ParametersRecord
from engine.search.state import WorkerRecord


def misspelt(
    position: Position, worker: WorkerRecord, params: ParametersRecord, evaluator: Evaluator
) -> tuple[object, ...]:
    """Read a field of each record by a name that it does not have."""
    return (
        position.pined_straight,  # type: ignore[attr-defined]
        worker.pawn_corection,  # type: ignore[attr-defined]
        params.WonPli,  # type: ignore[attr-defined]
        evaluator.sort,  # type: ignore[attr-defined]
    )
