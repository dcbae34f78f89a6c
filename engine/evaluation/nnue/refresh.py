"""Accumulator refreshes, starting not from the empty board but from an accumulator kept for the same orientation.

When a king crosses the middle, all features of its side change. But the last accumulator of each orientation is kept
with its board, and most pieces are still on the same squares: only the differences are added and subtracted (Finn
Eggers' idea, in Koivisto; known as Finny tables)."""

from engine.board.aliases import Color, Position
from engine.board.position import king_square
from engine.board.types import I64, ONE, U64, ZERO
from engine.evaluation.nnue.features import feature_of, is_mirrored, orientation_of
from engine.evaluation.records import COLORS, ORIENTATIONS, TYPES, NetAccumulator, NetRecord, RefreshTable
from engine.jit import inlined, lsb, row_sum

_copy = row_sum("")
_add = row_sum("+")
_subtract = row_sum("-")
_move = row_sum("+-")


@inlined
def clear(table: RefreshTable) -> None:
    """Invalidate all entries, as after a change of network."""
    for number in range(COLORS * ORIENTATIONS):
        table.entries[U64(number)].valid = 0


@inlined
def refresh(
    net: NetRecord, table: RefreshTable, accumulator: NetAccumulator, position: Position, perspective: Color
) -> None:
    """Compute ``accumulator`` for ``perspective`` from the one kept in ``table``, and keep the result there."""
    hidden = net.hidden
    king = king_square(position, perspective)
    orientation = orientation_of(perspective, king)
    entry = table.entries[U64(perspective * ORIENTATIONS + is_mirrored(king))]
    values = entry.values
    if entry.valid == 0:
        _copy(values, net.biases, net.biases, (), hidden)
        for piece in range(COLORS * TYPES):
            entry.pieces[U64(piece)] = ZERO
        entry.skip = 0
        entry.valid = 1
    skip = I64(entry.skip)
    for color in range(COLORS):
        for kind in range(TYPES):
            now = position.pieces[U64(kind)] & position.colors[U64(color)]
            before = entry.pieces[U64(color * TYPES + kind)]
            entry.pieces[U64(color * TYPES + kind)] = now
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
    entry.skip = skip
    _copy(accumulator.values[U64(perspective)], values, net.weights, (), hidden)
    accumulator.skip[perspective] = skip
    accumulator.computed[perspective] = 1
