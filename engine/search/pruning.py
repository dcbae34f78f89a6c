"""Pruning: nodes and moves that are cut off without a search to full depth."""

from engine.board.aliases import Depth, Flag, Ply, Score
from engine.board.legality import is_legal
from engine.board.moves import is_noisy, is_promotion
from engine.board.position import has_pieces
from engine.board.see import SEE_VALUES, see_ge
from engine.board.types import I64
from engine.evaluation.endgames import WON
from engine.jit import inlined
from engine.search.context import Candidate, NodeState
from engine.search.history import captured_type, find_threats, punish_parent, reward_cutoff, touches_threat
from engine.search.parameters import ParametersRecord
from engine.search.scores import DECIDED, NONE, from_table
from engine.search.state import WorkerRecord, frame_at, params_of
from engine.search.transposition import BOUND_LOWER, settles


@inlined
def table_cutoff(worker: WorkerRecord, ply: Ply, alpha: Score, beta: Score, depth: Depth, cut_node: Flag) -> Score:
    """The transposition table's score if it settles a node outside the principal variation, else NONE. Far from the
    leaves only a bound of the expected kind counts, such as a fail-high at a cut node."""
    found = frame_at(worker, ply).probe
    score = from_table(found.score, ply, I64(worker.position.rule50))
    if found.hit == 0 or found.depth < depth or not settles(found.bound, score, alpha, beta):
        return I64(NONE)
    if depth > 5 and (cut_node != 0) != (score >= beta):
        return I64(NONE)
    if score >= beta:
        punish_parent(worker, ply, depth)
        if found.move != 0 and not is_noisy(found.move) and is_legal(worker.position, found.move):
            find_threats(worker, ply)
            reward_cutoff(worker, ply, found.move, depth)
    return score


@inlined
def trusts_evaluation(params: ParametersRecord, ply: Ply, bound: Score, static_eval: Score) -> bool:
    """Whether the static evaluation may prune against ``bound``.

    In a won game only the mate is left to find, which the evaluation cannot see: a quiet move that prepares it looks
    worse than one that wins another pawn. So near the root only the mop-up evaluation of a lone king may prune then.
    In check, where ``static_eval`` is NONE, the rules that need none may prune."""
    return bound < params.WonScore or ply > params.WonPly or abs(static_eval) >= WON


@inlined
def reverse_futility_margin(
    worker: WorkerRecord, ply: Ply, depth: Depth, static_eval: Score, improving: bool, is_new: bool
) -> Score:
    """The margin in centipawns by which the static evaluation must exceed beta for a cutoff at ``depth``. Less if the
    side to move is improving, or the other worsened: then their evaluations add up to more than two tempi. ``is_new``:
    no table entry where a fail-high is expected."""
    params, before = params_of(worker), frame_at(worker, ply - 1).static_eval
    margin = params.ReverseFutilityMargin * depth
    if improving:
        margin -= params.ReverseFutilityImproving
    if is_new:
        margin -= params.ReverseFutilityCutNode * depth
    if before != NONE and static_eval + before > params.ReverseFutilityGain:
        margin -= params.ReverseFutilityWorsening * depth
    return margin


@inlined
def may_try_null_move(
    worker: WorkerRecord, ply: Ply, beta: Score, depth: Depth, best_eval: Score, cut_node: Flag
) -> bool:
    """Whether to try a null move: the evaluation, or the TT score that bounds it, is at least beta, a fail-high is
    expected, and the previous move was not null. Without pieces, zugzwang can make passing better than any move. Where
    no fail-high is expected it rarely pays."""
    params = params_of(worker)
    return (
        depth >= params.NullMoveDepth
        and best_eval >= beta
        and cut_node != 0
        and frame_at(worker, ply).static_eval >= beta + params.NullMoveMargin - params.NullMoveBetaSlope * depth
        and frame_at(worker, ply - 1).move != 0
        and ply >= worker.null_move_min_ply
        and has_pieces(worker.position, I64(worker.position.side))
    )


@inlined
def null_move_reduction(params: ParametersRecord, depth: Depth, margin: Score) -> Depth:
    """The reduction, in plies, of the search after a null move, when the evaluation is ``margin`` above beta."""
    reduction = (params.NullMoveBase + params.NullMoveSlope * depth) // 1024
    return reduction + min(margin // params.NullMoveEvalDivisor, 3)


@inlined
def probcut_depth(params: ParametersRecord, depth: Depth, margin: Score) -> Depth:
    """The depth of a ProbCut search when the static evaluation is ``margin`` above beta."""
    return max(depth - 4 - max(min(margin // params.ProbCutDivisor, 3), 0), 0)


@inlined
def small_probcut_cutoff(
    params: ParametersRecord, beta: Score, depth: Depth, tt_depth: Depth, tt_bound: int, tt_score: Score
) -> Score:
    """Stockfish's "small ProbCut": a margin above beta if the table has such a lower bound, nearly as deep, or NONE."""
    margin = params.SmallProbCutMargin
    probcut_beta = beta + margin
    if (
        margin != 0
        and tt_bound & BOUND_LOWER != 0
        and tt_depth >= depth - 4
        and probcut_beta <= tt_score < DECIDED
        and abs(beta) < DECIDED
    ):
        return probcut_beta
    return I64(NONE)


@inlined
def prunes_quiet(
    worker: WorkerRecord,
    ply: Ply,
    node: NodeState,
    candidate: Candidate,
    lmr_depth: Depth,
    alpha: Score,
    has_best: bool,
) -> bool:
    """Whether to skip the quiet ``candidate``. If it is too late or futile, ``picker.skip_quiets`` is set to skip all
    later quiet moves too, unless the node spares checks. ``lmr_depth`` is the depth after late move reductions;
    ``has_best``: another move raised alpha."""
    params, frame = params_of(worker), frame_at(worker, ply)
    # Late move pruning: with good ordering the last quiet moves rarely help. Not at ply 1: the reply that saves a queen
    # may be the third quiet move, and a few nodes must be enough to see it.
    late = params.LateMovePruningBase + params.LateMovePruningSlope * node.depth * node.depth
    if not node.improving:
        late //= 2
    if node.is_pv and alpha < params.WonScore:
        late += late * params.LateMovePruningPv // 100  # missing a move costs more there
    is_late = ply > 1 and node.depth <= params.LateMovePruningDepth and 100 * candidate.number > late
    # Futility pruning: a quiet move rarely gains that much, least of all with a bad history, or after another move
    # raised alpha.
    futility_value = node.static_eval + params.FutilityBase + params.FutilityMargin * lmr_depth
    if not has_best:
        futility_value += params.FutilityNoBest
    futility_value += params.FutilityHistory * candidate.history // 1024
    is_futile = not node.in_check and lmr_depth <= params.FutilityDepth and futility_value <= alpha
    if (is_late or is_futile) and not candidate.is_check:
        if not node.spares_checks:
            frame.picker.skip_quiets = 1
        return True
    # History pruning: a move that failed everywhere else will fail here.
    worst = -params.HistoryPruningMargin * lmr_depth
    if lmr_depth <= params.HistoryPruningDepth and candidate.history < worst and not candidate.is_check:
        return True
    # Static exchange pruning: the piece would simply be taken.
    return (
        lmr_depth <= params.QuietSeeDepth
        and touches_threat(frame, candidate.move)
        and not see_ge(worker.position, candidate.move, -params.QuietSeeMargin * lmr_depth * lmr_depth)
    )


@inlined
def prunes_noisy(worker: WorkerRecord, node: NodeState, candidate: Candidate, lmr_depth: Depth, alpha: Score) -> bool:
    """Whether to skip the capture or promotion ``candidate``."""
    params, position, move = params_of(worker), worker.position, candidate.move
    # Futility pruning of captures: even winning the captured piece leaves the node below alpha.
    futility_value = node.static_eval + SEE_VALUES[captured_type(position, move)]
    futility_value += params.NoisyFutilityHistory * candidate.history // 1024
    futility_value += params.NoisyFutilityBase + params.NoisyFutilityMargin * lmr_depth
    if (
        not node.in_check
        and not candidate.is_check
        and lmr_depth <= params.NoisyFutilityDepth
        and futility_value <= alpha
        and not is_promotion(move)
    ):
        return True
    # Static exchange pruning.
    return node.depth <= params.NoisySeeDepth and not see_ge(position, move, -params.NoisySeeMargin * node.depth)
