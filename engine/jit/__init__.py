"""Compiles Python: the decorators, the cache of compiled code, records and intrinsics.

Nothing here knows chess."""

from engine.jit.decorators import CHECKED, INTERPRETED, inlined, kernel, record_type
from engine.jit.intrinsics import (
    HAVE_PEXT,
    TICKS_PER_SECOND,
    byteswap,
    clock_now,
    clock_ticks,
    load_relaxed,
    lsb,
    mulhi,
    pext,
    popcount,
    prefetch,
)
from engine.jit.memory import allocate, new_record, record_at, shared_record
from engine.jit.numbatypes import boolean, int32, int64, types, uint8, uint32, uint64
from engine.jit.pointers import address_of, callback, function_at
from engine.jit.records import Array, Record, i2, i4, structure, u1, u2, u4, u8
from engine.jit.vectors import row_sum, weigh_squares
