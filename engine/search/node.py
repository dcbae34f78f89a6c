"""The start of every node: count it, check the limits now and then, recognize draws."""

from engine.board.aliases import Ply, Position, Score
from engine.board.cycles import has_upcoming_repetition
from engine.board.draws import is_insufficient_material, is_repetition
from engine.board.movegen import count_moves
from engine.board.types import I64, ZERO
from engine.evaluation.endgames import has_lone_king, is_rook_pawn_draw
from engine.evaluation.evaluator import evaluate, prepare
from engine.jit import clock_ticks, function_at, inlined, int64, load_relaxed
from engine.search.scores import DRAW, MAX_PLY, NONE
from engine.search.state import DEADLINE, NO_DEADLINE, Frame, WorkerRecord, frame_at
from engine.search.transposition import Probe, probe, table_key

#: Nodes between two reads of the stop flag and the clock (a power of two). The first read comes at the end of such an
#: interval, so that even with no time at all most searches finish their first iteration.
CHECK_INTERVAL = 1024

_report = function_at(int64(int64, int64))


@inlined
def should_abort(worker: WorkerRecord) -> bool:
    """Whether the search must end: stopped, out of time or out of nodes."""
    if worker.aborted != 0:
        return True
    if worker.nodes >= worker.node_limit:
        worker.aborted = 1
    elif (worker.nodes + 1) & (CHECK_INTERVAL - 1) == 0:
        if load_relaxed(worker.control_address) != 0:
            worker.aborted = 1
        deadline = load_relaxed(worker.control_address + DEADLINE)
        if deadline != NO_DEADLINE and clock_ticks() >= deadline:
            worker.aborted = 1
        if worker.aborted == 0 and worker.tick_address != 0 and clock_ticks() >= worker.next_tick:
            worker.next_tick = _report(worker.tick_address, worker.current_move, worker.current_number)
    return worker.aborted != 0


@inlined
def enter_node(worker: WorkerRecord, ply: Ply) -> Frame:
    """Count the node, update the selective depth, and return the node's frame, without a principal variation."""
    worker.nodes += 1
    if ply > worker.seldepth:
        worker.seldepth = ply
    frame = frame_at(worker, ply)
    frame.pv_length = 0
    return frame


@inlined
def raise_to_draw(position: Position, ply: Ply, alpha: Score) -> Score:
    """``alpha``, or DRAW if that is more and the side to move can return to an earlier position."""
    return I64(DRAW) if alpha < DRAW and has_upcoming_repetition(position, ply) else alpha


@inlined
def look_up(worker: WorkerRecord, frame: Frame) -> Probe:
    """Probe the transposition table, and prepare the evaluation while its entry is loading."""
    if worker.position.checkers == ZERO:
        prepare(worker.evaluator, worker.position)
    probe(worker.table, table_key(worker.position), frame.probe)
    return frame.probe


@inlined
def is_draw(position: Position, ply: Ply) -> bool:
    """Whether the position ``ply`` plies below the root is surely a draw. Checkmate precedes the 50-move rule."""
    if position.rule50 >= 100 and (position.checkers == ZERO or count_moves(position) > 0):
        return True
    if is_repetition(position, ply) or is_insufficient_material(position):
        return True
    return has_lone_king(position) and is_rook_pawn_draw(position)


@inlined
def score_by_rule(worker: WorkerRecord, ply: Ply, in_check: bool) -> Score:
    """The score of a node that is drawn or at MAX_PLY; NONE for any other."""
    if is_draw(worker.position, ply):
        return I64(DRAW)
    if ply >= MAX_PLY:
        return I64(DRAW) if in_check else I64(evaluate(worker.evaluator, worker.position))
    return I64(NONE)
