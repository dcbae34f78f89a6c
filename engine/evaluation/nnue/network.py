"""The network at play: a record of its weights, an accumulator for each ply, and the compiled inference.

The first layer is a sum over the pieces on the board, so a move changes it by a few columns: taking a piece away
subtracts its column, putting it elsewhere adds one. A move only notes what it changes; the columns are summed when
an evaluation is wanted, from the nearest ply that has them (lazy updates). When a king crosses the board's middle its
perspective is mirrored and summed up anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.board.make import capture_square
from engine.board.moves import (
    castled_king_square,
    castled_rook_square,
    is_capture,
    is_castling,
    is_promotion,
    origin_of,
    promoted_type,
    target_of,
)
from engine.board.position import king_square, occupied_by_all, piece_on
from engine.board.types import BLACK, I64, KING, ONE, ROOK, U64, WHITE
from engine.evaluation.nnue.file import Net
from engine.evaluation.nnue.shape import INPUTS, MAX_HIDDEN, OUTPUT_BUCKETS, QA, QB, QS, SCALE
from engine.jit import helper, lsb, new_record, popcount, record_at, structure

#: A network in memory, its arrays without gaps between rows of N columns.
NET = structure(
    ("weights", "i2", (INPUTS * MAX_HIDDEN,)),  # [feature * N + column]
    ("biases", "i2", (MAX_HIDDEN,)),
    ("output_weights", "i2", (OUTPUT_BUCKETS * 2 * MAX_HIDDEN,)),  # [(bucket * 2 + perspective) * N + column]
    ("skip", "i4", (INPUTS,)),  # [feature]
    ("output_biases", "i4", (OUTPUT_BUCKETS,)),
    ("hidden", "i8"),  # N
)

net_at = record_at(NET)

#: One ply's sums by perspective [color], and what the move that led here changed. Whole cache lines.
SUMS = structure(
    ("values", "i2", (2, MAX_HIDDEN)),  # [color][column]
    ("skip", "i4", (2,)),
    ("known", "i4", (2,)),  # [color] 1: the sums are up to date
    ("mirrors", "i4", (2,)),  # [color] 1: the move took this side's king across the middle
    ("added", "i4", (2,)),  # piece << 6 | square
    ("removed", "i4", (2,)),
    ("added_count", "i4"),
    ("removed_count", "i4"),
    ("unused", "i4", (4,)),
)

_ZERO, _FULL = np.int16(0), np.int16(QA)
_RIGHT_HALF = 4


def new_net_record(net: Net) -> Any:
    """A NET record filled from ``net``. Whoever stores its address keeps it alive."""
    record = new_record(NET)
    for name in ("weights", "biases", "skip", "output_weights", "output_biases"):
        values = getattr(net, name).reshape(-1)
        record[name][: len(values)] = values
    record["hidden"] = net.hidden
    return record


@helper
def _orientation(position, perspective):
    """What a square is xored with to be seen from ``perspective``."""
    flip = 56 if perspective == BLACK else 0
    return flip ^ 7 if king_square(position, perspective) & _RIGHT_HALF else flip


@helper
def _feature(perspective, orientation, piece, square):
    """The index of ``piece`` on ``square``."""
    other = (piece >> 3) ^ perspective
    return other * 384 + (piece & 7) * 64 + (square ^ orientation)


@helper
def _copy(target, source, hidden):
    for column in range(hidden):
        target[column] = source[column]


@helper
def _add(target, weights, plus, hidden):
    """In place: with a source that may be the target itself the loop would not be vectorised."""
    plus *= hidden
    for column in range(hidden):
        target[column] += weights[U64(plus + column)]


@helper
def _add_subtract(target, source, weights, plus, minus, hidden):
    plus *= hidden
    minus *= hidden
    for column in range(hidden):
        target[column] = source[column] + weights[U64(plus + column)] - weights[U64(minus + column)]


@helper
def _add_subtract_twice(target, source, weights, plus, minus, taken, hidden):
    plus *= hidden
    minus *= hidden
    taken *= hidden
    for column in range(hidden):
        target[column] = (
            source[column]
            + weights[U64(plus + column)]
            - weights[U64(minus + column)]
            - weights[U64(taken + column)]
        )


@helper
def _refresh(net, sums, position, perspective):
    """Sum up the whole board for ``perspective``."""
    hidden = net.hidden
    values = sums.values[U64(perspective)]
    _copy(values, net.biases, hidden)
    orientation = _orientation(position, perspective)
    skip = 0
    rest = occupied_by_all(position)
    while rest:
        square = lsb(rest)
        rest &= rest - ONE
        feature = _feature(perspective, orientation, piece_on(position, square), square)
        _add(values, net.weights, feature, hidden)
        skip += net.skip[U64(feature)]
    sums.skip[perspective] = skip
    sums.known[perspective] = 1


@helper
def _changed_feature(change, perspective, orientation):
    """The feature of a noted change, ``piece << 6 | square``."""
    return _feature(perspective, orientation, I64(change) >> 6, I64(change) & 63)


@helper
def _advance(net, target, source, perspective, orientation):
    """Set ``target`` to ``source`` changed by the move between them."""
    hidden = net.hidden
    after, before = target.values[U64(perspective)], source.values[U64(perspective)]
    target.known[perspective] = 1
    if target.added_count == 0:
        _copy(after, before, hidden)
        target.skip[perspective] = source.skip[perspective]
        return
    added = _changed_feature(target.added[0], perspective, orientation)
    removed = _changed_feature(target.removed[0], perspective, orientation)
    skip = I64(source.skip[perspective]) + net.skip[U64(added)] - net.skip[U64(removed)]
    if target.removed_count == 1:
        _add_subtract(after, before, net.weights, added, removed, hidden)
    else:
        taken = _changed_feature(target.removed[1], perspective, orientation)
        skip -= net.skip[U64(taken)]
        _add_subtract_twice(after, before, net.weights, added, removed, taken, hidden)
        if target.added_count == 2:
            added = _changed_feature(target.added[1], perspective, orientation)
            skip += net.skip[U64(added)]
            _add(after, net.weights, added, hidden)
    target.skip[perspective] = skip


@helper
def note_nothing(sums):
    """The sums of a ply that a null move leads to are yet to be made; nothing changes."""
    sums.known[0] = 0
    sums.known[1] = 0
    sums.mirrors[0] = 0
    sums.mirrors[1] = 0
    sums.added_count = 0
    sums.removed_count = 0


@helper
def note_move(sums, position, move):
    """The sums of the ply that ``move`` leads to are yet to be made; it is yet to be made on ``position``."""
    note_nothing(sums)
    us = I64(position.side)
    origin, target = origin_of(move), target_of(move)
    piece = piece_on(position, origin)
    sums.removed[0] = piece << 6 | origin
    sums.removed_count = 1
    sums.added_count = 1
    if is_castling(move):
        rook = us << 3 | ROOK
        king_target = castled_king_square(move)
        sums.added[0] = piece << 6 | king_target
        sums.removed[1] = rook << 6 | target
        sums.added[1] = rook << 6 | castled_rook_square(move)
        sums.removed_count = 2
        sums.added_count = 2
        sums.mirrors[us] = 1 if (origin ^ king_target) & _RIGHT_HALF else 0
        return
    if is_capture(move):
        square = capture_square(move)
        sums.removed[1] = piece_on(position, square) << 6 | square
        sums.removed_count = 2
    if is_promotion(move):
        piece = us << 3 | promoted_type(move)
    elif piece & 7 == KING:
        sums.mirrors[us] = 1 if (origin ^ target) & _RIGHT_HALF else 0
    sums.added[0] = piece << 6 | target


@helper
def _settle(net, stack, ply, position, perspective):
    """Bring the sums of ``ply`` up to date."""
    start = ply
    while stack[U64(start)].sums.known[perspective] == 0:
        if stack[U64(start)].sums.mirrors[perspective] != 0 or start == 0:
            _refresh(net, stack[U64(ply)].sums, position, perspective)
            return
        start -= 1
    orientation = _orientation(position, perspective)
    while start < ply:
        _advance(net, stack[U64(start + 1)].sums, stack[U64(start)].sums, perspective, orientation)
        start += 1


@helper
def _weigh(values, weights, start, hidden):
    """The sum of the squared, clipped ``values`` by ``weights``.

    Activation times weight fits int16 (see WEIGHT_LIMIT), so that the compiler takes 16-bit lanes.
    """
    total = np.int32(0)
    for column in range(hidden):
        value = min(max(values[column], _ZERO), _FULL)
        product = np.int16(value * weights[U64(start + column)])
        total = np.int32(total + np.int32(product) * np.int32(value))
    return I64(total)


@helper
def sum_up(net, sums, position):
    """Begin a line: every ply below can start from these sums. (The search may never ask for the value here, which the
    transposition table knows; without sums at the root each line would sum up the whole board again.)"""
    note_nothing(sums)
    _refresh(net, sums, position, I64(WHITE))
    _refresh(net, sums, position, I64(BLACK))


@helper
def network_value(net, stack, ply, position):
    """Centipawns for the side to move, by the network; ``stack[ply].sums`` are those of ``position``."""
    _settle(net, stack, ply, position, I64(WHITE))
    _settle(net, stack, ply, position, I64(BLACK))
    sums = stack[U64(ply)].sums
    us = I64(position.side)
    them = us ^ 1
    hidden = net.hidden
    bucket = min((popcount(occupied_by_all(position)) - 2) // 4, OUTPUT_BUCKETS - 1)
    start = bucket * 2 * hidden
    total = _weigh(sums.values[U64(us)], net.output_weights, start, hidden)
    total += _weigh(sums.values[U64(them)], net.output_weights, start + hidden, hidden)
    total = total // QA + net.output_biases[bucket]
    skip = I64(sums.skip[us]) - I64(sums.skip[them])
    return total * SCALE // (QA * QB) + skip // (2 * QS)
