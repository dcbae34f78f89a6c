"""Records: the aligned structures that hold all state of the compiled code.

A record is passed to a kernel as one pointer, without reference counts. In Python it is a ``numpy.record``,
so ``position.key`` reads the same in compiled code, in a debugger and in a test."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import from_dtype
from numba.extending import intrinsic

from engine.jit import private
from engine.jit.codegen import symbol
from engine.jit.private import INTERPRETED
from engine.jit.records import structure

_CACHE_LINE_BYTES = 64

#: Linux backs memory of this size and alignment with a huge page on request; numpy requests it for allocations of at
#: least the second size. Large tables on small pages slow the search down.
_HUGE_PAGE_BYTES, _MIN_ADVISED_BYTES = 1 << 21, 1 << 22

_LIVE_ARRAYS: list[Any] = []  # arrays that stay alive until the process ends
_MIN_HUGE_BYTES = 1 << 19  # size in bytes from which an allocation is worth huge pages

_Item = TypeVar("_Item")


class _FastRecord(np.record):  # type: ignore[misc]  # final only in numpy's stubs
    """A record that hands its memory to kernels directly. numpy would format all fields as text at each call: slow."""

    @property
    def data(self) -> Any:
        """The memory, for the buffer protocol."""
        memory = self.__dict__.get("memory")
        return np.void.data.__get__(self) if memory is None else memory


def _as_records(array: Any) -> Any:
    """The structured ``array`` with fields as attributes of its scalars."""
    return array.view(_record_dtype(array.dtype))


@cache
def _record_dtype(dtype: np.dtype) -> np.dtype:
    return np.dtype((_FastRecord, dtype))


def allocate(dtype: np.dtype[Any], count: int = 1) -> Any:
    """A zeroed array of ``count`` records, aligned to a cache line, without touching pages. Raises MemoryError."""
    size = dtype.itemsize * count
    unit, room = _CACHE_LINE_BYTES, size + _CACHE_LINE_BYTES
    if size >= _MIN_HUGE_BYTES:
        unit, room = _HUGE_PAGE_BYTES, max(size + -size % _HUGE_PAGE_BYTES + _HUGE_PAGE_BYTES, _MIN_ADVISED_BYTES)
    raw = np.zeros(room, np.uint8)
    start = -raw.__array_interface__["data"][0] % unit
    return _as_records(raw[start : start + size].view(dtype))


def new_record(dtype: np.dtype[Any]) -> Any:
    """A zeroed record, aligned to a cache line."""
    array = allocate(dtype)
    record = array[0]
    record.__dict__["memory"] = array.view(np.uint8)
    return record


def shared_record(name: str, record_class: type[_Item]) -> tuple[Any, Callable[[], _Item]]:
    """A record that exists once in the process, and the function by which kernels access it. The address is a linker
    symbol: ``name`` and the number of this copy of the package. Compiled code thus contains no copy of the contents and
    stays cacheable; a global array would be frozen into every function that reads it."""
    dtype = structure(record_class)
    array = allocate(dtype)
    record = array[0]
    if INTERPRETED:
        return record, lambda: record
    place = symbol(name)
    llvm.add_symbol(place, array.ctypes.data)
    _LIVE_ARRAYS.append(array)
    record_type = from_dtype(dtype)

    @intrinsic
    def access(typing_context: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = private.external_address(builder, place)
            return builder.bitcast(pointer, private.record_pointer_type(context, record_type))

        return record_type(), codegen

    return record, access


def record_at(record_class: type[_Item]) -> Callable[[int, int], _Item]:
    """A function ``(address, index) -> record`` for arrays of any size, without checks; the caller keeps the memory."""
    dtype = structure(record_class)
    if INTERPRETED:
        import ctypes

        def view(address: int, index: int) -> Any:
            memory: Any = (ctypes.c_char * dtype.itemsize).from_address(int(address) + int(index) * dtype.itemsize)
            return _as_records(np.frombuffer(memory, dtype))[0]

        return view
    record_type = from_dtype(dtype)

    @intrinsic
    def access(typing_context: Any, address: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            size = ir.Constant(ir.IntType(64), dtype.itemsize)
            place = builder.add(arguments[0], builder.mul(arguments[1], size))
            return builder.inttoptr(place, private.record_pointer_type(context, record_type))

        return record_type(address, index), codegen

    return cast("Callable[[int, int], _Item]", access)
