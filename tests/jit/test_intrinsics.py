"""Machine instructions against plain Python, compiled or not (see ``tests/board/test_modes.py``)."""

import time

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from engine.jit import (
    HAVE_PEXT,
    INTERPRETED,
    TICKS_PER_SECOND,
    byteswap,
    clock_now,
    clock_ticks,
    load_relaxed,
    lsb,
    pext,
    popcount,
    prefetch,
)

bitboards = st.integers(0, 2**64 - 1)

_popcount = njit(lambda bits: popcount(bits))
_lsb = njit(lambda bits: lsb(bits))
_byteswap = njit(lambda bits: byteswap(bits))
_pext = njit(lambda bits, mask: pext(bits, mask))
_load = njit(lambda address: load_relaxed(address))


@njit
def _prefetch(address):
    prefetch(address)
    return 7


_ticks = njit(lambda: clock_ticks())


@example(0)
@example(2**64 - 1)
@given(bitboards)
def test_popcount_counts_the_bits(bits: int) -> None:
    assert _popcount(np.uint64(bits)) == bits.bit_count()


@given(bitboards.filter(bool))
def test_lsb_finds_the_lowest_bit(bits: int) -> None:
    lowest = int(_lsb(np.uint64(bits)))
    assert bits >> lowest & 1
    assert bits % (1 << lowest) == 0


@given(bitboards)
def test_byteswap_reverses_the_bytes(bits: int) -> None:
    swapped = int(_byteswap(np.uint64(bits)))
    assert swapped == int.from_bytes(bits.to_bytes(8, "little"), "big")
    assert int(_byteswap(np.uint64(swapped))) == bits


@pytest.mark.skipif(not (HAVE_PEXT or INTERPRETED), reason="this processor has no fast PEXT")
@example(2**64 - 1, 2**64 - 1)
@given(bitboards, bitboards)
def test_pext_gathers_the_bits_under_the_mask(bits: int, mask: int) -> None:
    places = [square for square in range(64) if mask >> square & 1]
    expected = sum((bits >> square & 1) << place for place, square in enumerate(places))
    assert int(_pext(np.uint64(bits), np.uint64(mask))) == expected


def test_load_relaxed_reads_memory_anew() -> None:
    cells = np.array([5, -3], np.int64)
    address = cells.ctypes.data
    assert (_load(np.uint64(address)), _load(np.uint64(address + 8))) == (5, -3)
    cells[0] = 6
    assert _load(np.uint64(address)) == 6


def test_prefetch_changes_nothing() -> None:
    cells = np.arange(8)
    assert _prefetch(np.uint64(cells.ctypes.data)) == 7
    assert cells.tolist() == list(range(8))


def test_the_clocks_are_one_clock() -> None:
    _ticks()
    before = clock_now()
    inside = int(_ticks())
    after = clock_now()
    assert before <= inside <= after
    time.sleep(0.02)
    assert int(_ticks()) - inside >= 0.02 * TICKS_PER_SECOND
