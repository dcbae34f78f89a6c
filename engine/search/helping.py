"""The whole search of a helper thread in one compiled call.

Between compiled calls a thread needs the interpreter's lock, which only one thread at a time can have. The main thread
takes it after each window, because it reports; helpers report nothing, so they need it before their search and after.
"""

from __future__ import annotations

from typing import Any

from numba import int64, types

from engine.board.aliases import Depth
from engine.board.aliases import Worker as WorkerRecord
from engine.board.types import I64
from engine.evaluation.choice import Evaluation
from engine.jit import kernel, new_record, record_type, structure
from engine.search.deepening import (
    ABORTED,
    FINISHED,
    UNLIMITED,
    search_iteration,
)
from engine.search.scores import MAX_PLY
from engine.search.state import LINE, WORKER_T
from engine.search.tunables import Parameters
from engine.search.worker import Line, Worker

#: What a helper has found: the line of its last iteration, and that iteration's depth and outcome. Depth 0: nothing.
FOUND = structure(("depth", "i8"), ("outcome", "i8"), ("line", LINE))

FOUND_T = record_type(FOUND)


@kernel(types.void(WORKER_T, FOUND_T, int64, int64), "the search", late=True)
def deepen_alone(worker: WorkerRecord, found: Any, first: Depth, last: Depth) -> None:
    """Search deeper and deeper from depth ``first`` to ``last``, until the search is aborted.

    The iterations are those of :meth:`engine.search.worker.Worker.deepen` for one line: depth 1 is finished whatever
    number of nodes is allowed, and of an iteration that was broken off only another first move counts.
    """
    allowed = worker.node_limit
    found.depth = 0
    move, score = I64(0), I64(0)
    for depth in range(first, last + 1):
        if depth == 1:
            worker.node_limit = UNLIMITED
        outcome = search_iteration(worker, depth, score, move)
        if depth == 1:
            worker.node_limit = min(allowed, worker.node_limit)  # ponderhit may have set one
        if outcome != ABORTED:
            line = worker.iteration.line
            found.depth = depth
            found.outcome = outcome
            found.line.score = line.score
            found.line.seldepth = line.seldepth
            found.line.pv_length = line.pv_length
            for ply in range(line.pv_length):
                found.line.pv[ply] = line.pv[ply]
            move, score = I64(line.pv[0]), line.score
        if worker.aborted != 0:
            return


class Helper(Worker):
    """A worker that searches in one compiled call, and has its line when that is over."""

    def __init__(self, control_address: int, evaluation: Evaluation, parameters: Parameters) -> None:
        super().__init__(control_address, evaluation, parameters)
        self._found: Any = new_record(FOUND)

    def touch(self) -> None:
        """Have memory and the compiled code ready, so that no search waits for them. Forgets everything."""
        super().touch()
        deepen_alone(self.record, self._found, 1, 0)

    def help(self, first: int, last: int) -> None:
        """Search from depth ``first`` to ``last``, after :meth:`prepare`; at the end ``lines`` has what was found."""
        found = self._found
        deepen_alone(self.record, found, first, min(last, MAX_PLY - 1))
        line, depth = found["line"], int(found["depth"])
        if depth:
            moves = line["pv"][: int(line["pv_length"])].tolist()
            bound = "" if found["outcome"] == FINISHED else "lowerbound"
            self.lines = [Line(depth, int(line["seldepth"]), int(line["score"]), moves, bound)]
