"""The main search: principal variation search over alpha-beta, with pruning, extensions and reductions.

Steps are numbered in code order. Every heuristic is named in full. Measured effects of some are
in tuning/results/search.md. Rules of more than a few lines are in :mod:`engine.search.pruning`,
:mod:`engine.search.extensions` and :mod:`engine.search.reductions`. Whatever calls ``search`` must be here, because
numba cannot cache mutually recursive functions."""

from engine.board.aliases import Depth, Flag, Move, Ply, Score
from engine.board.moves import is_noisy
from engine.board.see import see_ge
from engine.board.types import I64, ZERO
from engine.evaluation.evaluator import evaluate
from engine.jit import CHECKED, inlined, int64, kernel
from engine.search.checks import checks_directly, find_checking_squares
from engine.search.context import Candidate, NodeState
from engine.search.correction import corrected_eval, learn_correction
from engine.search.do_move import do_move, do_null_move, extend_pv, prefetch_child, undo_move, undo_null_move
from engine.search.extensions import low_depth_extension, may_be_singular, singular_extension
from engine.search.history import capture_history, find_threats, reward_noisy, reward_parent, reward_quiet
from engine.search.movepick import next_move, next_noisy, restart_picking, start_picking, start_picking_noisy
from engine.search.node import enter_node, look_up, raise_to_draw, score_by_rule, should_abort
from engine.search.pruning import (
    may_try_null_move,
    null_move_reduction,
    probcut_depth,
    prunes_noisy,
    prunes_quiet,
    reverse_futility_margin,
    small_probcut_cutoff,
    table_cutoff,
    trusts_evaluation,
)
from engine.search.quiescence import quiescence_search
from engine.search.reductions import hindsight_depth, late_move_reduction, reduced_depth
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
from engine.search.state import MAX_TRIED, WORKER_T, Frame, WorkerRecord, frame_at, params_of
from engine.search.tablebase import EXTRA_DEPTH, UNKNOWN, probe_tablebase, tablebase_bound, tablebase_score
from engine.search.transposition import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_NONE,
    BOUND_UPPER,
    TableEntry,
    known_eval,
    settles,
    store,
    table_key,
)


@inlined
def _root_index(worker: WorkerRecord, move: Move) -> int:
    """The index of ``move`` among the root moves to search, or -1."""
    for index in range(worker.pv_index, worker.root_count):
        if worker.root[index].move == move:
            return index
    return -1


@inlined
def _is_improving(worker: WorkerRecord, ply: Ply, static_eval: Score) -> bool:
    """Whether the static evaluation is better than at this side's previous turn; if so, fewer moves are pruned."""
    before = frame_at(worker, ply - 2).static_eval
    if before == NONE:
        before = frame_at(worker, ply - 4).static_eval
    return before == NONE or static_eval > before


@inlined
def _note_tried(frame: Frame, move: Move, is_quiet: bool) -> None:
    """Record a move that did not cut off, for a malus if another one does."""
    if is_quiet:
        if frame.quiet_count < MAX_TRIED:
            frame.quiets[frame.quiet_count] = move
            frame.quiet_count += 1
    elif frame.noisy_count < MAX_TRIED:
        frame.noisies[frame.noisy_count] = move
        frame.noisy_count += 1


@inlined
def _resume(frame: Frame, tt_move: Move, raw_eval: Score, static_eval: Score) -> None:
    """Restore ``frame`` after a singular search at the same ply used it."""
    restart_picking(frame, tt_move)
    frame.quiet_count = 0
    frame.noisy_count = 0
    frame.pv_length = 0
    frame.raw_eval = raw_eval
    frame.static_eval = static_eval


@kernel(int64(WORKER_T, int64, int64, int64, int64, int64))
def search(worker: WorkerRecord, alpha: Score, beta: Score, depth: Depth, ply: Ply, cut_node: Flag) -> Score:
    """The value of ``worker.position`` for the side to move, searched ``depth`` plies deep.

    Fail-soft: a result r <= alpha is an upper bound, r >= beta a lower bound, anything between is exact, with its line
    in the frame of ``ply``. Meaningless once ``worker.aborted`` is set. The window is null except in the principal
    variation; ``cut_node`` is 1 if a fail-high is expected."""
    if CHECKED:
        assert -INFINITY <= alpha < beta <= INFINITY
        assert 0 <= ply <= MAX_PLY
        assert depth < MAX_PLY + EXTRA_DEPTH
        assert cut_node == 0 or beta - alpha == 1  # a null window off the principal variation

    # Step 1. At the horizon: quiescence search.
    if depth <= 0:
        return quiescence_search(worker, alpha, beta, ply)

    # Step 2. Count the node and check the limits.
    if should_abort(worker):
        return I64(0)
    frame, position, params = enter_node(worker, ply), worker.position, params_of(worker)
    excluded = frame.excluded
    frame_at(worker, ply + 1).double_extensions = frame.double_extensions  # also after null moves
    is_pv = beta - alpha > 1
    in_check = position.checkers != ZERO

    if ply > 0:
        # Step 3. Draws and the maximum ply.
        score = score_by_rule(worker, ply, in_check)
        if score != NONE:
            return score

        # Step 4. Upcoming repetition: a side that can return to an earlier position has at least a draw. Only alpha
        # rises: a score returned between the old alpha and the draw means a draw.
        if excluded == 0:
            alpha = raise_to_draw(position, ply, alpha)
            if alpha >= beta:
                return alpha

        # Step 5. Mate distance pruning: no line from here beats a shorter mate already found.
        alpha = max(alpha, ply - MATE)
        beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha

    # Step 6. Transposition table: a deep enough bound settles the node.
    found = look_up(worker, frame)
    tt_move = found.move
    # If only some root moves are searched (searchmoves, later lines of MultiPV), the table's root move may be another,
    # and its entry stays: the value of the best of them is not the value of the position.
    is_partial_root = ply == 0 and (worker.pv_index > 0 or worker.root_is_partial != 0)
    if is_partial_root:
        tt_move = I64(worker.root[worker.pv_index].move)
    tt_depth = found.depth if found.hit != 0 else -1
    tt_bound = found.bound
    tt_score = from_table(found.score, ply, I64(position.rule50)) if found.hit != 0 else NONE
    tt_pv = is_pv or found.is_pv != 0
    if not is_pv and excluded == 0:
        score = table_cutoff(worker, ply, alpha, beta, depth, cut_node)
        if score != NONE:
            return score

    # Step 7. Endgame tablebases. An answer that does not settle the node still bounds its value.
    tb_lower, tb_upper = -INFINITY, INFINITY
    if ply > 0 and worker.tablebase.pieces != 0 and excluded == 0:
        outcome = probe_tablebase(worker.tablebase, position, depth)
        if outcome != UNKNOWN:
            score, bound = tablebase_score(outcome, ply), tablebase_bound(outcome)
            if settles(bound, score, alpha, beta):
                deeper = min(depth + EXTRA_DEPTH, MAX_PLY - 1)
                entry = TableEntry(I64(0), to_table(score, ply), NONE, deeper, bound, I64(tt_pv))
                store(worker.table, table_key(position), entry)
                return score
            if bound == BOUND_LOWER:
                tb_lower = score
                alpha = max(alpha, score)
            else:
                tb_upper = score

    # Step 8. Static evaluation: from the table if known, corrected by the correction histories. A TT score that
    # bounds it is better still.
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
        if tt_bound != BOUND_NONE and settles(tt_bound, tt_score, static_eval, static_eval + 1):
            best_eval = tt_score
        improving = _is_improving(worker, ply, static_eval)
    frame.raw_eval = raw_eval
    frame.static_eval = static_eval
    frame.reduction = 0
    frame_at(worker, ply + 2).cutoff_count = 0

    # Step 9. Hindsight: adjust the depth if the previous move's reduction turned out too large or too small.
    if not is_pv and excluded == 0:
        depth = hindsight_depth(worker, ply, depth, static_eval)

    may_prune = abs(beta) < DECIDED and trusts_evaluation(params, ply, abs(beta), static_eval)
    if not is_pv and not in_check and excluded == 0 and may_prune:
        # Step 10. Reverse futility pruning: the static evaluation beats beta by more than the remaining depth can lose.
        if depth <= params.ReverseFutilityDepth and best_eval < DECIDED:
            is_new = cut_node != 0 and found.hit == 0
            if best_eval - reverse_futility_margin(worker, ply, depth, static_eval, improving, is_new) >= beta:
                return (best_eval + beta) // 2

        # Step 11. Null move pruning: if passing still fails high, a real move will too. High depths are verified,
        # because of zugzwang.
        if may_try_null_move(worker, ply, beta, depth, best_eval, cut_node):
            null_depth = depth - null_move_reduction(params, depth, best_eval - beta)
            do_null_move(worker, ply)
            score = -search(worker, -beta, -beta + 1, null_depth, ply + 1, I64(1) - cut_node)
            undo_null_move(worker)
            if worker.aborted != 0:
                return I64(0)
            if score >= beta:
                score = beta if score > DECIDED else score
                if depth < params.NullMoveVerifyDepth or worker.null_move_min_ply > 0:
                    return score
                worker.null_move_min_ply = ply + 3 * null_depth // 4
                verified = search(worker, beta - 1, beta, null_depth, ply, I64(0))
                worker.null_move_min_ply = 0
                if worker.aborted != 0:
                    return I64(0)
                if verified >= beta:
                    return score

        # Step 12. ProbCut: a capture that beats beta by a margin at much lower depth will beat beta at full depth.
        probcut_beta = beta + params.ProbCutMargin
        if (
            depth >= params.ProbCutDepth
            and probcut_beta < DECIDED
            and not (tt_depth >= depth - 3 and tt_score < probcut_beta)
        ):
            start_picking_noisy(worker, frame, tt_move)
            while True:
                move = next_noisy(worker, frame, ply)
                if move == 0:
                    break
                if not see_ge(position, move, probcut_beta - static_eval):
                    continue
                do_move(worker, ply, move)
                score = -quiescence_search(worker, -probcut_beta, -probcut_beta + 1, ply + 1)
                if score >= probcut_beta:
                    reduced = probcut_depth(params, depth, static_eval - beta)
                    score = -search(worker, -probcut_beta, -probcut_beta + 1, reduced, ply + 1, I64(1) - cut_node)
                undo_move(worker, move)
                if worker.aborted != 0:
                    return I64(0)
                if score >= probcut_beta:
                    entry = TableEntry(move, to_table(score, ply), raw_eval, depth - 3, I64(BOUND_LOWER), I64(tt_pv))
                    store(worker.table, table_key(position), entry)
                    return score

    # Step 13. Small ProbCut: the same from the TT entry alone, without a search.
    if not is_pv and excluded == 0:
        score = small_probcut_cutoff(params, beta, depth, tt_depth, tt_bound, tt_score)
        if score != NONE:
            return score

    # Step 14. Internal iterative reduction: without a TT move, move ordering is poor; the next visit will have one.
    # Likewise if the entry is much shallower than this search.
    is_stale = tt_depth < depth - params.IterativeReductionStale and not is_partial_root
    if (tt_move == 0 or is_stale) and depth >= params.IterativeReductionDepth and (is_pv or cut_node != 0):
        depth -= 1

    # Step 15. Mating checks often look bad statically, so at high depth only static exchange evaluation may prune a
    # check. In a won game only the mate matters: there this holds at any depth, and checks are extended.
    find_checking_squares(position, frame)
    extends_checks = alpha >= params.CheckExtensionAlpha
    spares_checks = extends_checks or depth >= params.CheckExemptDepth

    # Step 16. All moves, best first. Larger history bonuses if the static evaluation did not predict a cutoff.
    old_alpha = alpha
    surprise = params.HistorySurprise if not in_check and static_eval <= alpha < params.WonScore else I64(0)
    node = NodeState(depth, static_eval, in_check, improving, is_pv, tt_pv, cut_node != 0, spares_checks)
    best = tb_lower
    best_move = I64(0)
    move_count = 0
    frame.quiet_count = 0
    frame.noisy_count = 0
    start_picking(worker, frame, tt_move)
    find_threats(worker, ply)
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
        prefetch_child(worker, move)  # loads while the rules below decide whether to search the move
        is_quiet = not is_noisy(move)
        history = frame.picker.history if is_quiet else capture_history(worker, move)
        move_count += 1
        is_check = spares_checks and checks_directly(position, frame, move)
        candidate = Candidate(move, move_count, is_quiet, history, is_check)
        reduction = late_move_reduction(params, node, candidate)

        # Step 17. Prune unpromising moves near the leaves; at least one move is searched, unless the tablebases already
        # give a win. Once a mate is found, only a shorter one counts, which the static evaluation cannot see. A
        # tablebase win is enough: looking for the mate as well costs too many nodes.
        may_prune_moves = alpha > DECIDED or trusts_evaluation(params, ply, alpha, static_eval)
        if ply > 0 and best > -DECIDED and alpha < MATE_BOUND and may_prune_moves:
            lmr_depth = max(depth - reduction // 1024, 1)
            if is_quiet:
                if prunes_quiet(worker, ply, node, candidate, lmr_depth, alpha, best_move != 0):
                    continue
            elif prunes_noisy(worker, node, candidate, lmr_depth, alpha):
                continue

        # Step 18. Singular extension: if without the TT move everything fails low by a margin, that move is the only
        # good one and is searched deeper; if other moves also beat beta, the node is cut (multicut).
        extension = 0
        if move == tt_move and excluded == 0 and may_be_singular(worker, ply, depth, tt_depth, tt_bound, tt_score):
            singular_beta = tt_score - params.SingularMargin * depth // 10
            frame.excluded = move
            score = search(worker, singular_beta - 1, singular_beta, (depth - 1) // 2, ply, cut_node)
            frame.excluded = 0
            if worker.aborted != 0:
                return I64(0)
            if score >= singular_beta and singular_beta >= beta:
                return singular_beta
            extension = singular_extension(worker, ply, node, score, singular_beta, beta, tt_score)
            _resume(frame, move, raw_eval, static_eval)
        elif move == tt_move and excluded == 0:
            extension = low_depth_extension(worker, ply, depth, tt_bound, node, alpha)

        # Step 19. Check extension, in won games.
        if extends_checks and is_check and extension == 0 and 0 < ply < 2 * worker.root_depth:
            extension = 1

        # Step 20. Make the move.
        nodes_before = worker.nodes
        frame.move_count = move_count
        if ply == 0:
            worker.current_move = move
            worker.current_number = move_count + worker.pv_index
        frame_at(worker, ply + 1).double_extensions = frame.double_extensions + (1 if extension >= 2 else 0)
        do_move(worker, ply, move)
        new_depth = depth - 1 + extension

        # Step 21. Late move reductions: good ordering makes later moves unlikely to beat alpha, so a null window at a
        # reduced depth is enough. One that does beat it is searched again at full depth.
        score = -INFINITY
        if depth >= 2 and move_count > 1:
            if not in_check and abs(alpha) < params.WonScore:
                # corrections, and damping by the 50-move clock, show how unreliable the evaluation is: reduce less
                reduction -= params.ReductionCorrection * abs(static_eval - raw_eval)
            reduced = reduced_depth(worker, ply, node, reduction, new_depth)
            frame.reduction = new_depth - reduced
            score = -search(worker, -alpha - 1, -alpha, reduced, ply + 1, I64(1))
            frame.reduction = 0
            if score > alpha and reduced < new_depth:
                score = -search(worker, -alpha - 1, -alpha, new_depth, ply + 1, I64(1) - cut_node)

        # Step 22. Other moves, except the first in the principal variation: null window, full depth.
        elif not is_pv or move_count > 1:
            score = -search(worker, -alpha - 1, -alpha, new_depth, ply + 1, I64(1) - cut_node)

        # Step 23. Principal variation search: full window for the first move, which is expected to be best, and for
        # later moves that beat alpha.
        if is_pv and (move_count == 1 or score > alpha):
            score = -search(worker, -beta, -alpha, new_depth, ply + 1, I64(0))

        # Step 24. Unmake the move.
        undo_move(worker, move)
        if worker.aborted != 0:
            return I64(0)
        if root_index >= 0:
            worker.root[root_index].nodes += worker.nodes - nodes_before

        # Step 25. A new best move, or a cutoff.
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
                        reward_quiet(worker, ply, move, depth + surprise)
                    else:
                        reward_noisy(worker, ply, move, depth + surprise)
                    frame.cutoff_count += 1
                    break
                alpha = score
        _note_tried(frame, move, is_quiet)

    # Step 26. No legal move: checkmate or stalemate. In a singular search: no other move.
    if move_count == 0:
        if excluded != 0:
            return alpha
        return mated_in(ply) if in_check else I64(DRAW)

    # Step 27. Cap the value at the tablebases' upper bound.
    best = min(best, tb_upper)

    # Step 28. Fail-high blending: a score far above beta is less reliable than beta itself, especially at low depth.
    if beta <= best < DECIDED and abs(beta) < DECIDED:
        best = (best * depth + beta) // (depth + 1)

    # Step 29. Fail-low: bonus for the opponent's quiet move that led here, as it left no good reply.
    if best <= old_alpha and ply > 0 and excluded == 0 and frame_at(worker, ply - 1).quiet != 0:
        reward_parent(worker, ply, depth)

    # Step 30. Store the result in the transposition table.
    if excluded != 0 or is_partial_root:
        return best
    is_lower = best >= beta or best == tb_lower  # no move beat the tablebases' lower bound
    bound = BOUND_LOWER if is_lower else (BOUND_EXACT if best > old_alpha else BOUND_UPPER)
    entry = TableEntry(best_move, to_table(best, ply), raw_eval, depth, bound, I64(tt_pv))
    store(worker.table, table_key(position), entry)

    # Step 31. Update the correction histories in quiet positions, if the bound shows the static evaluation's error.
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
