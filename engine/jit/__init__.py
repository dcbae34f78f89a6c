"""Compiles Python: the decorators, the cache of compiled code, records and intrinsics.

Nothing here knows chess.
"""

from engine.jit.decorators import CHECKED, INTERPRETED, helper, kernel, record_type
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
from engine.jit.memory import allocate, new_record, record_at, shared_record, structure
from engine.jit.pointers import address_of, function_at
from engine.jit.vectors import row_sum, weigh_squares

__all__ = [
    "CHECKED",
    "HAVE_PEXT",
    "INTERPRETED",
    "TICKS_PER_SECOND",
    "address_of",
    "allocate",
    "byteswap",
    "clock_now",
    "clock_ticks",
    "function_at",
    "helper",
    "kernel",
    "load_relaxed",
    "lsb",
    "mulhi",
    "new_record",
    "pext",
    "popcount",
    "prefetch",
    "record_at",
    "record_type",
    "row_sum",
    "shared_record",
    "structure",
    "weigh_squares",
]
