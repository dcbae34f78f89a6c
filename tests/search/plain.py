"""Plain alpha-beta, out of the parts that the search is made of, and minimax, which shares none of them but the rules.

What is tested so are the parts: the order of moves loses none, doing and undoing them leaves position and accumulators
as they were, draws and mates have their scores.
"""

from __future__ import annotations

from numba import int64, njit

from engine.board.draws import is_insufficient_material, is_repetition
from engine.board.make import make_move, unmake_move
from engine.board.movegen import ALL_MOVES, count_moves, generate_moves
from engine.board.moves import is_noisy
from engine.board.types import I64, ZERO
from engine.evaluation.evaluator import evaluate, reset
from engine.search.history import find_threats, reward_noisy, reward_quiet
from engine.search.line import do_move, extend_pv, undo_move
from engine.search.movepick import next_move, start_picking
from engine.search.node import is_draw
from engine.search.scores import DRAW, INFINITY, MATE, mated_in, to_table
from engine.search.state import WORKER_T, frame_at
from engine.search.transposition import BOUND_EXACT, BOUND_LOWER, BOUND_UPPER, probe, store, table_key


@njit(int64(WORKER_T, int64, int64, int64, int64), error_model="numpy")
def alpha_beta(worker, alpha, beta, depth, ply):
    """The value of ``worker.position`` within the window (fail-soft), its accumulators being those of the position.

    The transposition table gives no more than the move to look at first.
    """
    position, frame = worker.position, frame_at(worker, ply)
    frame.pv_length = 0
    if count_moves(position) == 0:
        return mated_in(ply) if position.checkers != ZERO else I64(DRAW)
    if ply > 0 and is_draw(position, ply):
        return I64(DRAW)
    if depth == 0:
        return evaluate(worker.evaluator, position)
    probe(worker.table, table_key(position), frame.probe)
    old_alpha, best, best_move = alpha, I64(-INFINITY), I64(0)
    frame.quiet_count = 0
    frame.noisy_count = 0
    find_threats(worker, ply)
    start_picking(worker, frame, frame.probe.move)
    while best < beta:
        move = next_move(worker, frame, ply)
        if move == 0:
            break
        do_move(worker, ply, move)
        score = -alpha_beta(worker, -beta, -alpha, depth - 1, ply + 1)
        undo_move(worker, move)
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                extend_pv(worker, ply, move)
    if best >= beta:
        if is_noisy(best_move):
            reward_noisy(worker, ply, best_move, depth)
        else:
            reward_quiet(worker, ply, best_move, depth)
    bound = BOUND_LOWER if best >= beta else (BOUND_EXACT if best > old_alpha else BOUND_UPPER)
    store(worker.table, table_key(position), best_move, to_table(best, ply), I64(0), depth, I64(bound), I64(0))
    return best


@njit(int64(WORKER_T, int64, int64, int64), error_model="numpy")
def search_plainly(worker, alpha, beta, depth):
    """:func:`alpha_beta` from the root."""
    reset(worker.evaluator, worker.position)
    return alpha_beta(worker, alpha, beta, depth, I64(0))


@njit(int64(WORKER_T, int64, int64), error_model="numpy")
def minimax(worker, depth, ply):
    """Minimax (as negamax) without any cut: the oracle, over the engine's rules and evaluation."""
    position = worker.position
    if count_moves(position) == 0:
        return ply - MATE if position.checkers != ZERO else I64(0)
    if ply > 0 and (position.rule50 >= 100 or is_repetition(position, ply) or is_insufficient_material(position)):
        return I64(0)
    frame = frame_at(worker, ply)
    if depth == 0:
        reset(worker.evaluator, position)
        return evaluate(worker.evaluator, position)
    best = I64(-MATE)
    count = generate_moves(position, frame.moves, 0, ALL_MOVES)
    for index in range(count):
        move = I64(frame.moves.move[index])
        make_move(position, move)
        best = max(best, -minimax(worker, depth - 1, ply + 1))
        unmake_move(position, move)
    return best
