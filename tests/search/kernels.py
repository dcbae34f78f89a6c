"""Compiled loops of the tests. Not cached, for the sources they call may change."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.board.types import I64, U64
from engine.jit import new_record, structure
from engine.search.transposition import BOUND_EXACT, Probe, TableEntry, TranspositionTable, probe, store

_STEP, _MIX = U64(0x9E37_79B9_7F4A_7C15), U64(0xBF58_476D_1CE4_E5B9)


@njit(nogil=True)
def fill(table, first, count):
    """Store ``count`` entries, with keys all over the table."""
    key = first
    for _ in range(count):
        key = key * _MIX + _STEP
        store(table, key, TableEntry(I64(1), I64(0), I64(0), I64(1), I64(BOUND_EXACT), I64(0)))


@njit(nogil=True)
def hammer(table, keys, seed, rounds, result):
    """Store under random ``keys`` what follows from the key, probe another one; return how often what was found
    did not follow from its key, and how often anything was found."""
    wrong, seen = 0, 0
    state = seed
    for _ in range(rounds):
        state = state * _MIX + _STEP
        key = keys[(state >> U64(40)) % U64(len(keys))]
        score = I64(key & U64(0x3FFF))
        depth = I64(key >> U64(20) & U64(0x7F))
        store(table, key, TableEntry(score, score - 9000, -score, depth, I64(BOUND_EXACT), I64(0)))
        key = keys[(state >> U64(20)) % U64(len(keys))]
        probe(table, key, result)
        if result.hit != 0:
            seen += 1
            score = I64(key & U64(0x3FFF))
            depth = I64(key >> U64(20) & U64(0x7F))
            if (
                result.move != score
                or result.score != score - 9000
                or result.static_eval != -score
                or result.depth != depth
            ):
                wrong += 1
    return wrong, seen


class Entry(NamedTuple):
    """The content of one table entry."""

    move: int
    score: int
    static_eval: int
    depth: int
    bound: int


def put(table: TranspositionTable, key: int, entry: Entry) -> None:
    """Store ``entry`` under ``key``."""
    store(table.record, np.uint64(key), TableEntry(*map(np.int64, entry), np.int64(0)))


def get(table: TranspositionTable, key: int) -> Entry | None:
    """The table's content under ``key``."""
    result: Any = new_record(structure(Probe))
    probe(table.record, np.uint64(key), result)
    return Entry(*(int(result[name]) for name in Entry._fields)) if result["hit"] else None
