"""The records of evaluations: the network, accumulators, and the evaluator that holds them."""

from typing import Annotated

from engine.evaluation.classical.pawns import PawnTable
from engine.evaluation.material import MaterialAccumulator
from engine.evaluation.nnue.shape import INPUTS, MAX_HIDDEN, OUTPUT_BUCKETS
from engine.jit import Array, Record, i2, i4, u8

STACK_PLIES = 256  # the longest line, in plies, that an evaluator can follow

COLORS, TYPES, ORIENTATIONS = 2, 6, 2


class NetRecord(Record):
    """A network in memory; its arrays have no gaps between rows of N columns."""

    weights: Annotated[Array[i2], (INPUTS * MAX_HIDDEN,)]  # [feature * N + column]
    biases: Annotated[Array[i2], (MAX_HIDDEN,)]
    output_weights: Annotated[
        Array[i2], (OUTPUT_BUCKETS * 2 * MAX_HIDDEN,)
    ]  # [(2 * bucket + perspective) * N + column]
    skip: Annotated[Array[i4], (INPUTS,)]  # [feature]
    output_biases: Annotated[Array[i4], (OUTPUT_BUCKETS,)]
    hidden: int  # N


class NetAccumulator(Record):
    """One ply's accumulator by perspective [color], and the update by the move that led there. Whole cache lines."""

    values: Annotated[Array[Array[i2]], (2, MAX_HIDDEN)]  # [color][column]
    skip: Annotated[Array[i4], (2,)]
    computed: Annotated[Array[i4], (2,)]  # [color] 1: ``values`` and ``skip`` are those of this ply
    needs_refresh: Annotated[Array[i4], (2,)]  # [color] 1: the move mirrored the whole board for this side
    added: Annotated[Array[i4], (2,)]  # piece << 6 | square
    removed: Annotated[Array[i4], (2,)]
    added_count: i4
    removed_count: i4
    unused: Annotated[Array[i4], (4,)]


class CacheEntry(Record):
    """The accumulator last refreshed for one orientation, and the board it belongs to. Whole cache lines."""

    values: Annotated[Array[i2], (MAX_HIDDEN,)]  # [column]
    pieces: Annotated[Array[u8], (COLORS * TYPES,)]  # [color * 6 + type]
    skip: i4
    valid: i4  # 0: empty
    unused: Annotated[Array[i4], (6,)]


class RefreshTable(Record):
    """A refresh table, or Finny table: accumulators kept by orientation."""

    entries: Annotated[Array[CacheEntry], (COLORS * ORIENTATIONS,)]  # [color * 2 + is_mirrored]


class Accumulators(Record):
    """One ply: the accumulators of the network and of the material evaluation. Whole cache lines."""

    network: NetAccumulator
    material: MaterialAccumulator
    unused: Annotated[Array[i4], (13,)]


class Evaluator(Record):
    """The stack of accumulators of a line, and the memory of each evaluation."""

    stack: Annotated[Array[Accumulators], (STACK_PLIES,)]  # [ply]
    ply: int
    kind: int
    net_address: u8  # of a NET record, if the kind is NNUE
    classical_function: u8  # the address of ``classical_value_of``, if the kind is Classical
    refresh_table: RefreshTable  # if the kind is NNUE
    pawns: PawnTable  # if the kind is Classical
