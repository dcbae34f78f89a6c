"""Extensions: search moves deeper if the value of the node depends on them."""

from engine.board.aliases import Depth, Ply, Score
from engine.jit import inlined
from engine.search.context import NodeState
from engine.search.scores import DECIDED
from engine.search.state import WorkerRecord, frame_at, params_of
from engine.search.transposition import BOUND_LOWER

_MAX_LOW_DEPTH = 7  # maximum depth of :func:`low_depth_extension`


@inlined
def may_be_singular(
    worker: WorkerRecord, ply: Ply, depth: Depth, tt_depth: Depth, tt_bound: int, tt_score: Score
) -> bool:
    """Whether to search for alternatives to the TT move: its score is a lower bound from a search nearly as deep.
    The path must not be twice as long as the iteration is deep."""
    return (
        0 < ply < 2 * worker.root_depth
        and depth >= params_of(worker).SingularDepth
        and tt_depth >= depth - 3
        and tt_bound & BOUND_LOWER != 0
        and abs(tt_score) < DECIDED
    )


@inlined
def singular_extension(
    worker: WorkerRecord, ply: Ply, node: NodeState, score: Score, singular_beta: Score, beta: Score, tt_score: Score
) -> Depth:
    """Plies by which to extend the TT move when the other moves reached ``score``: positive if it is the only good
    move, negative if it is not and a fail-high is expected anyway.

    Double and triple extensions: if the others are far worse, the move is forced and gets two or three plies, outside
    the principal variation, not too often in a line, and not in won games, which have many long forced lines."""
    params = params_of(worker)
    if score < singular_beta:
        if node.is_pv or frame_at(worker, ply).double_extensions >= params.DoubleExtensions:
            return 1
        if abs(tt_score) >= params.WonScore:
            return 1
        if score < singular_beta - params.TripleExtensionMargin:
            return 3
        return 2 if score < singular_beta - params.DoubleExtensionMargin else 1
    if tt_score >= beta or node.cut_node:
        return -2
    return 0


@inlined
def low_depth_extension(
    worker: WorkerRecord, ply: Ply, depth: Depth, tt_bound: int, node: NodeState, alpha: Score
) -> Depth:
    """One ply for the TT move near the leaves, without a singular search, if its score is a lower bound although the
    static evaluation is below alpha by a margin ("low-depth singular extension", as in Renegade and Stormphrax)."""
    if (
        0 < ply < 2 * worker.root_depth
        and depth <= _MAX_LOW_DEPTH
        and not node.in_check
        and tt_bound == BOUND_LOWER
        and node.static_eval <= alpha - params_of(worker).LowDepthExtensionMargin
    ):
        return 1
    return 0
