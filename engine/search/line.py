"""Going down and up one move: position, evaluation and the principal variation together."""

from engine.board.make import key_after, make_move, make_null_move, unmake_move, unmake_null_move
from engine.board.moves import is_noisy
from engine.evaluation.evaluator import pop, push_move, push_null
from engine.jit import helper
from engine.search.history import moved_index
from engine.search.state import frame_at
from engine.search.transposition import prefetch_cluster


@helper
def descend(worker, ply, move):
    """Make ``move`` at ``ply`` and start loading what the child will look up."""
    frame = frame_at(worker, ply)
    prefetch_cluster(worker.table, key_after(worker.position, move))
    frame.move = move
    frame.moved = moved_index(worker.position, move)
    frame.quiet = 0 if is_noisy(move) else 1
    push_move(worker.evaluator, worker.position, move)
    make_move(worker.position, move)


@helper
def ascend(worker, move):
    """Take ``move`` back."""
    unmake_move(worker.position, move)
    pop(worker.evaluator)


@helper
def descend_null(worker, ply):
    """Pass at ``ply``."""
    frame = frame_at(worker, ply)
    frame.move = 0
    frame.moved = 0
    frame.quiet = 0
    push_null(worker.evaluator)
    make_null_move(worker.position)
    prefetch_cluster(worker.table, worker.position.key)


@helper
def ascend_null(worker):
    """Take the pass back."""
    unmake_null_move(worker.position)
    pop(worker.evaluator)


@helper
def extend_pv(worker, ply, move):
    """Set the principal variation at ``ply`` to ``move`` and the child's variation after it."""
    frame, child = frame_at(worker, ply), frame_at(worker, ply + 1)
    frame.pv[0] = move
    for index in range(child.pv_length):
        frame.pv[index + 1] = child.pv[index]
    frame.pv_length = child.pv_length + 1
