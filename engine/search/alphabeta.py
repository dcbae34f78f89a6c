"""The main search: principal variation search over alpha-beta, with what lets it look deeper.

The steps are numbered as the code runs. Every heuristic is named in full, with why it works.
"""

from numba import int64

from engine.board.moves import is_noisy
from engine.board.position import has_pieces
from engine.board.types import I64, U64, ZERO
from engine.evaluation.material import evaluate, refresh_accumulator
from engine.jit import helper, kernel
from engine.search.history import quiet_history, reward_noisy, reward_quiet
from engine.search.line import ascend, ascend_null, descend, descend_null, extend_pv
from engine.search.movepick import next_move, start_picking
from engine.search.quiescence import qsearch
from engine.search.scores import DRAW, INFINITY, MATE, MATE_BOUND, MAX_PLY, NONE, from_table, mated_in, to_table
from engine.search.state import MAX_TRIED, WORKER_T
from engine.search.transposition import BOUND_EXACT, BOUND_LOWER, BOUND_UPPER, probe, store
from engine.search.tunables import tunables
from engine.search.watch import enter_node, is_draw, should_abort


@helper
def _root_index(worker, move):
    """The index of ``move`` among the root moves to search, or -1."""
    for index in range(worker.root_count):
        if worker.root[index].move == move:
            return index
    return -1


@helper
def _reduction(worker, move, depth, number, is_pv, improving, is_quiet):
    """Late move reduction in plies for the ``number``-th move, before bounds."""
    plies = I64(tunables().reduction[U64(min(depth, 63)), U64(min(number, 63))])
    if not is_pv:
        plies += 1024
    if not improving:
        plies += 512
    if is_quiet:
        plies -= 1024 * quiet_history(worker, move) // tunables().ReductionHistory
    else:
        plies -= 1024
    return plies // 1024


@kernel(int64(WORKER_T, int64, int64, int64, int64), "the search")
def search(worker, alpha, beta, depth, ply):
    """The value of ``worker.position`` for the side to move, searched ``depth`` plies deep.

    Contract (fail-soft): a result r <= alpha says the value is at most r, r >= beta that it is at least r,
    anything between is the value; ``worker.stack[ply].pv`` is then the line that proves it. Meaningless once
    ``worker.aborted`` is set. The window is 1 wide except on the principal variation.
    """
    if depth <= 0:
        return qsearch(worker, alpha, beta, ply)

    # Step 1. Count the node, and see whether the search has to end.
    if should_abort(worker):
        return I64(0)
    enter_node(worker, ply)
    position = worker.position
    frame = worker.stack[ply]
    frame.pv_length = 0
    is_pv = beta - alpha > 1
    in_check = position.checkers != ZERO

    if ply > 0:
        # Step 2. Draws, and the deepest line there is room for.
        if is_draw(position, ply):
            return I64(DRAW)
        if ply >= MAX_PLY:
            return I64(DRAW) if in_check else evaluate(frame.accumulator, position)

        # Step 3. Mate-distance pruning: no line from here beats a shorter mate already found.
        alpha = max(alpha, ply - MATE)
        beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha

    # Step 4. Transposition table: a deep enough bound settles the node.
    found = frame.probe
    probe(worker.table, position.key, found)
    table_move = found.move
    if found.found != 0 and not is_pv and found.depth >= depth and position.rule50 < 90:
        score = from_table(found.score, ply)
        if (
            found.bound == BOUND_EXACT
            or (found.bound == BOUND_LOWER and score >= beta)
            or (found.bound == BOUND_UPPER and score <= alpha)
        ):
            return score

    # Step 5. Static evaluation, and whether it got better since our last move.
    static_eval = NONE
    improving = False
    if not in_check:
        static_eval = evaluate(frame.accumulator, position)
        if ply >= 2:
            before = worker.stack[ply - 2].static_eval
            improving = before == NONE or static_eval > before
    frame.static_eval = static_eval
    worker.stack[ply + 2].killer[0] = 0
    worker.stack[ply + 2].killer[1] = 0

    if not is_pv and not in_check and abs(beta) < MATE_BOUND:
        # Step 6. Reverse futility pruning: so far above beta near the leaves that no quiet reply matters.
        margin = tunables().ReverseFutilityMargin * depth
        if improving:
            margin -= tunables().ReverseFutilityImproving
        if depth <= tunables().ReverseFutilityDepth and static_eval - margin >= beta:
            return static_eval

        # Step 7. Null move pruning: if passing still fails high, a real move will too. Without pieces
        # zugzwang makes passing better than any move, so then it is not tried.
        if (
            depth >= 3
            and static_eval >= beta
            and worker.stack[ply - 1].move != 0
            and has_pieces(position, I64(position.side))
        ):
            less = tunables().NullMoveBase + depth // tunables().NullMoveDivisor
            less += min((static_eval - beta) // tunables().NullMoveEvalDivisor, 3)
            descend_null(worker, ply)
            score = -search(worker, -beta, -beta + 1, depth - less, ply + 1)
            ascend_null(worker)
            if worker.aborted != 0:
                return I64(0)
            if score >= beta:
                return beta if score > MATE_BOUND else score

    # Step 8. The moves, best first.
    old_alpha = alpha
    best = -INFINITY
    best_move = I64(0)
    number = 0
    frame.quiet_count = 0
    frame.noisy_count = 0
    start_picking(worker, frame, table_move)
    while True:
        move = next_move(worker, frame)
        if move == 0:
            break
        root_index = -1
        if ply == 0:
            root_index = _root_index(worker, move)
            if root_index < 0:
                continue
        is_quiet = not is_noisy(move)

        # Step 9. Late move pruning: near the leaves, with good ordering, the last quiet moves never help.
        if ply > 0 and best > -MATE_BOUND and is_quiet and not in_check and depth <= tunables().LateMoveDepth:
            enough = tunables().LateMoveBase + depth * depth
            if number >= (enough if improving else enough // 2):
                frame.picker.skip_quiets = 1
                continue

        number += 1
        nodes_before = worker.nodes
        reduction = 0
        if depth >= 3 and number > (3 if is_pv else 2) and not in_check:
            reduction = _reduction(worker, move, depth, number, is_pv, improving, is_quiet)
        descend(worker, ply, move)
        gives_check = position.checkers != ZERO
        new_depth = depth - 1
        if gives_check and is_pv:
            new_depth += 1

        # Step 10. Principal variation search: the first move is expected best; the others only have to be
        # shown worse, by a null window, and late ones at less depth (late move reductions).
        score = -INFINITY
        if number == 1:
            score = -search(worker, -beta, -alpha, new_depth, ply + 1)
        else:
            if gives_check:
                reduction -= 1
            reduced = new_depth - max(0, min(reduction, new_depth - 1))
            score = -search(worker, -alpha - 1, -alpha, reduced, ply + 1)
            if score > alpha and reduced < new_depth:
                score = -search(worker, -alpha - 1, -alpha, new_depth, ply + 1)
            if score > alpha and score < beta:
                score = -search(worker, -beta, -alpha, new_depth, ply + 1)
        ascend(worker, move)
        if worker.aborted != 0:
            return I64(0)
        if root_index >= 0:
            worker.root[root_index].nodes += worker.nodes - nodes_before

        # Step 11. A new best move, or one that refutes the move before it.
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                if is_pv:
                    extend_pv(worker, ply, move)
                if ply == 0:
                    worker.root_score = score
                if score >= beta:
                    if is_quiet:
                        reward_quiet(worker, frame, move, depth)
                    else:
                        reward_noisy(worker, frame, move, depth)
                    break
        if is_quiet:
            if frame.quiet_count < MAX_TRIED:
                frame.quiets[frame.quiet_count] = move
                frame.quiet_count += 1
        elif frame.noisy_count < MAX_TRIED:
            frame.noisies[frame.noisy_count] = move
            frame.noisy_count += 1

    # Step 12. No legal move: checkmate or stalemate.
    if number == 0:
        return mated_in(ply) if in_check else I64(DRAW)

    # Step 13. Remember what was learned.
    bound = BOUND_LOWER if best >= beta else (BOUND_EXACT if best > old_alpha else BOUND_UPPER)
    store(worker.table, position.key, best_move, to_table(best, ply), static_eval, depth, bound)
    return best


@kernel(int64(WORKER_T, int64, int64, int64), "the search")
def search_root(worker, alpha, beta, depth):
    """Search ``worker.position`` within the window; the line is in ``worker.stack[0]``.

    Meaningless where ``worker.aborted`` is set afterwards, except that a line found before is a legal one.
    """
    worker.aborted = 0
    refresh_accumulator(worker.stack[0].accumulator, worker.position)
    return search(worker, alpha, beta, depth, I64(0))
