"""Late move reductions (LMR): with good ordering later moves are rarely best, so search them less deeply."""

from engine.board.aliases import Depth, Ply, Score
from engine.board.types import I64, U64, ZERO
from engine.jit import inlined
from engine.search.context import Candidate, NodeState
from engine.search.parameters import ParametersRecord
from engine.search.scores import NONE
from engine.search.state import WorkerRecord, frame_at, params_of


@inlined
def late_move_reduction(params: ParametersRecord, node: NodeState, candidate: Candidate) -> int:
    """The reduction of ``candidate`` in 1024ths of a ply, before clamping: smaller with a good history, for captures
    and in the principal variation."""
    reduction = I64(params.reduction[U64(min(node.depth, 63)), U64(min(candidate.number, 63))])
    if not node.is_pv:
        reduction += params.ReductionNonPv
    if not node.improving:
        reduction += params.ReductionNotImproving
    if candidate.is_quiet:
        return reduction - 1024 * candidate.history // params.ReductionHistory
    reduction -= params.ReductionNoisy
    return reduction - params.ReductionNoisyHistory * candidate.history // params.ReductionHistory


@inlined
def reduced_depth(worker: WorkerRecord, ply: Ply, node: NodeState, reduction: int, new_depth: Depth) -> Depth:
    """The depth of the first search of the move made: ``new_depth`` less ``reduction`` (1024ths of a ply), adjusted."""
    params = params_of(worker)
    if worker.position.checkers != ZERO:
        reduction -= params.ReductionCheck
    if node.tt_pv:
        reduction -= params.ReductionTtPv
    if node.cut_node:
        reduction += params.ReductionCutNode
    if frame_at(worker, ply + 1).cutoff_count > 3:
        reduction += params.ReductionCutoffCount  # replies refute one move after another
    return max(1, min(new_depth - reduction // 1024, new_depth))


@inlined
def hindsight_depth(worker: WorkerRecord, ply: Ply, depth: Depth, static_eval: Score) -> Depth:
    """``depth`` adjusted by the previous move's effect on the static evaluation: one ply more after a large reduction
    if the side to move has not gained enough, one less after any if it has gained much ("hindsight", as in Stockfish).
    """
    before = frame_at(worker, ply - 1)
    if static_eval == NONE or before.static_eval == NONE:
        return depth
    gain = static_eval + before.static_eval  # of the side to move
    if before.reduction >= 3 and gain <= params_of(worker).HindsightMinGain:
        return depth + 1
    if before.reduction >= 1 and depth >= 2 and gain > params_of(worker).HindsightMargin:
        return depth - 1
    return depth
