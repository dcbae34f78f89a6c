"""The transposition table gives back what was stored, forgets the least useful, and never gives what was torn."""

import ctypes
import random
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.jit import new_record, structure
from engine.messages import OptionError
from engine.search import transposition
from engine.search.scores import INFINITY, NONE
from engine.search.transposition import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_UPPER,
    CLUSTER,
    CLUSTER_SIZE,
    Probe,
    TranspositionTable,
    start_generation,
)
from tests.search.kernels import Entry, fill, get, hammer, put

KEYS = st.integers(0, 2**64 - 1)
ENTRIES = st.builds(
    Entry,
    move=st.integers(1, 2**16 - 1),
    score=st.integers(-INFINITY, INFINITY),
    static_eval=st.one_of(st.integers(-INFINITY, INFINITY), st.just(NONE)),
    depth=st.integers(0, 240),
    bound=st.sampled_from([BOUND_UPPER, BOUND_LOWER, BOUND_EXACT]),
)

#: The last of the keys that fall into the first cluster of a table of one megabyte.
NEIGHBOURS = 1 << 40


@pytest.fixture(scope="module")
def shared_table() -> TranspositionTable:
    return TranspositionTable(1)


def memory(table: TranspositionTable) -> np.ndarray:
    """The words of the table."""
    words = table.megabytes << 17
    return np.frombuffer((ctypes.c_uint64 * words).from_address(int(table.record["address"])), np.uint64)


def plain(depth: int, move: int = 1, bound: int = BOUND_LOWER) -> Entry:
    return Entry(move, 17, -17, depth, bound)


@given(KEYS, ENTRIES)
def test_stored_entry_is_found(shared_table: TranspositionTable, key: int, entry: Entry) -> None:
    shared_table.clear()
    assert get(shared_table, key) is None
    put(shared_table, key, entry)
    assert get(shared_table, key) == entry


@given(KEYS, KEYS, ENTRIES)
def test_another_key_is_not_found(shared_table: TranspositionTable, key: int, other: int, entry: Entry) -> None:
    shared_table.clear()
    put(shared_table, key, entry)
    assert (get(shared_table, other) is not None) == (other == key)


@given(KEYS, ENTRIES, st.integers(0, 63))
def test_torn_entry_is_not_found(shared_table, key, entry, bit):
    shared_table.clear()
    put(shared_table, key, entry)
    words = memory(shared_table)
    written = np.flatnonzero(words)
    assert 1 <= len(written) <= 2
    for place in written:
        words[place] ^= np.uint64(1 << bit)
        assert get(shared_table, key) is None
        words[place] ^= np.uint64(1 << bit)
    assert get(shared_table, key) == entry


def test_threads_writing_the_same_clusters_never_mix_up_entries() -> None:
    table = TranspositionTable(1)
    generator = random.Random(3)
    keys = np.array([generator.getrandbits(16) for _ in range(24)], np.uint64)  # all in the first cluster
    keys |= np.array([generator.getrandbits(7) << 20 for _ in range(24)], np.uint64)

    def run(seed: int) -> tuple[int, int]:
        return hammer(table.record, keys, np.uint64(seed), 1_000_000, new_record(structure(Probe)))

    with ThreadPoolExecutor(2) as pool:
        for wrong, seen in pool.map(run, (1, 2)):
            assert wrong == 0
            assert seen > 1000


def test_the_shallowest_entry_of_a_full_cluster_makes_room() -> None:
    table = TranspositionTable(1)
    depths = [9, 5, 12, 7][:CLUSTER_SIZE]
    for key, depth in enumerate(depths, 1):
        put(table, key, plain(depth))
    put(table, NEIGHBOURS, plain(6))
    found = {key: get(table, key) for key in (*range(1, CLUSTER_SIZE + 1), NEIGHBOURS)}
    assert found == {1: plain(9), 2: None, 3: plain(12), 4: plain(7), NEIGHBOURS: plain(6)}


def test_old_entries_are_replaced_before_shallow_ones() -> None:
    table = TranspositionTable(1)
    put(table, 1, plain(12))
    for _ in range(8):
        start_generation(table.record)
    for key in range(2, CLUSTER_SIZE + 1):
        put(table, key, plain(1))
    put(table, NEIGHBOURS, plain(1))
    assert get(table, 1) is None
    assert all(get(table, key) == plain(1) for key in (*range(2, CLUSTER_SIZE + 1), NEIGHBOURS))


def test_entries_survive_as_many_searches_as_a_game_has() -> None:
    table = TranspositionTable(1)
    put(table, 1, plain(12))
    for _ in range(300):
        start_generation(table.record)
        assert get(table, 1) == plain(12)


def test_position_takes_one_entry() -> None:
    table = TranspositionTable(1)
    for key in range(1, CLUSTER_SIZE + 1):
        put(table, key, plain(key))
    for depth in range(10, 20):
        put(table, 2, plain(depth))
    assert get(table, 2) == plain(19)
    assert all(get(table, key) == plain(key) for key in range(1, CLUSTER_SIZE + 1) if key != 2)


def test_replacement_keeps_deep_bounds_and_known_moves() -> None:
    table = TranspositionTable(1)
    put(table, 1, plain(15))
    put(table, 1, plain(1, bound=BOUND_UPPER))
    assert get(table, 1) == plain(15)
    put(table, 1, plain(1, bound=BOUND_EXACT))
    assert get(table, 1) == plain(1, bound=BOUND_EXACT)
    put(table, 1, plain(2, move=0))
    assert get(table, 1) == plain(2)  # the known move stays
    put(table, 5, plain(depth=-3))
    assert get(table, 5) == plain(depth=0)


@pytest.mark.parametrize("megabytes", [1, 3, 100])
def test_any_size_is_used_from_end_to_end(megabytes: int) -> None:
    table = TranspositionTable(megabytes)
    words = memory(table)
    assert int(table.record["address"]) % CLUSTER.itemsize == 0  # a cluster never spans two cache lines
    for key in (0, 2**64 - 1, 2**63):
        put(table, key, plain(1))
        assert get(table, key) == plain(1)
    line = CLUSTER.itemsize // 8
    assert words[:line].any()
    assert words[-line:].any()
    if megabytes < 10:
        fill(table.record, np.uint64(megabytes), len(words) * 4)
        assert (words != 0).mean() > 0.99


def test_hashfull_counts_entries_of_this_search() -> None:
    table = TranspositionTable(1)
    entries = (1 << 20) // CLUSTER.itemsize * CLUSTER_SIZE
    assert table.hashfull() == 0
    fill(table.record, np.uint64(1), entries // 4)
    assert 200 <= table.hashfull() <= 300
    start_generation(table.record)
    assert table.hashfull() == 0
    fill(table.record, np.uint64(2), 8 * entries)
    assert 990 <= table.hashfull() <= 1000
    table.clear()
    assert table.hashfull() == 0


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_clear_forgets_everything(parts: int) -> None:
    table = TranspositionTable(1)
    memory(table)[:] = 1
    for part in range(parts):
        assert memory(table).any()
        table.clear(part, parts)
    assert not memory(table).any()


def test_a_size_that_is_refused_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table = TranspositionTable(1)
    put(table, 5, plain(3))
    monkeypatch.setattr(transposition, "allocate", Mock(side_effect=MemoryError))
    for megabytes in (2, 10**6, 10**9, 10**15):
        with pytest.raises(OptionError, match=f"Hash {megabytes} MB"):
            table.resize(megabytes)
    assert (table.megabytes, get(table, 5)) == (1, plain(3))
