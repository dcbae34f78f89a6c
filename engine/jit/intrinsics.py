"""Single machine instructions for which Python has no operator, each with a plain Python version.

Bitboards are ``uint64``; counts and square indices are ``int64``."""

import ctypes
import sys
import time
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.jit.codegen import CHOICES, symbol
from engine.jit.private import INTERPRETED, external_function, stack_slots

_I1, _I8, _I32, _I64, _I128 = (ir.IntType(bits) for bits in (1, 8, 32, 64, 128))


HAVE_PEXT = CHOICES.pext  # whether kernels may use PEXT (see :class:`engine.jit.codegen.Choices`)

if sys.platform == "win32":
    _counter = ctypes.windll.kernel32.QueryPerformanceCounter
    _frequency = ctypes.c_int64()
    ctypes.windll.kernel32.QueryPerformanceFrequency(ctypes.byref(_frequency))
    TICKS_PER_SECOND = _frequency.value
else:
    TICKS_PER_SECOND = 1_000_000_000
    _counter: Any = None if INTERPRETED else ctypes.CDLL(None).clock_gettime


def clock_now() -> int:
    """The monotonic clock in ticks (:data:`TICKS_PER_SECOND`), comparable with :func:`clock_ticks`."""
    if sys.platform == "win32":
        ticks = ctypes.c_int64()
        _counter(ctypes.byref(ticks))
        return ticks.value
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


popcount: Callable[[int], int]
lsb: Callable[[int], int]
byteswap: Callable[[int], int]
pext: Callable[[int, int], int]
mulhi: Callable[[int, int], int]
prefetch: Callable[[int], None]
load_relaxed: Callable[[int], int]
clock_ticks: Callable[[], int]

if INTERPRETED:

    def popcount(bits: int) -> int:
        """The number of set bits."""
        return int(bits).bit_count()

    def lsb(bits: int) -> int:
        """Index of the lowest set bit; ``bits`` must not be 0."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def byteswap(bits: int) -> Any:
        """The eight bytes in reverse order: a bitboard seen from the other side."""
        return np.uint64(int.from_bytes(int(bits).to_bytes(8, "little"), "big"))

    def pext(bits: int, mask: int) -> Any:
        """Parallel bit extract: the bits of ``bits`` under ``mask``, gathered at the low end."""
        result, place, rest = 0, 0, int(mask)
        while rest:
            lowest = rest & -rest
            if int(bits) & lowest:
                result |= 1 << place
            place, rest = place + 1, rest ^ lowest
        return np.uint64(result)

    def mulhi(a: int, b: int) -> Any:
        """The high 64 bits of the 128-bit product."""
        return np.uint64(int(a) * int(b) >> 64)

    def prefetch(address: int) -> None:
        """Does nothing here."""

    def load_relaxed(address: int) -> int:
        """The int64 at ``address``, read again on each call."""
        return ctypes.c_int64.from_address(int(address)).value

    clock_ticks = clock_now

else:
    _CLOCK = symbol("numbat_clock")
    llvm.add_symbol(_CLOCK, ctypes.cast(_counter, ctypes.c_void_p).value)

    def _unary(name: str, result: Any, *constants: Any) -> Any:
        """A function of a bitboard: the LLVM intrinsic ``name``, which also takes the ``constants``."""

        @intrinsic
        def call(typing_context: Any, bits: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                kinds = [_I64, *(constant.type for constant in constants)]
                return builder.call(external_function(builder, name, _I64, kinds), [*arguments, *constants])

            return result(types.uint64), codegen

        return call

    popcount = _unary("llvm.ctpop.i64", types.int64)
    lsb = _unary("llvm.cttz.i64", types.int64, _I1(1))  # 1: undefined for 0
    byteswap = _unary("llvm.bswap.i64", types.uint64)

    @intrinsic
    def pext(typing_context: Any, bits: Any, mask: Any) -> Any:
        """Parallel bit extract. LLVM aborts the process if BMI2 is missing: guard with HAVE_PEXT."""

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            function = external_function(builder, "llvm.x86.bmi.pext.64", _I64, [_I64, _I64])
            return builder.call(function, arguments)

        return types.uint64(types.uint64, types.uint64), codegen

    @intrinsic
    def mulhi(typing_context: Any, a: Any, b: Any) -> Any:
        """The high 64 bits of the 128-bit product."""

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            product = builder.mul(*(builder.zext(argument, _I128) for argument in arguments))
            return builder.trunc(builder.lshr(product, _I128(64)), _I64)

        return types.uint64(types.uint64, types.uint64), codegen

    @intrinsic
    def prefetch(typing_context: Any, address: Any) -> Any:
        """Prefetch the cache line at ``address``."""

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], _I8.as_pointer())
            kinds = [_I8.as_pointer(), _I32, _I32, _I32]
            function = external_function(builder, "llvm.prefetch.p0", ir.VoidType(), kinds)
            builder.call(function, [pointer, _I32(0), _I32(3), _I32(1)])
            return context.get_dummy_value()

        return types.void(types.uint64), codegen

    @intrinsic
    def load_relaxed(typing_context: Any, address: Any) -> Any:
        """The int64 at ``address``; unlike a plain read it is never hoisted out of a loop."""

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], _I64.as_pointer())
            return builder.load_atomic(pointer, "monotonic", 8)

        return types.int64(types.uint64), codegen

    @intrinsic
    def clock_ticks(typing_context: Any) -> Any:
        """The monotonic clock in ticks (:data:`TICKS_PER_SECOND`)."""

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pair = stack_slots(builder, _I64, 2)
            if sys.platform == "win32":
                function = external_function(builder, _CLOCK, _I32, [_I64.as_pointer()])
                builder.call(function, [pair])
                return builder.load(pair)
            function = external_function(builder, _CLOCK, _I32, [_I32, _I64.as_pointer()])
            builder.call(function, [_I32(time.CLOCK_MONOTONIC), pair])
            seconds = builder.load(pair)
            nanoseconds = builder.load(builder.gep(pair, [_I32(1)]))
            return builder.add(builder.mul(seconds, _I64(1_000_000_000)), nanoseconds)

        return types.int64(), codegen
