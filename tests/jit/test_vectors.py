"""Sums over rows of 16-bit numbers, against numpy."""

import numpy as np
import pytest

from engine.jit import inlined, row_sum, weigh_squares

COLUMNS = (16, 48, 256)

_add, _copy, _castle = row_sum("+"), row_sum(""), row_sum("+-+-")


@inlined
def add(target, source, table, row, columns):
    _add(target, source, table, (row,), columns)


@inlined
def copy(target, source, table, columns):
    _copy(target, source, table, (), columns)


@inlined
def castle(target, source, table, rows, columns):
    _castle(target, source, table, rows, columns)


@inlined
def weigh(first, second, weights, start, columns, most):
    return weigh_squares(first, second, weights, start, columns, most)


@pytest.fixture
def random():
    return np.random.default_rng(1)


@pytest.mark.parametrize("columns", COLUMNS)
def test_rows_are_added_and_subtracted_up_to_the_last_column(random, columns):
    table = random.integers(-3000, 3000, 9 * columns).astype(np.int16)
    rows = table.reshape(9, columns)
    source = random.integers(-3000, 3000, columns + 16).astype(np.int16)
    target = np.full(columns + 16, 77, np.int16)
    castle(target, source, table, (8, 0, 5, 3), columns)
    expected = source[:columns] + rows[8] - rows[0] + rows[5] - rows[3]
    assert target[:columns].tolist() == expected.tolist()
    assert (target[columns:] == 77).all()
    copy(target, source, table, columns)
    assert target[:columns].tolist() == source[:columns].tolist()


@pytest.mark.parametrize("columns", COLUMNS)
def test_a_row_can_be_added_in_place(random, columns):
    table = random.integers(-3000, 3000, 4 * columns).astype(np.int16)
    values = random.integers(-3000, 3000, columns).astype(np.int16)
    expected = values + table[2 * columns : 3 * columns]
    add(values, values, table, 2, columns)
    assert values.tolist() == expected.tolist()


@pytest.mark.parametrize("columns", COLUMNS)
def test_squares_are_clipped_and_weighed(random, columns):
    first, second = random.integers(-400, 700, (2, columns)).astype(np.int16)
    first[:3] = 255, 256, -1
    weights = random.integers(-127, 128, 5 * columns).astype(np.int16)
    values = np.concatenate((first, second)).astype(np.int64).clip(0, 255)
    expected = int((values**2 * weights[2 * columns : 4 * columns]).sum())
    assert weigh(first, second, weights, 2 * columns, columns, 255) == expected


def test_the_largest_products_are_exact():
    row = np.full(64, 32_000, np.int16)
    for weight in (127, -127):
        weights = np.full(128, weight, np.int16)
        assert weigh(row, row, weights, 0, 64, 255) == 128 * 255 * 255 * weight
