"""Iterative deepening within aspiration windows, compiled: one window for each call.

A narrow window around the last score cuts off more; if the score falls outside, it is widened and the search repeated.
A move that failed high is good at one ply less too, and the sooner that is known the better (A of alphabeta). Scores
beyond DECIDED jump from one mate or table win to the next, so there the window is open from the start.

The engine's main thread calls :func:`search_window` for as long as windows fail, because it reports between them;
:func:`search_iteration` does so in compiled code.
"""

from numba import int64, types

from engine.board.aliases import Depth, Move, Score, Worker
from engine.board.types import I64
from engine.evaluation.evaluator import reset
from engine.jit import helper, kernel
from engine.search.alphabeta import search
from engine.search.scores import DECIDED, INFINITY, NONE
from engine.search.state import WORKER_T, frame_at, params_of

#: The first depth that is searched within a window.
FIRST_WINDOW = 5

#: A window that missed by more centipawns than this is opened altogether.
WIDEST_WINDOW = 400

#: More nodes than any search visits.
UNLIMITED = 1 << 62

#: What a window can come to. The last two are the ends of a search that was aborted: with another move than the
#: former iteration's, which then counts, and without.
FINISHED, FAILED_LOW, FAILED_HIGH, ABORTED_WITH_MOVE, ABORTED = range(5)


@kernel(types.void(WORKER_T, int64), "the search")
def begin_search(worker: Worker, node_limit: int) -> None:
    """Forget what only concerned the last search; ``position``, ``root`` moves and ``table`` are set by the caller."""
    worker.node_limit = node_limit
    worker.nodes = 0
    worker.seldepth = 0
    worker.aborted = 0
    worker.null_move_min_ply = 0
    worker.pv_index = 0
    worker.iteration.outcome = FINISHED
    for index in range(worker.root_count):
        worker.root[index].nodes = 0
    for index in range(len(worker.stack)):
        frame = worker.stack[index]
        frame.killer[0] = 0
        frame.killer[1] = 0
        frame.continuation_index = 0
        frame.excluded = 0
        frame.reduction = 0
        frame.cutoff_count = 0
        frame.static_eval = NONE


@helper
def _begin_iteration(worker: Worker, depth: Depth, former_score: Score, former_move: Move) -> None:
    """Set the first window of an iteration."""
    iteration = worker.iteration
    iteration.delta = params_of(worker).AspirationWindow
    iteration.alpha = -INFINITY
    iteration.beta = INFINITY
    if depth >= FIRST_WINDOW and abs(former_score) < DECIDED:
        iteration.alpha = former_score - iteration.delta
        iteration.beta = former_score + iteration.delta
    iteration.fail_high_reduction = 0
    iteration.former_move = former_move
    iteration.line.pv_length = 0
    worker.seldepth = 0


@helper
def _keep_line(worker: Worker, score: Score, is_bound: int) -> None:
    """Keep the root's principal variation, worth ``score`` or, if that is a bound, more, as the iteration's line."""
    line, frame = worker.iteration.line, frame_at(worker, 0)
    line.score = score
    line.is_bound = is_bound
    line.seldepth = worker.seldepth
    line.pv_length = frame.pv_length
    for ply in range(frame.pv_length):
        line.pv[ply] = frame.pv[ply]


@helper
def _judge_window(worker: Worker, score: Score) -> int:
    """What the window of ``worker.iteration`` came to with ``score``; after a failure the next window is set."""
    iteration = worker.iteration
    alpha, beta, delta = iteration.alpha, iteration.beta, iteration.delta
    if worker.aborted != 0:
        if frame_at(worker, 0).pv_length > 0:
            _keep_line(worker, worker.root_score, 0)
        changed = iteration.line.pv_length > 0 and iteration.line.pv[0] != iteration.former_move
        return I64(ABORTED_WITH_MOVE if changed else ABORTED)
    iteration.score = score
    if alpha < score and score < beta:
        _keep_line(worker, score, 0)
        return I64(FINISHED)
    iteration.delta = delta * 3 // 2 if delta < WIDEST_WINDOW else INFINITY
    if score <= alpha:
        iteration.alpha = max(score - delta, -INFINITY)
        iteration.beta = (alpha + beta) // 2
        iteration.fail_high_reduction = 0
        return I64(FAILED_LOW)
    _keep_line(worker, score, 1)
    iteration.beta = min(score + delta, INFINITY)
    iteration.fail_high_reduction += params_of(worker).AspirationFailHighReduction
    return I64(FAILED_HIGH)


@kernel(int64(WORKER_T, int64, int64, int64), "the search")
def search_window(worker: Worker, depth: Depth, former_score: Score, former_move: Move) -> int:
    """Search one window of an iteration: the next one if the last window failed, else the first of a new iteration,
    ``depth`` plies deep, after one that found ``former_score`` for ``former_move`` (0: none).

    Returns what came of it. ``iteration.line`` is the iteration's result when it is FINISHED, and the best so far with
    FAILED_HIGH and ABORTED_WITH_MOVE. ``iteration.score`` bounds the value after a failure.
    """
    iteration = worker.iteration
    if iteration.outcome != FAILED_LOW and iteration.outcome != FAILED_HIGH:
        _begin_iteration(worker, depth, former_score, former_move)
    reduced = max(depth - iteration.fail_high_reduction, 1)
    worker.aborted = 0
    worker.root_depth = reduced
    frame_at(worker, 0).pv_length = 0  # an abort at the very first node must not leave an older search's line
    reset(worker.evaluator, worker.position)
    score = search(worker, iteration.alpha, iteration.beta, reduced, I64(0), I64(0))
    iteration.outcome = _judge_window(worker, score)
    return iteration.outcome


@helper
def search_iteration(worker: Worker, depth: Depth, former_score: Score, former_move: Move) -> int:
    """Search windows as :func:`search_window` does until the iteration is over; returns what came of the last one."""
    outcome = search_window(worker, depth, former_score, former_move)
    while outcome == FAILED_LOW or outcome == FAILED_HIGH:
        outcome = search_window(worker, depth, former_score, former_move)
    return outcome
