"""Compiled code called by its address."""

import numpy as np
from numba import int64, njit

from engine.jit import INTERPRETED, Record, address_of, function_at, new_record, record_type, structure


class Counter(Record):
    step: int
    total: int


COUNTER = structure(Counter)
SIGNATURE = int64(int64, record_type(COUNTER))

call = function_at(SIGNATURE)


@njit
def _add(value, counter):
    counter.total += value * counter.step
    return counter.total


@njit
def _subtract(value, counter):
    counter.total -= value * counter.step
    return counter.total


@njit
def _call_twice(address, value, counter):
    call(address, value, counter)
    return call(address, value, counter)


def test_the_address_selects_the_function() -> None:
    counter = new_record(COUNTER)
    counter["step"] = 10
    add, subtract = (np.uint64(address_of(function, SIGNATURE)) for function in (_add, _subtract))
    assert add != subtract
    assert _call_twice(add, 3, counter) == 60
    assert _call_twice(subtract, 2, counter) == 20
    assert counter["total"] == 20
    assert INTERPRETED or len(_call_twice.signatures) == 1  # compiled once for all it calls
