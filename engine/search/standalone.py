"""A whole search in one compiled call, for games that are played in compiled code: self-play and the arena.

The engine itself does not import this, so nobody who plays waits for it to be compiled.
"""

from numba import int64, types

from engine.board.aliases import Move, Score, Worker
from engine.board.movegen import ALL_MOVES, generate_moves
from engine.board.types import I64
from engine.jit import helper, kernel
from engine.search import timeman
from engine.search.deepening import (
    ABORTED,
    FINISHED,
    UNLIMITED,
    begin_search,
    search_iteration,
)
from engine.search.state import WORKER_T, frame_at, params_of
from engine.search.timeman import FORCED_MOVE_DEPTH
from engine.search.transposition import start_generation


@helper
def begin_new_search(worker: Worker, node_limit: int) -> None:
    """Begin to search all legal moves of ``worker.position``, which has some; the table's entries become older."""
    moves = frame_at(worker, 0).moves
    worker.root_count = generate_moves(worker.position, moves, I64(0), ALL_MOVES)
    for index in range(worker.root_count):
        worker.root[index].move = moves.move[index]
    start_generation(worker.table)
    begin_search(worker, node_limit)


_pace_of = helper(timeman.pace_of)


@helper
def _share_of(worker: Worker, move: Move) -> float:
    """The share of this search's nodes that went into the root ``move``."""
    nodes = 0
    for index in range(worker.root_count):
        if worker.root[index].move == move:
            nodes = worker.root[index].nodes
    return nodes / max(worker.nodes, 1)


@kernel(types.UniTuple(int64, 2)(WORKER_T, int64, int64, int64, int64), "the search of compiled games")
def deepen(worker: Worker, nodes: int, hard: int, last: int, paced: int) -> tuple[Move, Score]:
    """Search ``worker.position``, which has legal moves: the move to play, and its score.

    No iteration starts after ``nodes`` nodes or depth ``last``, and after ``hard`` nodes one is broken off, but never
    the first. The move is then the best one found, as in the engine; the score is that of the last iteration that was
    finished. If it is ``paced``, ``nodes`` are the optimum of a clock that runs on nodes: the engine's time
    management stretches or shortens them.
    """
    begin_new_search(worker, hard)
    move, score, stable = I64(0), I64(0), 0
    for depth in range(1, last + 1):
        worker.node_limit = UNLIMITED if depth == 1 else hard
        outcome = search_iteration(worker, depth, score, move)
        line = worker.iteration.line
        former_move, former_score = move, score
        if outcome != ABORTED:
            move = I64(line.pv[0])
            if outcome == FINISHED:
                score = line.score
        if worker.aborted != 0:
            break
        pace = 1.0
        if paced != 0:
            if worker.root_count == 1 and depth >= FORCED_MOVE_DEPTH:
                break
            stable = stable + 1 if move == former_move else 0
            drop = former_score - score if depth > 1 else I64(0)
            pace = _pace_of(params_of(worker), _share_of(worker, move), stable, drop)
        if worker.nodes >= pace * nodes:
            break
    return move, score
