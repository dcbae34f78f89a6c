"""Making and unmaking moves in the search: position, evaluation and principal variation together."""

from engine.board.aliases import Move, Ply
from engine.board.make import key_after, key_after_null, make_move, make_null_move, unmake_move, unmake_null_move
from engine.board.moves import is_capture, is_noisy, origin_of
from engine.board.position import type_on
from engine.board.types import I64, PAWN
from engine.evaluation.evaluator import pop, push_move, push_null
from engine.jit import inlined
from engine.search.history import continuation_index
from engine.search.state import WorkerRecord, frame_at
from engine.search.transposition import clock_key, prefetch_cluster


@inlined
def prefetch_child(worker: WorkerRecord, move: Move) -> None:
    """Start loading the TT entries of the position after ``move``, which is not made yet."""
    position = worker.position
    resets = is_capture(move) or type_on(position, origin_of(move)) == PAWN
    rule50 = I64(0) if resets else I64(position.rule50) + 1
    prefetch_cluster(worker.table, key_after(position, move) ^ clock_key(rule50))


@inlined
def do_move(worker: WorkerRecord, ply: Ply, move: Move) -> None:
    """Make ``move`` at ``ply``."""
    frame = frame_at(worker, ply)
    frame.move = move
    frame.continuation_index = continuation_index(worker.position, move)
    frame.quiet = 0 if is_noisy(move) else 1
    push_move(worker.evaluator, worker.position, move)
    make_move(worker.position, move)


@inlined
def undo_move(worker: WorkerRecord, move: Move) -> None:
    """Take back ``move``, the last one made."""
    unmake_move(worker.position, move)
    pop(worker.evaluator)


@inlined
def do_null_move(worker: WorkerRecord, ply: Ply) -> None:
    """Make a null move at ``ply``."""
    frame = frame_at(worker, ply)
    frame.move = 0
    frame.continuation_index = 0
    frame.quiet = 0
    prefetch_cluster(worker.table, key_after_null(worker.position) ^ clock_key(I64(worker.position.rule50) + 1))
    push_null(worker.evaluator)
    make_null_move(worker.position)


@inlined
def undo_null_move(worker: WorkerRecord) -> None:
    """Take back the null move."""
    unmake_null_move(worker.position)
    pop(worker.evaluator)


@inlined
def extend_pv(worker: WorkerRecord, ply: Ply, move: Move) -> None:
    """Set the principal variation at ``ply`` to ``move`` followed by the child's."""
    frame, child = frame_at(worker, ply), frame_at(worker, ply + 1)
    frame.pv[0] = move
    for index in range(child.pv_length):
        frame.pv[index + 1] = child.pv[index]
    frame.pv_length = child.pv_length + 1
