"""Compiled loops of the tests: what would take Python minutes. Not cached, for the sources they call may change."""

import numpy as np
from numba import njit

from engine.board.legality import is_legal
from engine.board.make import make_move, make_null_move, unmake_move, unmake_null_move
from engine.board.movegen import ALL_MOVES, count_moves, generate_moves
from engine.board.position import recompute_keys, update_checks
from engine.board.see import see_ge
from engine.board.types import I64, ZERO

#: No move is encoded as this; the null move.
NO_MOVE = 0

#: Faults found by :func:`walk`.
SOUND, WRONG_COUNT, WRONG_KEY, WRONG_PAWN_KEY, WRONG_NONPAWN_KEY, WRONG_CHECKS = range(6)


@njit(nogil=True)
def all_legal(position, legal):
    """Set ``legal[m]`` to whether ``is_legal`` takes m, for all 65536 numbers."""
    for move in range(65536):
        legal[move] = is_legal(position, I64(move))


@njit(nogil=True)
def see_bounds(position, moves, count, thresholds, answers):
    """Set ``answers[i][j]`` to whether move i reaches threshold j."""
    for i in range(count):
        for j in range(len(thresholds)):
            answers[i, j] = see_ge(position, I64(moves.move[i]), I64(thresholds[j]))


@njit(nogil=True)
def _verdict(position, moves, count):
    """Compare what is kept up to date with what can be worked out anew."""
    if count != count_moves(position):
        return WRONG_COUNT
    key, pawn_key = position.key, position.pawn_key
    white, black = position.nonpawn_key[0], position.nonpawn_key[1]
    checkers, straight, diagonal = position.checkers, position.pinned_straight, position.pinned_diagonal
    recompute_keys(position)
    update_checks(position)
    if position.key != key:
        return WRONG_KEY
    if position.pawn_key != pawn_key:
        return WRONG_PAWN_KEY
    if position.nonpawn_key[0] != white or position.nonpawn_key[1] != black:
        return WRONG_NONPAWN_KEY
    if position.checkers != checkers or position.pinned_straight != straight or position.pinned_diagonal != diagonal:
        return WRONG_CHECKS
    return SOUND


@njit(nogil=True)
def walk(position, moves, choices, played):
    """Make random moves, now and then a null move, verify each position, and take all back again.

    ``choices`` holds random int64 >= 0, one a ply; ``played`` takes the moves. Returns the verdict and the ply
    at which it fell; where all is sound that is the length of the walk.
    """
    verdict, length = I64(SOUND), I64(0)
    while verdict == SOUND and length < len(choices):
        count = generate_moves(position, moves, I64(0), I64(ALL_MOVES))
        verdict = I64(_verdict(position, moves, count))
        if count == 0 or verdict != SOUND:
            break
        choice = choices[length]
        if choice % 8 == 0 and position.checkers == ZERO:
            played[length] = NO_MOVE
            make_null_move(position)
        else:
            played[length] = moves.move[choice // 8 % count]
            make_move(position, I64(played[length]))
        length += 1
    for ply in range(length - 1, -1, -1):
        if played[ply] == NO_MOVE:
            unmake_null_move(position)
        else:
            unmake_move(position, I64(played[ply]))
    return verdict, length


def random_choices(seed: int, plies: int) -> np.ndarray:
    """Input for :func:`walk`."""
    return np.random.default_rng(seed).integers(0, 2**40, plies)
