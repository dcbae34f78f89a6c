"""Late move reductions (LMR): with good ordering later moves are rarely best, so they are searched less deep."""

from engine.board.aliases import Depth, Flag, Move, Params, Ply, Score, Worker
from engine.board.types import I64, U64, ZERO
from engine.jit import helper
from engine.search.scores import NONE
from engine.search.state import frame_at, params_of


@helper
def late_move_reduction(
    params: Params, depth: Depth, move_count: int, is_pv: bool, improving: bool, is_quiet: bool, history: int
) -> int:
    """By how much less deep, in 1024ths of a ply, the ``move_count``-th move is searched, before bounds.

    What did well before (``history``) is reduced less, and so are captures and moves on the principal variation.
    """
    reduction = I64(params.reduction[U64(min(depth, 63)), U64(min(move_count, 63))])
    if not is_pv:
        reduction += params.ReductionNonPv
    if not improving:
        reduction += params.ReductionNotImproving
    if is_quiet:
        return reduction - 1024 * history // params.ReductionHistory
    return reduction - params.ReductionNoisy - params.ReductionNoisyHistory * history // params.ReductionHistory


@helper
def reduced_depth(
    worker: Worker, ply: Ply, move: Move, reduction: int, new_depth: Depth, tt_pv: bool, cut_node: Flag
) -> Depth:
    """How deep ``move``, which has been made, is searched at first: ``new_depth`` less ``reduction`` in 1024ths of a
    ply, and that less or more by what the move turned out to be."""
    params, frame = params_of(worker), frame_at(worker, ply)
    if worker.position.checkers != ZERO:
        reduction -= params.ReductionCheck
    if tt_pv:
        reduction -= params.ReductionTtPv
    if cut_node != 0:
        reduction += params.ReductionCutNode
    if frame_at(worker, ply + 1).cutoff_count > 3:
        reduction += params.ReductionCutoffCount  # replies refute one move after the other (A)
    if move == frame.killer[0] or move == frame.killer[1]:
        reduction -= params.ReductionKiller
    return max(1, min(new_depth - reduction // 1024, new_depth))


@helper
def hindsight_depth(worker: Worker, ply: Ply, depth: Depth, static_eval: Score) -> Depth:
    """``depth`` corrected by what the move that led here did to the static evaluation: after a large reduction one ply
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
