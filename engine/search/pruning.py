"""Pruning: which nodes, and which moves of a node, are given up before they are searched to their full depth.

The figures in brackets are explained in :mod:`engine.search.alphabeta`, whose steps these are.
"""

from engine.board.aliases import Depth, Flag, Move, Params, Ply, Score, Worker
from engine.board.legality import is_legal
from engine.board.moves import is_noisy, is_promotion
from engine.board.position import has_pieces
from engine.board.see import SEE_VALUES, see_ge
from engine.board.types import I64, ZERO
from engine.evaluation.mop_up import WON
from engine.jit import helper
from engine.search.history import captured_type, find_threats, punish_parent, reward_cutoff, touches_threat
from engine.search.scores import DECIDED, NONE
from engine.search.state import frame_at, params_of
from engine.search.transposition import BOUND_LOWER, settles


@helper
def table_cutoff(
    worker: Worker, ply: Ply, alpha: Score, beta: Score, depth: Depth, cut_node: Flag, tt_move: Move, tt_score: Score
) -> Score:
    """The transposition table's score if it settles a node off the principal variation, else NONE.

    Far from the leaves only a bound of the expected kind counts, a fail-high at a cut node: the other kind says that
    the line above needs another look (B).
    """
    found = frame_at(worker, ply).probe
    if found.found == 0 or found.depth < depth or not settles(found.bound, tt_score, alpha, beta):
        return I64(NONE)
    if depth > 5 and (cut_node != 0) != (tt_score >= beta):
        return I64(NONE)
    if tt_score >= beta:
        punish_parent(worker, ply, depth)
        if tt_move != 0 and not is_noisy(tt_move) and is_legal(worker.position, tt_move):
            find_threats(worker, ply)
            reward_cutoff(worker, ply, tt_move, depth)
    return tt_score


@helper
def trusts_evaluation(params: Params, ply: Ply, bound: Score, static_eval: Score) -> bool:
    """Whether the static evaluation may prune against ``bound``.

    If the game is won only the mate is left to be found, and of that the evaluation knows nothing: a quiet move that
    prepares it looks worse than any that wins one more pawn. So nothing is pruned by it near the root then: of 62 mates
    in five or less 54 are found within 2,000,000 nodes each with this and without double extensions in such games, 46
    before. That of a lone king does know.
    """
    return bound < params.WonScore or ply > params.WonPly or abs(static_eval) >= WON


@helper
def may_try_null_move(
    worker: Worker, ply: Ply, beta: Score, depth: Depth, best_eval: Score, static_eval: Score, cut_node: Flag
) -> bool:
    """Whether passing is worth a try: the side to move stands well above beta, and did not get here by a pass.

    Without pieces zugzwang makes passing better than any move. Where no fail-high is expected the attempt is seldom
    worth its nodes (B).
    """
    return (
        depth >= params_of(worker).NullMoveDepth
        and best_eval >= beta
        and cut_node != 0
        and static_eval >= beta - params_of(worker).NullMoveBetaSlope * depth
        and frame_at(worker, ply - 1).move != 0
        and ply >= worker.null_move_min_ply
        and has_pieces(worker.position, I64(worker.position.side))
    )


@helper
def null_move_reduction(params: Params, depth: Depth, margin: Score) -> Depth:
    """By how many plies the search after a pass is shallower, when the evaluation is ``margin`` above beta."""
    reduction = (params.NullMoveBase + params.NullMoveSlope * depth) // 1024
    return reduction + min(margin // params.NullMoveEvalDivisor, 3)


@helper
def small_probcut_cutoff(
    params: Params, beta: Score, depth: Depth, tt_depth: Depth, tt_bound: int, tt_score: Score
) -> Score:
    """A margin above beta if the table has a lower bound that high, nearly as deep as is wanted, else NONE ("small
    ProbCut", as in Stockfish; A)."""
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


@helper
def prunes_quiet(
    worker: Worker,
    ply: Ply,
    move: Move,
    alpha: Score,
    static_eval: Score,
    depth: Depth,
    lmr_depth: Depth,
    move_count: int,
    has_best: bool,
    improving: bool,
    history: int,
    is_check: bool,
    spares_checks: bool,
    is_pv: bool,
) -> bool:
    """Whether the quiet ``move`` is skipped. Sets ``picker.skip_quiets`` if all later quiet moves are too.

    ``lmr_depth`` is how deep late move reductions would search it; ``is_check`` says that it gives check and is spared
    for that, ``spares_checks`` that others may be.
    """
    params, frame, position = params_of(worker), frame_at(worker, ply), worker.position
    # Late move pruning: with good ordering the last quiet moves never help (136). But of the replies to a root move the
    # one that saves a queen may be the third quiet one, and a few nodes must be enough to see that.
    late = params.LateMovePruningBase + params.LateMovePruningSlope * depth * depth
    if not improving:
        late //= 2
    if is_pv:
        late += late * params.LateMovePruningPv // 100  # a missed move costs more there (E)
    is_late = ply > 1 and depth <= params.LateMovePruningDepth and 100 * move_count > late
    # Futility pruning: a quiet move will not make up for so much (19), least of all one that has failed elsewhere (C),
    # or where another has raised alpha already (D).
    futility_value = static_eval + params.FutilityBase + params.FutilityMargin * lmr_depth
    if not has_best:
        futility_value += params.FutilityNoBest
    futility_value += params.FutilityHistory * history // 1024
    in_check = position.checkers != ZERO
    is_futile = not in_check and lmr_depth <= params.FutilityDepth and futility_value <= alpha
    if (is_late or is_futile) and not is_check:
        if not spares_checks:
            frame.picker.skip_quiets = 1
        return True
    # History pruning: what failed everywhere else will fail here (16).
    if lmr_depth <= params.HistoryPruningDepth and history < -params.HistoryPruningMargin * lmr_depth and not is_check:
        return True
    # Static exchange pruning: a piece put where it is simply taken (69; 22 for captures).
    return (
        lmr_depth <= params.QuietSeeDepth
        and touches_threat(frame, move)
        and not see_ge(position, move, -params.QuietSeeMargin * lmr_depth * lmr_depth)
    )


@helper
def prunes_noisy(
    worker: Worker,
    move: Move,
    alpha: Score,
    static_eval: Score,
    depth: Depth,
    lmr_depth: Depth,
    history: int,
    is_check: bool,
) -> bool:
    """Whether the capture or promotion ``move`` is skipped."""
    params, position = params_of(worker), worker.position
    # Futility pruning of captures: not even the captured piece makes up for so much (A).
    futility_value = static_eval + SEE_VALUES[captured_type(position, move)]
    futility_value += params.NoisyFutilityHistory * history // 1024
    futility_value += params.NoisyFutilityBase + params.NoisyFutilityMargin * lmr_depth
    if (
        position.checkers == ZERO
        and not is_check
        and lmr_depth <= params.NoisyFutilityDepth
        and futility_value <= alpha
        and not is_promotion(move)
    ):
        return True
    # Static exchange pruning.
    return depth <= params.NoisySeeDepth and not see_ge(position, move, -params.NoisySeeMargin * depth)
