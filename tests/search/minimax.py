"""Minimax over the engine's rules and its quiescence search, and the search made fit to be compared with it.

The transposition table is the one heuristic that no parameter switches off. :func:`forget` leaves it room for a single
entry, the last one stored: so a node can only meet its own entry, when it is searched again.
"""

import ctypes
from typing import Any

from numba import int64, njit

from engine.board.draws import is_insufficient_material, is_repetition
from engine.board.make import make_move, unmake_move
from engine.board.movegen import ALL_MOVES, count_moves, generate_moves
from engine.board.types import I64, U64, ZERO
from engine.evaluation.evaluator import reset
from engine.jit.pointers import address_of
from engine.search.quiescence import QUIESCENCE_NODES, qsearch
from engine.search.scores import INFINITY, MATE, NONE
from engine.search.state import WORKER_T, frame_at
from engine.search.transposition import BOUND_NONE, CLUSTER_SIZE, TableEntry, cluster_at, store, table_key

#: A packed entry of the greatest depth: nothing replaces it, and no position has its key.
_DEEPEST = U64(255 << 48)


def quiescence() -> Any:
    """The quiescence search by its address: called as a kernel, it would be compiled into :func:`minimax` once more."""
    return ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)(address_of(qsearch, int64(WORKER_T, int64, int64, int64)))


@njit(error_model="numpy")
def forget(table):
    """Empty the table and leave it one entry."""
    table.clusters = U64(1)
    cluster = cluster_at(table.address, ZERO)
    for slot in range(CLUSTER_SIZE):
        cluster.packed[slot] = ZERO if slot == 0 else _DEEPEST
        cluster.check[slot] = ZERO


@njit(error_model="numpy")
def stored_move(worker):
    """The move in that entry."""
    return I64(cluster_at(worker.table.address, ZERO).packed[0] & U64(0xFFFF))


@njit(error_model="numpy")
def begin(worker, first):
    """Make ready for a search of ``worker.position`` that looks at the ``first`` move first (0: at any)."""
    forget(worker.table)
    key = table_key(worker.position)
    store(worker.table, key, TableEntry(first, I64(0), I64(NONE), I64(0), I64(BOUND_NONE), I64(0)))
    frame_at(worker, 0).pv_length = 0
    reset(worker.evaluator, worker.position)


@njit(error_model="numpy")
def minimax(worker, address, leaf, depth, ply):
    """The value of ``worker.position`` (negamax, without any cut); ``address`` is that of ``worker``, and ``leaf`` what
    :func:`quiescence` gave."""
    position = worker.position
    if depth == 0:
        forget(worker.table)
        reset(worker.evaluator, position)
        worker.quiescence_limit = worker.nodes + QUIESCENCE_NODES
        return leaf(address, -INFINITY, INFINITY, ply)
    if count_moves(position) == 0:
        return ply - MATE if position.checkers != ZERO else I64(0)
    if ply > 0 and (position.rule50 >= 100 or is_repetition(position, ply) or is_insufficient_material(position)):
        return I64(0)
    moves = frame_at(worker, ply).moves
    best = I64(-INFINITY)
    for index in range(generate_moves(position, moves, 0, ALL_MOVES)):
        move = I64(moves.move[index])
        make_move(position, move)
        best = max(best, -minimax(worker, address, leaf, depth - 1, ply + 1))
        unmake_move(position, move)
    return best
