"""Accumulator refreshes, starting not from the empty board but from an accumulator kept for the same orientation.

When a king crosses the middle, all features of its side change. But the last accumulator of each orientation is kept
with its board, and most pieces are still on the same squares: only the differences are added and subtracted (Finn
Eggers' idea, in Koivisto; known as Finny tables).
"""

from __future__ import annotations

from engine.board.aliases import Color, Position
from engine.board.position import king_square
from engine.board.types import I64, ONE, U64, ZERO
from engine.evaluation.nnue.features import feature_of, is_mirrored, orientation_of
from engine.evaluation.records import NetAccumulator, NetRecord, RefreshTable
from engine.jit import helper, lsb, row_sum

_COLORS, _TYPES, _ORIENTATIONS = 2, 6, 2

_copy = row_sum("")
_add = row_sum("+")
_subtract = row_sum("-")
_move = row_sum("+-")


@helper
def forget(table: RefreshTable) -> None:
    """Clear the table: the network may have changed."""
    for number in range(_COLORS * _ORIENTATIONS):
        table.kept[U64(number)].filled = 0


@helper
def refresh(
    net: NetRecord, table: RefreshTable, accumulator: NetAccumulator, position: Position, perspective: Color
) -> None:
    """Compute ``accumulator`` for ``perspective`` from the one kept in ``table``, and keep the result there."""
    hidden = net.hidden
    king = king_square(position, perspective)
    orientation = orientation_of(perspective, king)
    kept = table.kept[U64(perspective * _ORIENTATIONS + is_mirrored(king))]
    values = kept.values
    if kept.filled == 0:
        _copy(values, net.biases, net.biases, (), hidden)
        for piece in range(_COLORS * _TYPES):
            kept.pieces[U64(piece)] = ZERO
        kept.skip = 0
        kept.filled = 1
    skip = I64(kept.skip)
    for color in range(_COLORS):
        for kind in range(_TYPES):
            now = position.pieces[U64(kind)] & position.colors[U64(color)]
            before = kept.pieces[U64(color * _TYPES + kind)]
            kept.pieces[U64(color * _TYPES + kind)] = now
            new, gone = now & ~before, before & ~now
            piece = color << 3 | kind
            while new != ZERO and gone != ZERO:
                added = feature_of(perspective, orientation, piece, lsb(new))
                removed = feature_of(perspective, orientation, piece, lsb(gone))
                _move(values, values, net.weights, (added, removed), hidden)
                skip += net.skip[U64(added)] - net.skip[U64(removed)]
                new &= new - ONE
                gone &= gone - ONE
            while new != ZERO:
                added = feature_of(perspective, orientation, piece, lsb(new))
                _add(values, values, net.weights, (added,), hidden)
                skip += net.skip[U64(added)]
                new &= new - ONE
            while gone != ZERO:
                removed = feature_of(perspective, orientation, piece, lsb(gone))
                _subtract(values, values, net.weights, (removed,), hidden)
                skip -= net.skip[U64(removed)]
                gone &= gone - ONE
    kept.skip = skip
    _copy(accumulator.values[U64(perspective)], values, net.weights, (), hidden)
    accumulator.skip[perspective] = skip
    accumulator.computed[perspective] = 1
