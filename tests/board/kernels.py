"""Compiled loops of the tests: what would take Python minutes. Not cached, for the sources they call may change."""

from numba import njit

from engine.board.legality import is_legal
from engine.board.see import see_ge
from engine.board.types import I64


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
