"""Records: aligned, shared by address, and readable from both sides."""

from typing import Annotated

import numpy as np
import pytest
from numba import njit

from engine.jit import Array, Record, allocate, i4, new_record, record_at, shared_record, structure, u1, u8


class Inner(Record):
    byte: u1
    word: u8


class Outer(Record):
    inner: Annotated[Array[Inner], (3,)]
    grid: Annotated[Array[Array[i4]], (2, 3)]
    last: u1


INNER, OUTER = structure(Inner), structure(Outer)

SHARED, shared = shared_record("numbat_test_record", Outer)
outer_at = record_at(Outer)


@njit
def _add_to_grid(record):
    for row in range(2):
        for column in range(3):
            record.grid[row, column] += 10 * row + column
    record.inner[1].word = record.inner[0].word + record.last


@njit
def _read_shared():
    return shared().inner[2].word


@njit
def _write_at(address, index, value):
    outer_at(address, index).inner[1].word = value


def test_structures_are_aligned() -> None:
    assert INNER.itemsize == 16
    assert OUTER.fields["grid"][1] == 48
    assert OUTER.itemsize % 8 == 0


def test_annotations_are_the_fields() -> None:
    fields = [("inner", INNER, (3,)), ("grid", "i4", (2, 3)), ("last", "u1")]
    assert np.dtype(fields, align=True) == OUTER
    assert structure(type("Numbers", (), {"__annotations__": {"i": int, "f": float}})).descr == [
        ("i", "<i8"), ("f", "<f8")
    ]  # fmt: skip


def test_fields_named_like_numpy_attributes_are_refused() -> None:
    with pytest.raises(ValueError, match="'data'"):
        structure(type("Bad", (), {"__annotations__": {"data": int}}))


@pytest.mark.parametrize("count", [1, 2, 7])
def test_memory_begins_on_a_cache_line_and_is_zero(count: int) -> None:
    for _ in range(5):
        array = allocate(OUTER, count)
        assert len(array) == count
        assert array.ctypes.data % 64 == 0
        assert not array.view(np.uint8).any()


def test_large_memory_begins_on_a_huge_page_and_is_zero() -> None:
    for size in (1 << 19, 1 << 21, (1 << 22) + 8):
        array = allocate(OUTER, size // OUTER.itemsize + 1)
        assert array.ctypes.data % (1 << 21) == 0
        assert not array.view(np.uint8).any()


def test_too_much_memory_is_an_error() -> None:
    with pytest.raises(MemoryError):
        allocate(OUTER, 2**50)


def test_compiled_code_writes_into_the_record() -> None:
    record = new_record(OUTER)
    record.inner[0].word = 40
    record.last = 2
    _add_to_grid(record)
    assert record["grid"].tolist() == [[0, 1, 2], [10, 11, 12]]
    assert record.inner[1].word == 42


def test_a_shared_record_is_read_where_it_stands() -> None:
    for value in (1, 2**63 + 5):
        SHARED["inner"]["word"][2] = value
        assert int(_read_shared()) == value


def test_a_record_at_an_address() -> None:
    array = allocate(OUTER, 4)
    _write_at(np.uint64(array.ctypes.data), 2, np.uint64(99))
    assert array["inner"]["word"].tolist() == [[0, 0, 0], [0, 0, 0], [0, 99, 0], [0, 0, 0]]
