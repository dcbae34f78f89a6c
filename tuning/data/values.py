"""The engine's evaluations of packed positions."""

from typing import Any

import numpy as np

from engine.board.aliases import Position
from engine.board.setup import new_position
from engine.evaluation.choice import Evaluation
from engine.evaluation.evaluator import EVALUATOR, evaluate, reset
from engine.evaluation.records import Evaluator
from engine.jit import new_record
from tuning.common.compiled import compiled
from tuning.common.errors import SetupError
from tuning.data.marlinformat import PackedBoards, unpack


@compiled
def _evaluate_all(boards: PackedBoards, position: Position, evaluator: Evaluator, values: np.ndarray) -> int:
    """Set ``values`` to centipawns from White's view; return the number of positions before the first illegal one."""
    for number in range(len(boards)):
        if unpack(position, boards[number]) == 0:
            return number
        reset(evaluator, position)
        value = evaluate(evaluator, position)
        values[number] = -value if position.side else value
    return len(boards)


def values_of(evaluation: Evaluation, boards: Any) -> np.ndarray:
    """White's centipawns float64 of packed positions. Raises :class:`SetupError` for an illegal position."""
    evaluator = new_record(EVALUATOR)
    evaluation.install(evaluator)
    values = np.empty(len(boards), np.float64)
    count = _evaluate_all(boards, new_position(), evaluator, values)
    if count < len(boards):
        raise SetupError(f"position {count + 1} of {len(boards)} is not legal")
    return values
