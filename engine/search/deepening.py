"""Iterative deepening with aspiration windows, compiled: one loop for the engine, its helpers and compiled self-play.

A narrow window around the previous score cuts off more; if the score falls outside, it is widened and the search
repeated. Scores beyond DECIDED jump from one mate or tablebase win to the next, so there the window is open from the
start.

The loop returns to its caller when there is something to report, and continues when called again: its state is in
``worker.deepening``. Each return takes the GIL and runs Python code that has left the processor's caches. So a caller
may ask for silence: for helpers, and in the first moments of a search on the clock."""

from engine.board.aliases import Move, Score
from engine.board.legality import is_legal
from engine.board.make import make_move, unmake_move
from engine.board.movegen import count_moves
from engine.board.types import I64
from engine.evaluation.evaluator import reset
from engine.jit import Array, clock_ticks, inlined, int64, kernel, types
from engine.search.alphabeta import search
from engine.search.node import is_draw
from engine.search.scores import DECIDED, INFINITY, NONE
from engine.search.state import WORKER_T, LineRecord, WorkerRecord, frame_at, params_of
from engine.search.transposition import BOUND_LOWER, BOUND_NONE, probe, table_key

FIRST_WINDOW_DEPTH = 5  # the first depth searched with an aspiration window
MAX_WINDOW_CP = 400  # a failed window wider than this many centipawns is opened completely
UNLIMITED = 1 << 62  # more nodes than any search visits

#: Nodes beyond the limit that the first iteration may visit for each line: more than ordinary positions need, so that
#: the move to play has been searched.
FIRST_ITERATION_NODES = 1000

#: The ``quiet_until`` of a search that reports everything, and of one that reports nothing.
REPORT_ALL, REPORT_NOTHING = 0, (1 << 63) - 1

#: Why :func:`deepen` returns: the search is over, an iteration has new lines, or a window failed.
OVER, ITERATION, FAILED_LOW, FAILED_HIGH = range(4)

#: Other outcomes of a window. An aborted search counts only if it found a new best move.
FINISHED, ABORTED, ABORTED_WITH_MOVE = range(4, 7)


@kernel(types.void(WORKER_T, int64))
def begin_search(worker: WorkerRecord, node_limit: int) -> None:
    """Reset what belongs to the previous search. The caller sets ``position``, ``root`` moves and ``table``, and in
    ``deepening`` the first ``depth``, ``max_depth`` and ``multipv``."""
    worker.node_limit = node_limit
    worker.nodes = 0
    worker.seldepth = 0
    worker.aborted = 0
    worker.null_move_min_ply = 0
    worker.pv_index = 0
    worker.root_is_partial = I64(worker.root_count < count_moves(worker.position))
    progress = worker.deepening
    progress.outcome = FINISHED
    progress.lines_found = 0
    progress.lines_changed = 0
    progress.stable = 0
    progress.drop = 0
    for index in range(worker.root_count):
        worker.root[index].nodes = 0
        progress.lines[index].score = 0
        progress.lines[index].pv_length = 0
    for index in range(len(worker.stack)):
        frame = worker.stack[index]
        frame.continuation_index = 0
        frame.excluded = 0
        frame.reduction = 0
        frame.cutoff_count = 0
        frame.static_eval = NONE


@inlined
def _copy_line(target: LineRecord, source: LineRecord) -> None:
    target.depth = source.depth
    target.seldepth = source.seldepth
    target.score = source.score
    target.bound = source.bound
    target.pv_length = source.pv_length
    for ply in range(source.pv_length):
        target.pv[ply] = source.pv[ply]


@inlined
def _begin_windows(worker: WorkerRecord) -> None:
    """Set the first window for the line at ``pv_index``."""
    progress = worker.deepening
    previous = progress.lines[worker.pv_index]
    progress.delta = params_of(worker).AspirationWindow
    progress.alpha = -INFINITY
    progress.beta = INFINITY
    if progress.depth >= FIRST_WINDOW_DEPTH and abs(previous.score) < DECIDED:
        progress.alpha = previous.score - progress.delta
        progress.beta = previous.score + progress.delta
    progress.line.pv_length = 0
    worker.seldepth = 0


@inlined
def _note_line(worker: WorkerRecord, score: Score, bound: int) -> None:
    """Record the root's principal variation, worth ``score``, as the best line of the windows so far."""
    line, frame = worker.deepening.line, frame_at(worker, 0)
    line.depth = worker.deepening.depth
    line.seldepth = worker.seldepth
    line.score = score
    line.bound = bound
    line.pv_length = frame.pv_length
    for ply in range(frame.pv_length):
        line.pv[ply] = frame.pv[ply]


@inlined
def _best_move(line: LineRecord) -> Move:
    """The first move of ``line``, 0 if it has none."""
    return I64(line.pv[0]) if line.pv_length > 0 else I64(0)


@inlined
def _judge_window(worker: WorkerRecord, score: Score) -> int:
    """The outcome of the window that returned ``score``; after a failure, set the next window."""
    progress = worker.deepening
    alpha, beta, delta = progress.alpha, progress.beta, progress.delta
    if worker.aborted != 0:
        if frame_at(worker, 0).pv_length > 0:
            _note_line(worker, worker.root_score, BOUND_NONE)
        move = _best_move(progress.line)
        changed = move != 0 and move != _best_move(progress.lines[worker.pv_index])
        return I64(ABORTED_WITH_MOVE if changed else ABORTED)
    progress.score = score
    if alpha < score and score < beta:
        _note_line(worker, score, BOUND_NONE)
        return I64(FINISHED)
    progress.delta = delta * 3 // 2 if delta < MAX_WINDOW_CP else INFINITY
    if score <= alpha:
        progress.alpha = max(score - delta, -INFINITY)
        progress.beta = (alpha + beta) // 2
        progress.line.pv_length = 0  # an earlier window's move is not better than alpha after all
        return I64(FAILED_LOW)
    _note_line(worker, score, BOUND_LOWER)
    progress.beta = min(score + delta, INFINITY)
    return I64(FAILED_HIGH)


@inlined
def _search_window(worker: WorkerRecord) -> int:
    """Search the next window of the line at ``pv_index``; return how it ended."""
    progress = worker.deepening
    if progress.outcome != FAILED_LOW and progress.outcome != FAILED_HIGH:
        _begin_windows(worker)
    worker.root_depth = progress.depth
    frame_at(worker, 0).pv_length = 0  # an abort at the first node must not leave the line of an older search
    reset(worker.evaluator, worker.position)
    allowed = worker.node_limit
    extended = allowed + FIRST_ITERATION_NODES * progress.multipv if progress.depth == 1 else allowed
    worker.node_limit = extended
    score = search(worker, progress.alpha, progress.beta, progress.depth, I64(0), I64(0))
    if worker.node_limit == extended:  # ponderhit may have set another
        worker.node_limit = allowed
    progress.outcome = _judge_window(worker, score)
    return progress.outcome


@inlined
def _insert_line(lines: Array[LineRecord], count: int, line: LineRecord) -> None:
    """Insert ``line`` into the ``count`` lines, behind those that are worth as much or more."""
    rank = count
    while rank > 0 and lines[rank - 1].score < line.score:
        _copy_line(lines[rank], lines[rank - 1])
        rank -= 1
    _copy_line(lines[rank], line)


@inlined
def _add_reply(worker: WorkerRecord, line: LineRecord) -> None:
    """Extend a line of one move that does not end the game by the table's reply, so that a GUI can ponder."""
    position, move, found = worker.position, I64(line.pv[0]), frame_at(worker, 0).probe
    make_move(position, move)
    probe(worker.table, table_key(position), found)
    if found.move != 0 and is_legal(position, found.move) and not is_draw(position, I64(1)):
        line.pv[1] = found.move
        line.pv_length = 2
    unmake_move(position, move)


@inlined
def _keep_line(worker: WorkerRecord) -> None:
    """Insert the line into the new ones by score, and exclude its move from the search of the next line."""
    progress = worker.deepening
    line = progress.line
    if line.pv_length == 1:
        _add_reply(worker, line)
    _insert_line(progress.new_lines, progress.lines_found, line)
    progress.lines_found += 1
    place = worker.pv_index
    while worker.root[place].move != line.pv[0]:
        place += 1
    nodes = worker.root[place].nodes
    while place > worker.pv_index:
        worker.root[place].move = worker.root[place - 1].move
        worker.root[place].nodes = worker.root[place - 1].nodes
        place -= 1
    worker.root[place].move = line.pv[0]
    worker.root[place].nodes = nodes


@inlined
def _is_new(lines: Array[LineRecord], count: int, move: Move) -> bool:
    """Whether none of the ``count`` lines begins with ``move``."""
    for rank in range(count):  # noqa: SIM110
        if lines[rank].pv[0] == move:
            return False
    return True


@inlined
def _finish_iteration(worker: WorkerRecord) -> None:
    """Replace the previous lines with the new ones, except where an aborted iteration did not reach a move."""
    progress = worker.deepening
    if progress.lines_found == 0:
        return
    best, previous = progress.new_lines[0], progress.lines[0]
    known = previous.pv_length > 0
    progress.stable = progress.stable + 1 if known and best.pv[0] == previous.pv[0] else I64(0)
    progress.drop = previous.score - best.score if known else I64(0)
    count = progress.lines_found
    for rank in range(progress.multipv):
        line = progress.lines[rank]
        if count < progress.multipv and line.pv_length > 0 and _is_new(progress.new_lines, count, I64(line.pv[0])):
            _insert_line(progress.new_lines, count, line)
            count += 1
    for rank in range(count):
        _copy_line(progress.lines[rank], progress.new_lines[rank])
    progress.lines_found = 0
    progress.lines_changed = 1


@kernel(int64(WORKER_T, int64))
def deepen(worker: WorkerRecord, quiet_until: int) -> int:
    """Search iteration after iteration, until there is something to report and the clock has reached ``quiet_until``.

    Returns ITERATION when ``deepening.lines`` are new, FAILED_LOW or FAILED_HIGH when the window of the only line
    failed (``deepening.score`` then bounds its value), and OVER when the search is over and all is reported,
    the result of an aborted iteration included."""
    progress = worker.deepening
    while progress.depth <= progress.max_depth and worker.aborted == 0:
        outcome = _search_window(worker)
        if outcome == FAILED_LOW or outcome == FAILED_HIGH:
            if progress.multipv == 1 and clock_ticks() >= quiet_until:
                return outcome
            continue
        if outcome != ABORTED:
            _keep_line(worker)
        worker.pv_index += 1
        if worker.aborted == 0 and worker.pv_index < progress.multipv:
            continue
        _finish_iteration(worker)
        worker.pv_index = 0
        progress.depth += 1
        if clock_ticks() >= quiet_until:
            break
    event = ITERATION if progress.lines_changed != 0 else OVER
    progress.lines_changed = 0
    return I64(event)
