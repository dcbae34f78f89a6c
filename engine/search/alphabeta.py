"""The main search: principal variation search over alpha-beta, with what lets it look deeper.

The steps are numbered as the code runs. Every heuristic is named in full, with why it works and, in brackets, what
the search lost in Elo without it (300 games at 12,000 nodes a move, each about ± 35: see ``tuning/RESULTS.md``). The
letters A and B mark what was tested in two bundles: +25 ± 36 and +20 ± 37 (at 10,000 nodes a move).
"""

from numba import int64

from engine.board.cycles import has_upcoming_repetition
from engine.board.legality import is_legal
from engine.board.movegen import count_moves
from engine.board.moves import is_noisy, is_promotion
from engine.board.position import has_pieces
from engine.board.see import SEE_VALUES, see_ge
from engine.board.types import I64, ZERO
from engine.evaluation.evaluator import evaluate, reset
from engine.jit import helper, kernel
from engine.search.checks import checks_directly, find_checking_squares
from engine.search.correction import corrected_eval, learn_correction
from engine.search.history import (
    capture_history,
    captured_type,
    find_threats,
    reward_cutoff,
    reward_noisy,
    reward_parent,
    reward_quiet,
)
from engine.search.line import ascend, ascend_null, descend, descend_null, extend_pv
from engine.search.movepick import next_move, next_noisy, restart_picking, start_picking, start_picking_noisy
from engine.search.quiescence import qsearch
from engine.search.reductions import late_move_reduction
from engine.search.scores import (
    DECIDED,
    DRAW,
    INFINITY,
    MATE,
    MATE_BOUND,
    MAX_PLY,
    NONE,
    from_table,
    mated_in,
    to_table,
)
from engine.search.state import MAX_TRIED, WORKER_T, frame_at, params_of
from engine.search.tables import EXTRA_DEPTH, UNKNOWN, look_up, outcome_score
from engine.search.transposition import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_NONE,
    BOUND_UPPER,
    known_eval,
    probe,
    store,
    table_key,
)
from engine.search.watch import enter_node, is_draw, should_abort


@helper
def _root_index(worker, move):
    """The index of ``move`` among the root moves to search, or -1."""
    for index in range(worker.root_first, worker.root_count):
        if worker.root[index].move == move:
            return index
    return -1


@helper
def _is_improving(worker, ply, static_eval):
    """Whether the side to move stands better than at its last turn: then fewer moves may be given up early."""
    before = frame_at(worker, ply - 2).static_eval
    if before == NONE:
        before = frame_at(worker, ply - 4).static_eval
    return before == NONE or static_eval > before


@helper
def _settles(bound, score, alpha, beta):
    """Whether a stored ``score`` of this ``bound`` decides a node with this window."""
    return bound == BOUND_EXACT or (bound == BOUND_LOWER and score >= beta) or (bound == BOUND_UPPER and score <= alpha)


@helper
def _remember_tried(frame, move, is_quiet):
    """Note a move that did not cut off, to be blamed if another one does."""
    if is_quiet:
        if frame.quiet_count < MAX_TRIED:
            frame.quiets[frame.quiet_count] = move
            frame.quiet_count += 1
    elif frame.noisy_count < MAX_TRIED:
        frame.noisies[frame.noisy_count] = move
        frame.noisy_count += 1


@helper
def _in_hindsight(worker, ply, depth, static_eval):
    """``depth`` set right by what the move that led here did to the static evaluation: after a large reduction one ply
    more if it did not help the side to move, one less after any if that side has gained much ("hindsight", as in
    Stockfish; B)."""
    before = frame_at(worker, ply - 1)
    if static_eval == NONE or before.static_eval == NONE:
        return depth
    gain = static_eval + before.static_eval  # of the side to move
    if before.reduction >= 3 and gain <= 0:
        return depth + 1
    if before.reduction >= 1 and depth >= 2 and gain > params_of(worker).HindsightMargin:
        return depth - 1
    return depth


@helper
def _leaf_value(worker, ply):
    """The value at depth 0 of an exact search: draws and mates by rule, else the static evaluation."""
    position = worker.position
    if count_moves(position) == 0:
        return mated_in(ply) if position.checkers != ZERO else I64(DRAW)
    if ply > 0 and is_draw(position, ply):
        return I64(DRAW)
    return evaluate(worker.evaluator, position)


@kernel(int64(WORKER_T, int64, int64, int64, int64, int64), "the search")
def search(worker, alpha, beta, depth, ply, cut_node):
    """The value of ``worker.position`` for the side to move, searched ``depth`` plies deep.

    Contract (fail-soft): a result r <= alpha says the value is at most r, r >= beta that it is at least r,
    anything between is the value; the line that proves it is then in the frame of ``ply``. Meaningless once
    ``worker.aborted`` is set. The window is 1 wide except on the principal variation; ``cut_node`` is 1 where
    a fail-high is expected.
    """
    exact = worker.exact != 0
    if depth <= 0 and not exact:
        return qsearch(worker, alpha, beta, ply)

    # Step 1. Count the node, and see whether the search has to end.
    if should_abort(worker):
        return I64(0)
    enter_node(worker, ply)
    position, params = worker.position, params_of(worker)
    frame = frame_at(worker, ply)
    frame.pv_length = 0
    excluded = frame.excluded
    is_pv = beta - alpha > 1
    in_check = position.checkers != ZERO
    if exact and depth <= 0:
        return _leaf_value(worker, ply)

    if ply > 0:
        # Step 2. Draws, and the deepest line there is room for.
        if is_draw(position, ply):
            return I64(DRAW)
        if ply >= MAX_PLY:
            return I64(DRAW) if in_check else evaluate(worker.evaluator, position)

        # Upcoming repetition: a side that can bring back an earlier position has a draw in hand at least.
        if (
            not exact
            and params.UpcomingRepetition != 0
            and alpha < DRAW
            and excluded == 0
            and has_upcoming_repetition(position, ply)
        ):
            alpha = I64(DRAW)
            if alpha >= beta:
                return alpha

        # Step 3. Mate-distance pruning: no line from here beats a shorter mate already found.
        if not exact:
            alpha = max(alpha, ply - MATE)
            beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha

    # Step 4. Transposition table: a deep enough bound settles the node. Far from the leaves only one of the kind that
    # is expected here, a fail-high at a cut node: the other kind says that the line above needs another look (B).
    found = frame.probe
    probe(worker.table, table_key(position), found)
    tt_move = found.move
    # With several lines wanted, the table's root move is that of the first line. Its entry stays: what the best of the
    # rest is worth is not what the position is worth.
    is_later_line = ply == 0 and worker.root_first > 0
    if is_later_line:
        tt_move = I64(worker.root[worker.root_first].move)
    tt_depth = found.depth if found.found != 0 else -1
    tt_bound = found.bound
    tt_score = from_table(found.score, ply, I64(position.rule50)) if found.found != 0 else NONE
    tt_pv = is_pv or found.is_pv != 0
    if (
        not is_pv
        and not exact
        and excluded == 0
        and tt_depth >= depth
        and _settles(tt_bound, tt_score, alpha, beta)
        and (params.CutoffAgreement == 0 or depth <= 5 or (cut_node != 0) == (tt_score >= beta))
    ):
        if (
            params.CutoffHistory != 0
            and tt_score >= beta
            and tt_move != 0
            and not is_noisy(tt_move)
            and is_legal(position, tt_move)
        ):
            find_threats(worker, ply)
            reward_cutoff(worker, ply, tt_move, depth)
        return tt_score

    # Step 5. Endgame tables: a draw is exact, a win a lower bound (there may be a mate in sight), a loss an upper one.
    # Where that does not settle the node, its value is kept within the bound (14 ± 11 in 400 games at 5,000 nodes a
    # move from endings with five to seven men, by tables for four).
    floor, ceiling = -INFINITY, INFINITY
    if ply > 0 and worker.endgames.men != 0 and not exact and excluded == 0:
        outcome = look_up(worker.endgames, position, depth)
        if outcome != UNKNOWN:
            score = outcome_score(outcome, ply)
            bound = BOUND_LOWER if outcome > 1 else (BOUND_UPPER if outcome < -1 else BOUND_EXACT)
            if _settles(bound, score, alpha, beta):
                deeper = min(depth + EXTRA_DEPTH, MAX_PLY - 1)
                store(worker.table, table_key(position), I64(0), to_table(score, ply), NONE, deeper, bound, I64(tt_pv))
                return score
            if outcome > 1:
                floor = score
                alpha = max(alpha, score)
            else:
                ceiling = score

    # Step 6. Static evaluation: from the table where it is known, corrected by what the search has learned;
    # a table score on the right side of it is better still.
    raw_eval, static_eval, best_eval = NONE, NONE, NONE
    improving = False
    if not in_check:
        if excluded != 0:
            raw_eval = frame.raw_eval
        else:
            raw_eval = known_eval(found)
            if raw_eval == NONE:
                raw_eval = evaluate(worker.evaluator, position)
        static_eval = corrected_eval(worker, ply, raw_eval)
        best_eval = static_eval
        if tt_bound != BOUND_NONE and _settles(tt_bound, tt_score, static_eval, static_eval + 1):
            best_eval = tt_score
        improving = _is_improving(worker, ply, static_eval)
    frame.raw_eval = raw_eval
    frame.static_eval = static_eval
    frame.reduction = 0
    frame_at(worker, ply + 2).cutoffs = 0
    frame_at(worker, ply + 2).killer[0] = 0
    frame_at(worker, ply + 2).killer[1] = 0

    if not is_pv and not exact and excluded == 0 and params.Hindsight != 0:
        depth = _in_hindsight(worker, ply, depth, static_eval)

    if not is_pv and not in_check and not exact and excluded == 0 and abs(beta) < DECIDED:
        # Step 7. Reverse futility pruning: so far above beta near the leaves that no quiet reply matters (51).
        if depth <= params.ReverseFutilityDepth and best_eval < DECIDED:
            margin = params.ReverseFutilityMargin * (depth - (1 if improving else 0))
            if best_eval - margin >= beta:
                return (best_eval + beta) // 2 if params.FailHighBlend != 0 else best_eval

        # Step 8. Null move pruning: if passing still fails high, a real move will too. Without pieces
        # zugzwang makes passing better than any move, so then it is not tried; deep ones are verified (28). Where no
        # fail-high is expected the attempt is seldom worth its nodes (B).
        if (
            depth >= params.NullMoveDepth
            and best_eval >= beta
            and (cut_node != 0 or params.NullMoveCutNodes == 0)
            and static_eval >= beta - 15 * depth
            and frame_at(worker, ply - 1).move != 0
            and ply >= worker.null_barred_until
            and has_pieces(position, I64(position.side))
        ):
            less = params.NullMoveBase + depth // params.NullMoveDivisor
            less += min((best_eval - beta) // params.NullMoveEvalDivisor, 3)
            descend_null(worker, ply)
            score = -search(worker, -beta, -beta + 1, depth - less, ply + 1, I64(1) - cut_node)
            ascend_null(worker)
            if worker.aborted != 0:
                return I64(0)
            if score >= beta:
                score = beta if score > DECIDED else score
                if depth < params.NullMoveVerifyDepth or worker.null_barred_until > 0:
                    return score
                worker.null_barred_until = ply + 3 * (depth - less) // 4
                verified = search(worker, beta - 1, beta, depth - less, ply, I64(0))
                worker.null_barred_until = 0
                if worker.aborted != 0:
                    return I64(0)
                if verified >= beta:
                    return score

        # Step 9. ProbCut: a capture that beats beta by a margin at much less depth will beat beta at full depth (27).
        raised = beta + params.ProbCutMargin
        if (
            depth >= params.ProbCutDepth
            and raised < DECIDED
            and not (tt_depth >= depth - 3 and tt_score < raised)
        ):
            start_picking_noisy(worker, frame, tt_move)
            while True:
                move = next_noisy(worker, frame, ply)
                if move == 0:
                    break
                if not see_ge(position, move, raised - static_eval):
                    continue
                descend(worker, ply, move)
                score = -qsearch(worker, -raised, -raised + 1, ply + 1)
                if score >= raised:
                    score = -search(worker, -raised, -raised + 1, depth - 4, ply + 1, I64(1) - cut_node)
                ascend(worker, move)
                if worker.aborted != 0:
                    return I64(0)
                if score >= raised:
                    stored, lower = to_table(score, ply), I64(BOUND_LOWER)
                    store(worker.table, table_key(position), move, stored, raw_eval, depth - 3, lower, I64(tt_pv))
                    return score

    # Without any search where the table has a lower bound that high, nearly as deep ("small ProbCut", as in
    # Stockfish; A).
    raised = beta + params.SmallProbCutMargin
    if (
        params.SmallProbCutMargin != 0
        and not is_pv
        and not exact
        and excluded == 0
        and tt_bound & BOUND_LOWER != 0
        and tt_depth >= depth - 4
        and raised <= tt_score < DECIDED
        and abs(beta) < DECIDED
    ):
        return raised

    # Step 10. Internal iterative reduction: without a table move ordering is poor; the next visit has one (9).
    if tt_move == 0 and not exact and depth >= params.IterativeReductionDepth and (is_pv or cut_node != 0):
        depth -= 1

    # Step 11. The moves, best first.
    old_alpha = alpha
    best = floor
    best_move = I64(0)
    number = 0
    frame.quiet_count = 0
    frame.noisy_count = 0
    find_threats(worker, ply)
    # Checks that lead to a mate look hopeless from outside, so at depth they are spared from pruning (12 ± 27 in 300
    # games at 8,000 nodes). With a won game in hand only the mate counts: then they are spared everywhere, and searched
    # a ply deeper (9 ± 17 in 200; of 62 mates in five or less 55 found in 2 s in place of 49, 56 with both).
    hunts = not exact and alpha >= params.CheckFrom
    spares_checks = hunts or (not exact and depth >= params.CheckDepth)
    if spares_checks:
        find_checking_squares(position, frame)
    start_picking(worker, frame, tt_move)
    while True:
        move = next_move(worker, frame, ply)
        if move == 0:
            break
        if move == excluded:
            continue
        root_index = -1
        if ply == 0:
            root_index = _root_index(worker, move)
            if root_index < 0:
                continue
        is_quiet = not is_noisy(move)
        history = frame.picker.history if is_quiet else capture_history(worker, move)
        number += 1
        is_check = spares_checks and checks_directly(position, frame, move)
        reduction = late_move_reduction(params, depth, number, is_pv, improving, is_quiet, history)

        # Step 12. Give up moves near the leaves that have little hope; at least one move is always searched. Where a
        # mate is at hand only a shorter one counts, and of that the static evaluation knows nothing. A win by the
        # endgame tables is enough: to look for the mate as well takes twice the nodes.
        if ply > 0 and best > -DECIDED and alpha < MATE_BOUND and not exact:
            lookahead = max(depth - reduction // 1024, 1)
            if is_quiet:
                # Late move pruning: with good ordering the last quiet moves never help (136). But of the replies to a
                # root move the one that saves a queen may be the third quiet one, and few nodes must do to see that.
                enough = params.LateMoveBase + depth * depth
                if (
                    ply > 1
                    and depth <= params.LateMoveDepth
                    and number > (enough if improving else enough // 2)
                    and not is_check
                ):
                    if not spares_checks:
                        frame.picker.skip_quiets = 1
                    continue
                # Futility pruning: a quiet move will not make up for so much (19).
                hope = static_eval + params.FutilityBase + params.FutilityMargin * lookahead
                if not in_check and lookahead <= params.FutilityDepth and hope <= alpha and not is_check:
                    if not spares_checks:
                        frame.picker.skip_quiets = 1
                    continue
                # History pruning: what failed everywhere else will fail here (16).
                if (
                    lookahead <= params.HistoryPruningDepth
                    and history < -params.HistoryPruningMargin * lookahead
                    and not is_check
                ):
                    continue
                # Static exchange pruning: a piece put where it is simply taken (69; 22 for captures).
                if lookahead <= params.QuietExchangeDepth and not see_ge(
                    position, move, -params.QuietExchangeMargin * lookahead * lookahead
                ):
                    continue
            else:
                # Futility pruning of captures: not even the captured piece makes up for so much (A).
                hope = static_eval + SEE_VALUES[captured_type(position, move)] + history // 64
                hope += params.NoisyFutilityBase + params.NoisyFutilityMargin * lookahead
                if (
                    not in_check
                    and not is_check
                    and lookahead <= params.NoisyFutilityDepth
                    and hope <= alpha
                    and not is_promotion(move)
                ):
                    continue
                if depth <= params.NoisyExchangeDepth and not see_ge(
                    position, move, -params.NoisyExchangeMargin * depth
                ):
                    continue

        # Step 13. Singular extension: if without the table move everything fails low by a margin, that move
        # is the only good one and is searched deeper; if others also beat beta, the node is cut (multicut) (54).
        extension = 0
        if (
            ply > 0
            and not exact
            and move == tt_move
            and excluded == 0
            and depth >= params.SingularDepth
            and tt_depth >= depth - 3
            and tt_bound & BOUND_LOWER != 0
            and abs(tt_score) < DECIDED
            and ply < 2 * worker.root_depth
        ):
            singular_beta = tt_score - params.SingularMargin * depth // 10
            frame.excluded = move
            score = search(worker, singular_beta - 1, singular_beta, (depth - 1) // 2, ply, cut_node)
            frame.excluded = 0
            if worker.aborted != 0:
                return I64(0)
            if score < singular_beta:
                extension = 1
            elif singular_beta >= beta:
                return singular_beta
            elif tt_score >= beta:
                extension = -2
            elif cut_node != 0:
                extension = -1
            restart_picking(frame, move)
            frame.quiet_count = 0
            frame.noisy_count = 0
            frame.pv_length = 0
            frame.raw_eval = raw_eval
            frame.static_eval = static_eval
        if hunts and is_check and extension == 0 and 0 < ply < 2 * worker.root_depth:
            extension = 1

        nodes_before = worker.nodes
        if ply == 0:
            worker.current_move = move
            worker.current_number = number + worker.root_first
        descend(worker, ply, move)
        new_depth = depth - 1 + extension

        # Step 14. Principal variation search: the first move is expected best; the others only have to be
        # shown worse, by a null window, and late ones at less depth (late move reduction, see reductions).
        score = -INFINITY
        if depth >= 2 and number > 1 and not exact:
            if position.checkers != ZERO:
                reduction -= 1024
            if tt_pv:
                reduction -= params.ReductionTablePv
            if cut_node != 0:
                reduction += params.ReductionCutNode
            if frame_at(worker, ply + 1).cutoffs > 3:
                reduction += params.ReductionCutoffs  # replies refute one move after the other (A)
            if move == frame.killer[0] or move == frame.killer[1]:
                reduction -= 1024
            reduced = max(1, min(new_depth - reduction // 1024, new_depth))
            frame.reduction = new_depth - reduced
            score = -search(worker, -alpha - 1, -alpha, reduced, ply + 1, I64(1))
            frame.reduction = 0
            if score > alpha and reduced < new_depth:
                score = -search(worker, -alpha - 1, -alpha, new_depth, ply + 1, I64(1) - cut_node)
        elif not is_pv or number > 1:
            score = -search(worker, -alpha - 1, -alpha, new_depth, ply + 1, I64(1) - cut_node)
        if is_pv and (number == 1 or score > alpha):
            score = -search(worker, -beta, -alpha, new_depth, ply + 1, I64(0))
        ascend(worker, move)
        if worker.aborted != 0:
            return I64(0)
        if root_index >= 0:
            worker.root[root_index].nodes += worker.nodes - nodes_before

        # Step 15. A new best move, or one that refutes the move before it.
        if score > best:
            best = score
            if score > alpha:
                best_move = move
                if is_pv:
                    extend_pv(worker, ply, move)
                if ply == 0:
                    worker.root_score = score
                if score >= beta:
                    if is_quiet:
                        reward_quiet(worker, ply, move, depth)
                    else:
                        reward_noisy(worker, ply, move, depth)
                    frame.cutoffs += 1
                    break
                # A move this good is seldom beaten by the ones ordered behind it, so they get less depth (A).
                if 2 < depth < 14 and abs(score) < DECIDED and not exact:
                    depth = max(depth - params.ReductionRaised, 2)
                alpha = score
        _remember_tried(frame, move, is_quiet)

    # Step 16. No legal move: checkmate or stalemate. In a singular search it means that there was no other.
    if number == 0:
        if excluded != 0:
            return alpha
        return mated_in(ply) if in_check else I64(DRAW)

    best = min(best, ceiling)

    # Step 17. A score far above beta is less sure than beta itself, the less the shallower the search (fail-high
    # blending), and a quiet move that nothing answered deserves praise.
    if not exact and params.FailHighBlend != 0 and beta <= best < DECIDED and abs(beta) < DECIDED:
        best = (best * depth + beta) // (depth + 1)
    if (
        best <= old_alpha
        and ply > 0
        and excluded == 0
        and params.ParentHistory != 0
        and frame_at(worker, ply - 1).quiet != 0
    ):
        reward_parent(worker, ply, depth)

    # Step 18. Remember what was learned.
    if excluded == 0 and not is_later_line:
        is_lower = best >= beta or best == floor  # nothing beat what the endgame tables promise
        bound = BOUND_LOWER if is_lower else (BOUND_EXACT if best > old_alpha else BOUND_UPPER)
        store(worker.table, table_key(position), best_move, to_table(best, ply), raw_eval, depth, bound, I64(tt_pv))
        is_material = best_move != 0 and is_noisy(best_move)
        if (
            not in_check
            and not is_material
            and abs(best) < DECIDED
            and not (bound == BOUND_LOWER and best <= static_eval)
            and not (bound == BOUND_UPPER and best >= static_eval)
        ):
            learn_correction(worker, ply, best - static_eval, depth)
    return best


@kernel(int64(WORKER_T, int64, int64, int64), "the search")
def search_root(worker, alpha, beta, depth):
    """Search ``worker.position`` within the window; the line is in the root's frame.

    Meaningless where ``worker.aborted`` is set afterwards, except that a line found before is a legal one.
    """
    worker.aborted = 0
    worker.root_depth = depth
    frame_at(worker, 0).pv_length = 0  # an abort at the very first node must not leave an older search's line
    reset(worker.evaluator, worker.position)
    return search(worker, alpha, beta, depth, I64(0), I64(0))
