"""Quiescence search: play out captures and promotions before trusting the evaluation."""

from engine.board.aliases import Ply, Score
from engine.board.moves import is_promotion, target_of
from engine.board.see import SEE_VALUES, see_ge
from engine.board.types import I64, ZERO
from engine.evaluation.evaluator import evaluate
from engine.jit import CHECKED, inlined, int64, kernel
from engine.search.correction import corrected_eval
from engine.search.do_move import do_move, extend_pv, undo_move
from engine.search.history import capture_history, captured_type
from engine.search.movepick import next_noisy, start_picking_noisy
from engine.search.node import enter_node, look_up, raise_to_draw, score_by_rule, should_abort
from engine.search.scores import DECIDED, INFINITY, MAX_PLY, NONE, from_table, mated_in, to_table
from engine.search.state import WORKER_T, WorkerRecord, frame_at, params_of
from engine.search.transposition import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_UPPER,
    TableEntry,
    known_eval,
    settles,
    store,
    table_key,
)

#: Nodes of one quiescence search, more than ordinary positions need; those with many queens or pawns about to promote
#: would otherwise take millions.
QUIESCENCE_NODES = 512


@kernel(int64(WORKER_T, int64, int64, int64))
def qsearch(worker: WorkerRecord, alpha: Score, beta: Score, ply: Ply) -> Score:
    """The value of the position when only captures and promotions are played, or evasions when in check. Fail-soft, as
    :func:`engine.search.alphabeta.search`. Meaningless once ``worker.aborted`` is set."""
    if CHECKED:
        assert -INFINITY <= alpha < beta <= INFINITY
        assert 0 <= ply <= MAX_PLY

    # Step 1. Count the node and check the limits.
    if should_abort(worker):
        return I64(0)
    frame, position = enter_node(worker, ply), worker.position
    is_pv = beta - alpha > 1
    in_check = position.checkers != ZERO

    # Step 2. Draws and the maximum ply.
    score = score_by_rule(worker, ply, in_check)
    if score != NONE:
        return score

    # Step 3. Upcoming repetition: a side that can return to an earlier position has at least a draw.
    alpha = raise_to_draw(position, ply, alpha)
    if alpha >= beta:
        return alpha

    # Step 4. Transposition table: any entry is deep enough here.
    found = look_up(worker, frame)
    if found.hit != 0 and not is_pv:
        score = from_table(found.score, ply, I64(position.rule50))
        if settles(found.bound, score, alpha, beta):
            return score

    # Step 5. Stand pat: declining to capture is nearly always possible, so the evaluation is a lower bound. A table
    # score that bounds it is better still.
    best = -INFINITY
    raw_eval = NONE
    futility_base = -INFINITY
    if not in_check:
        raw_eval = known_eval(found)
        if raw_eval == NONE:
            raw_eval = evaluate(worker.evaluator, position)
        best = corrected_eval(worker, ply, raw_eval)
        if found.hit != 0 and abs(found.score) < DECIDED:
            above, below = found.bound & BOUND_LOWER != 0, found.bound & BOUND_UPPER != 0
            if (above and found.score > best) or (below and found.score < best):
                best = found.score
        if best >= beta or worker.nodes >= worker.quiescence_limit:
            return best
        futility_base = best + params_of(worker).DeltaMargin
    old_alpha = alpha
    alpha = max(alpha, best)

    # Step 6. Captures and promotions, or evasions.
    best_move = I64(0)
    searched = 0
    before, params = frame_at(worker, ply - 1), params_of(worker)
    start_picking_noisy(worker, frame, found.move)
    while True:
        move = next_noisy(worker, frame, ply)
        if move == 0:
            break
        # Step 7. Delta pruning: even winning the piece for free would not reach alpha. Recaptures may win more.
        is_recapture = before.move != 0 and target_of(before.move) == target_of(move)
        if not in_check and not is_promotion(move) and not is_recapture:
            futility_value = futility_base + SEE_VALUES[captured_type(position, move)]
            if futility_value <= alpha:
                best = max(best, futility_value)
                continue

        # Step 8. Static exchange pruning, less strict with a good history.
        if not in_check:
            margin = params.QuiescenceSeeMargin - params.QuiescenceSeeHistory * capture_history(worker, move) // 1024
            if not see_ge(position, move, margin):
                continue

        # Step 9. Search the move.
        searched += 1
        do_move(worker, ply, move)
        score = -qsearch(worker, -beta, -alpha, ply + 1)
        undo_move(worker, move)
        if worker.aborted != 0:
            return I64(0)
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                if is_pv:
                    extend_pv(worker, ply, move)
                if score >= beta:
                    break

        # Step 10. In check, stop after three evasions once one of them does not get mated.
        if in_check and best > -DECIDED and searched >= 3:
            break

    # Step 11. Checkmate.
    if in_check and searched == 0:
        return mated_in(ply)

    # Step 12. Store the result in the transposition table.
    bound = BOUND_LOWER if best >= beta else (BOUND_EXACT if best > old_alpha and is_pv else BOUND_UPPER)
    entry = TableEntry(best_move, to_table(best, ply), raw_eval, I64(0), bound, found.is_pv)
    store(worker.table, table_key(position), entry)
    return best


@inlined
def quiescence_search(worker: WorkerRecord, alpha: Score, beta: Score, ply: Ply) -> Score:
    """Begin a quiescence search of :data:`QUIESCENCE_NODES` nodes; beyond them its nodes only stand pat."""
    worker.quiescence_limit = worker.nodes + QUIESCENCE_NODES
    return qsearch(worker, alpha, beta, ply)
