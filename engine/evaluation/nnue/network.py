"""The compiled network: a record of its weights, an accumulator for each ply, and inference.

The first layer is a sum over the pieces on the board, the *accumulator*, so a move changes only a few columns: removing
a piece subtracts its column, putting it elsewhere adds one. A move only records this *update*; it is applied when an
evaluation is needed, from the nearest ply with a computed accumulator (lazy updates). When a king crosses the middle of
the board, its perspective is mirrored and the accumulator is refreshed (:mod:`engine.evaluation.nnue.refresh`)."""

from typing import Any

from engine.board.aliases import Color, Move, Ply, Position, Score
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
from engine.board.types import BLACK, I64, KING, ROOK, U64, WHITE
from engine.evaluation.nnue.features import bucket_of, feature_of, is_mirrored, orientation_of
from engine.evaluation.nnue.file import Net
from engine.evaluation.nnue.refresh import clear, refresh
from engine.evaluation.nnue.shape import QA, QB, QS, SCALE
from engine.evaluation.records import Evaluator, NetAccumulator, NetRecord
from engine.jit import inlined, new_record, popcount, record_at, row_sum, structure, weigh_squares

NET = structure(NetRecord)
net_at = record_at(NetRecord)


def new_net_record(net: Net) -> Any:
    """A NET record filled from ``net``. The caller that stores its address must keep it alive."""
    record = new_record(NET)
    for name in ("weights", "biases", "skip", "output_weights", "output_biases"):
        values = getattr(net, name).reshape(-1)
        record[name][: len(values)] = values
    record["hidden"] = net.hidden
    return record


# Each kind of update in one pass, from the previous ply's accumulator into this one's.
_copy = row_sum("")
_move = row_sum("+-")
_capture = row_sum("+--")
_castle = row_sum("+-+-")


@inlined
def _changed_feature(change: int, perspective: Color, orientation: int) -> int:
    """The feature of a recorded change, ``piece << 6 | square``."""
    return feature_of(perspective, orientation, I64(change) >> 6, I64(change) & 63)


@inlined
def _apply_update(
    net: NetRecord, target: NetAccumulator, source: NetAccumulator, perspective: Color, orientation: int
) -> None:
    """Compute ``target`` from ``source``, the previous ply's accumulator, and its own update."""
    hidden = net.hidden
    after, before = target.values[U64(perspective)], source.values[U64(perspective)]
    target.computed[perspective] = 1
    skip = I64(source.skip[perspective])
    if target.added_count == 0:
        _copy(after, before, net.weights, (), hidden)
    else:
        added = _changed_feature(target.added[0], perspective, orientation)
        removed = _changed_feature(target.removed[0], perspective, orientation)
        skip += net.skip[U64(added)] - net.skip[U64(removed)]
        if target.removed_count == 1:
            _move(after, before, net.weights, (added, removed), hidden)
        else:
            taken = _changed_feature(target.removed[1], perspective, orientation)
            skip -= net.skip[U64(taken)]
            if target.added_count == 1:
                _capture(after, before, net.weights, (added, removed, taken), hidden)
            else:
                put = _changed_feature(target.added[1], perspective, orientation)
                skip += net.skip[U64(put)]
                _castle(after, before, net.weights, (added, removed, put, taken), hidden)
    target.skip[perspective] = skip


@inlined
def set_null_update(accumulator: NetAccumulator) -> None:
    """Record the update by a null move, which changes nothing."""
    accumulator.computed[0] = 0
    accumulator.computed[1] = 0
    accumulator.needs_refresh[0] = 0
    accumulator.needs_refresh[1] = 0
    accumulator.added_count = 0
    accumulator.removed_count = 0


@inlined
def set_update(accumulator: NetAccumulator, position: Position, move: Move) -> None:
    """Record the update by ``move``, which has not been made on ``position`` yet."""
    set_null_update(accumulator)
    us = I64(position.side)
    origin, target = origin_of(move), target_of(move)
    piece = piece_on(position, origin)
    accumulator.removed[0] = piece << 6 | origin
    accumulator.removed_count = 1
    accumulator.added_count = 1
    if is_castling(move):
        rook = us << 3 | ROOK
        king_target = castled_king_square(move)
        accumulator.added[0] = piece << 6 | king_target
        accumulator.removed[1] = rook << 6 | target
        accumulator.added[1] = rook << 6 | castled_rook_square(move)
        accumulator.removed_count = 2
        accumulator.added_count = 2
        accumulator.needs_refresh[us] = is_mirrored(origin) ^ is_mirrored(king_target)
        return
    if is_capture(move):
        square = capture_square(move)
        accumulator.removed[1] = piece_on(position, square) << 6 | square
        accumulator.removed_count = 2
    if is_promotion(move):
        piece = us << 3 | promoted_type(move)
    elif piece & 7 == KING:
        accumulator.needs_refresh[us] = is_mirrored(origin) ^ is_mirrored(target)
    accumulator.added[0] = piece << 6 | target


@inlined
def _compute(net: NetRecord, evaluator: Evaluator, ply: Ply, position: Position, perspective: Color) -> None:
    """Compute the accumulator of ``ply``, by updates or a refresh."""
    stack = evaluator.stack
    start = ply
    while stack[U64(start)].network.computed[perspective] == 0:
        if stack[U64(start)].network.needs_refresh[perspective] != 0 or start == 0:
            refresh(net, evaluator.refresh_table, stack[U64(ply)].network, position, perspective)
            return
        start -= 1
    orientation = orientation_of(perspective, king_square(position, perspective))
    while start < ply:
        _apply_update(net, stack[U64(start + 1)].network, stack[U64(start)].network, perspective, orientation)
        start += 1


@inlined
def begin(net: NetRecord, evaluator: Evaluator, position: Position) -> None:
    """Begin a line, so that every later ply can start from the accumulator at ``position``. The search may never
    evaluate this position, if the transposition table has its evaluation. But without an accumulator at the root, each
    line would sum up the whole board again."""
    accumulator = evaluator.stack[0].network
    set_null_update(accumulator)
    clear(evaluator.refresh_table)
    refresh(net, evaluator.refresh_table, accumulator, position, I64(WHITE))
    refresh(net, evaluator.refresh_table, accumulator, position, I64(BLACK))


@inlined
def compute(net: NetRecord, evaluator: Evaluator, position: Position) -> None:
    """Compute the accumulator of ``position``, the current one of ``evaluator``."""
    _compute(net, evaluator, evaluator.ply, position, I64(WHITE))
    _compute(net, evaluator, evaluator.ply, position, I64(BLACK))


@inlined
def network_value(net: NetRecord, evaluator: Evaluator, position: Position) -> Score:
    """The network's value in centipawns for the side to move of ``position``, the current one of ``evaluator``."""
    compute(net, evaluator, position)
    accumulator = evaluator.stack[U64(evaluator.ply)].network
    us = I64(position.side)
    them = us ^ 1
    hidden = net.hidden
    bucket = bucket_of(popcount(occupied_by_all(position)))
    own, others = accumulator.values[U64(us)], accumulator.values[U64(them)]
    total: int = weigh_squares(own, others, net.output_weights, bucket * 2 * hidden, hidden, QA)
    total = total // QA + net.output_biases[bucket]
    skip = I64(accumulator.skip[us]) - I64(accumulator.skip[them])
    return total * SCALE // (QA * QB) + skip // (2 * QS)
