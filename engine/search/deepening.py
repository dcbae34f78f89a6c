"""Iterative deepening within aspiration windows, compiled: the one loop of the engine, of self-play and of the arena.

A narrow window around the last score cuts off more; if the score falls outside, it is widened and the search repeated.
A move that failed high is good at one ply less too, and the sooner that is known the better (A of alphabeta). Scores
beyond DECIDED jump from one mate or table win to the next, so there the window is open from the start.

The engine calls :func:`first_window` and then :func:`next_window` for as long as one fails, because it reports between
them; :func:`deepen` searches one position from depth 1 on in one call.
"""

from numba import int64, types

from engine.board.movegen import ALL_MOVES, generate_moves
from engine.board.types import I64
from engine.jit import helper, kernel
from engine.search.alphabeta import search_root
from engine.search.scores import DECIDED, INFINITY, NONE
from engine.search.state import WORKER_T, frame_at, params_of
from engine.search.transposition import start_generation

#: The first depth that is searched within a window.
FIRST_WINDOW = 5

#: A window that missed by more centipawns than this is opened altogether.
WIDEST_WINDOW = 400

#: More nodes than any search visits.
UNLIMITED = 1 << 62

#: What a window can come to. The last two are the ends of a search that was aborted: with another move than the
#: former iteration's, which then counts, and without.
FINISHED, FAILED_LOW, FAILED_HIGH, BROKEN_OFF, UNFINISHED = range(5)


@kernel(types.void(WORKER_T, int64), "the search")
def begin_search(worker, node_limit):
    """Forget what only concerned the last search; ``position``, ``root`` moves and ``table`` are set by the caller."""
    worker.node_limit = node_limit
    worker.nodes = 0
    worker.seldepth = 0
    worker.aborted = 0
    worker.null_barred_until = 0
    worker.root_first = 0
    for index in range(worker.root_count):
        worker.root[index].nodes = 0
    for index in range(len(worker.stack)):
        frame = worker.stack[index]
        frame.killer[0] = 0
        frame.killer[1] = 0
        frame.moved = 0
        frame.excluded = 0
        frame.reduction = 0
        frame.cutoffs = 0
        frame.static_eval = NONE


@helper
def _begin_iteration(worker, depth, former_score, former_move):
    iteration = worker.iteration
    iteration.depth = depth
    iteration.delta = params_of(worker).AspirationStart
    iteration.alpha = -INFINITY
    iteration.beta = INFINITY
    if depth >= FIRST_WINDOW and abs(former_score) < DECIDED and worker.exact == 0:
        iteration.alpha = former_score - iteration.delta
        iteration.beta = former_score + iteration.delta
    iteration.less = 0
    iteration.former_move = former_move
    iteration.line.pv_length = 0
    worker.seldepth = 0


@helper
def _keep_line(worker, score):
    line, frame = worker.iteration.line, frame_at(worker, 0)
    line.score = score
    line.seldepth = worker.seldepth
    line.pv_length = frame.pv_length
    for ply in range(frame.pv_length):
        line.pv[ply] = frame.pv[ply]


@helper
def _search_window(worker):
    """Search the window of ``worker.iteration``; return what came of it, with the next window set if it failed."""
    iteration = worker.iteration
    alpha, beta, delta = iteration.alpha, iteration.beta, iteration.delta
    score = search_root(worker, alpha, beta, max(iteration.depth - iteration.less, 1))
    if worker.aborted != 0:
        if frame_at(worker, 0).pv_length > 0:
            _keep_line(worker, worker.root_score)
        changed = iteration.line.pv_length > 0 and iteration.line.pv[0] != iteration.former_move
        return I64(BROKEN_OFF if changed else UNFINISHED)
    iteration.score = score
    if alpha < score and score < beta:
        _keep_line(worker, score)
        return I64(FINISHED)
    iteration.delta = delta * 3 // 2 if delta < WIDEST_WINDOW else INFINITY
    if score <= alpha:
        iteration.alpha = max(score - delta, -INFINITY)
        iteration.beta = (alpha + beta) // 2
        iteration.less = 0
        return I64(FAILED_LOW)
    _keep_line(worker, score)
    iteration.beta = min(score + delta, INFINITY)
    iteration.less += params_of(worker).AspirationLess
    return I64(FAILED_HIGH)


@kernel(int64(WORKER_T, int64, int64, int64), "the search")
def first_window(worker, depth, former_score, former_move):
    """Begin an iteration and search its first window; the one before it found ``former_score`` for ``former_move``
    (0: none). Returns what came of it.

    ``iteration.line`` is the iteration's result when it is FINISHED; with FAILED_HIGH and BROKEN_OFF its score is a
    lower bound. ``iteration.score`` bounds the value after a failure.
    """
    _begin_iteration(worker, depth, former_score, former_move)
    return _search_window(worker)


@kernel(int64(WORKER_T), "the search")
def next_window(worker):
    """Search the next window of an iteration, after one that failed; returns as :func:`first_window`."""
    return _search_window(worker)


@helper
def begin_new_search(worker, node_limit):
    """Begin to search all legal moves of ``worker.position``, which has some; the table's entries become older."""
    moves = frame_at(worker, 0).moves
    worker.root_count = generate_moves(worker.position, moves, I64(0), ALL_MOVES)
    for index in range(worker.root_count):
        worker.root[index].move = moves.move[index]
    start_generation(worker.table)
    begin_search(worker, node_limit)


@kernel(types.UniTuple(int64, 2)(WORKER_T, int64, int64, int64), "the search")
def deepen(worker, nodes, hard, last):
    """Search ``worker.position``, which has legal moves: the move to play, and its score.

    No iteration starts after ``nodes`` nodes or depth ``last``, and after ``hard`` nodes one is broken off, but never
    the first. The move is then the best one found, as in the engine; the score is that of the last iteration that was
    finished.
    """
    begin_new_search(worker, hard)
    move, score = I64(0), I64(0)
    for depth in range(1, last + 1):
        worker.node_limit = UNLIMITED if depth == 1 else hard
        _begin_iteration(worker, depth, score, move)
        outcome = _search_window(worker)
        while outcome == FAILED_LOW or outcome == FAILED_HIGH:
            outcome = _search_window(worker)
        line = worker.iteration.line
        if outcome != UNFINISHED:
            move = I64(line.pv[0])
            if outcome == FINISHED:
                score = line.score
        if worker.aborted != 0 or worker.nodes >= nodes:
            break
    return move, score
