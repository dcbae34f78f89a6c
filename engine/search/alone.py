"""Iterative deepening in one compiled call, when nobody has to be told of each iteration.

Between compiled calls a thread needs the interpreter's lock, which only one thread at a time can have, and Python code
whose memory the search has just pushed out of the caches. The main thread goes through both after each window, because
it reports. Helpers report nothing; nor does the main thread in the first moments of a search under a clock.
"""

from __future__ import annotations

from typing import Any

from numba import int64, types

from engine.board.aliases import Depth
from engine.board.aliases import Worker as WorkerRecord
from engine.board.types import I64
from engine.jit import clock_ticks, kernel, record_type, structure
from engine.search.deepening import ABORTED, UNLIMITED, search_iteration
from engine.search.state import LINE, NEVER, WORKER_T

#: What was found: the line of the last iteration, and that iteration's depth. Depth 0: nothing.
FOUND = structure(
    ("depth", "i8"),
    ("line", LINE),
    ("former_move", "i8"),  # what the iteration before the last one chose, 0 for none, and its score
    ("former_score", "i8"),
    ("stable", "i8"),  # iterations for which it had stayed the same then
)

FOUND_T = record_type(FOUND)


@kernel(types.void(WORKER_T, FOUND_T, int64, int64, int64), "the search")
def deepen_alone(worker: WorkerRecord, found: Any, first: Depth, last: Depth, until: int) -> None:
    """Search deeper and deeper from depth ``first`` to ``last``, until the search is aborted, or until an iteration
    ends when the clock shows ``until`` or more (NEVER for no such time).

    The iterations are those of :meth:`engine.search.worker.Worker.deepen` for one line: depth 1 is finished whatever
    number of nodes is allowed, and of an iteration that was broken off only another first move counts.
    """
    allowed = worker.node_limit
    found.depth = 0
    move, score, stable = I64(0), I64(0), I64(0)
    for depth in range(first, last + 1):
        if depth == 1:
            worker.node_limit = UNLIMITED
        outcome = search_iteration(worker, depth, score, move)
        if depth == 1:
            worker.node_limit = min(allowed, worker.node_limit)  # ponderhit may have set one
        if outcome != ABORTED:
            line = worker.iteration.line
            found.depth = depth
            found.line.score = line.score
            found.line.is_bound = line.is_bound
            found.line.seldepth = line.seldepth
            found.line.pv_length = line.pv_length
            for ply in range(line.pv_length):
                found.line.pv[ply] = line.pv[ply]
            found.former_move = move
            found.former_score = score
            found.stable = stable
            stable = stable + 1 if line.pv[0] == move else I64(0)
            move, score = I64(line.pv[0]), line.score
        if worker.aborted != 0 or (until != NEVER and clock_ticks() >= until):
            return
