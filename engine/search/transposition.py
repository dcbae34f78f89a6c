"""The transposition table: results of positions searched before.

An entry is two words of 64 bits. The first packs, from the low end::

    move 16 | score 16 | static evaluation 16 | depth 8 | bound 2 | on a principal variation 1 | generation 5

The second is the position's key XORed with the first: an entry torn by two threads writing at once does not match any
key, so no lock is needed (Robert Hyatt's lockless hashing). Four entries make a cluster of one cache line. A key
chooses its cluster by the high word of ``key * clusters``, so any number of clusters works.

Replacement: the entry of the same position, unless it is from this search and more than three plies deeper than a new
bound; else an empty one; else the shallowest, each generation (search) of age counting four plies.
"""

from typing import Annotated, Any, NamedTuple

from engine.board.aliases import Depth, Flag, Key, Move, Position, Score
from engine.board.types import I64, U64, ZERO
from engine.jit import (
    Array,
    Record,
    allocate,
    inlined,
    int64,
    kernel,
    mulhi,
    new_record,
    prefetch,
    record_at,
    record_type,
    structure,
    u8,
)
from engine.memory import memory_limit, memory_used
from engine.messages import OptionError
from engine.search.scores import NONE

BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT = range(4)

CLUSTER_SIZE = 4
SAMPLED_CLUSTERS = 250  # clusters that hashfull samples
_GENERATIONS = 32
_AGE_WEIGHT = 4


class Cluster(Record):
    """The entries of one cache line."""

    packed: Annotated[Array[u8], (CLUSTER_SIZE,)]
    check: Annotated[Array[u8], (CLUSTER_SIZE,)]


CLUSTER = structure(Cluster)
cluster_at = record_at(Cluster)


class TableRecord(Record):
    """The table's address, size and generation. Each worker has a copy, made at the start of a search."""

    address: u8
    clusters: u8
    generation: int


TABLE = structure(TableRecord)


class Probe(Record):
    """The result of a probe."""

    hit: int  # 1: the position is in the table
    move: int
    score: int
    static_eval: int
    depth: int
    bound: int
    is_pv: int


#: The 50-move clock, in plies, from which it is part of the key, and the number of plies that share a key.
FIRST_CLOCK, CLOCK_STEP = 14, 8
_CLOCK_MIX = U64(0x9E37_79B9_7F4A_7C15)

_DEPTH_SHIFT, _BOUND_SHIFT, _PV_SHIFT, _GENERATION_SHIFT = 48, 56, 58, 59


@inlined
def _signed16(bits: Key) -> int:
    """The low 16 bits as a signed number."""
    value = I64(bits & U64(0xFFFF))
    return value - 0x10000 if value >= 0x8000 else value


@inlined
def _depth(data: Key) -> int:
    return I64(data >> U64(_DEPTH_SHIFT) & U64(0xFF))


@inlined
def _generation(data: Key) -> int:
    return I64(data >> U64(_GENERATION_SHIFT))


@inlined
def clock_key(rule50: int) -> Key:
    """The 50-move clock's part of a key, as in Stockfish: nothing while it is low, else one of eleven numbers. A higher
    clock lowers a position's worth, so a score must not be reused at another clock."""
    if rule50 < FIRST_CLOCK:
        return ZERO
    return U64((rule50 - FIRST_CLOCK) // CLOCK_STEP + 1) * _CLOCK_MIX


@inlined
def table_key(position: Position) -> Key:
    """The key under which ``position`` is looked up and stored."""
    return position.key ^ clock_key(I64(position.rule50))


@inlined
def prefetch_cluster(table: TableRecord, key: Key) -> None:
    """Start loading the cluster of ``key``."""
    prefetch(table.address + mulhi(key, table.clusters) * U64(64))


@inlined
def probe(table: TableRecord, key: Key, result: Probe) -> None:
    """Look ``key`` up. If ``result.hit`` is 0, so are its ``move``, ``bound`` and ``is_pv``; the rest is undefined.
    The score is as stored (see ``scores.from_table``). Test the move: positions may share a key."""
    cluster = cluster_at(table.address, mulhi(key, table.clusters))
    for slot in range(CLUSTER_SIZE):
        data = cluster.packed[slot]
        if cluster.check[slot] ^ data == key and data != ZERO:
            result.hit = 1
            result.move = I64(data & U64(0xFFFF))
            result.score = _signed16(data >> U64(16))
            result.static_eval = _signed16(data >> U64(32))
            result.depth = _depth(data)
            result.bound = I64(data >> U64(_BOUND_SHIFT) & U64(3))
            result.is_pv = I64(data >> U64(_PV_SHIFT) & U64(1))
            return
    result.hit = 0
    result.move = 0
    result.bound = BOUND_NONE
    result.is_pv = 0


@inlined
def settles(bound: int, score: Score, alpha: Score, beta: Score) -> bool:
    """Whether a ``score`` with this ``bound`` settles a node with this window."""
    return bound == BOUND_EXACT or (bound == BOUND_LOWER and score >= beta) or (bound == BOUND_UPPER and score <= alpha)


@inlined
def known_eval(found: Probe) -> Score:
    """The static evaluation that a probe found, else NONE."""
    return found.static_eval if found.hit != 0 else I64(NONE)


class TableEntry(NamedTuple):
    """The result of a search, as :func:`store` takes it; the score as in :func:`engine.search.scores.to_table`."""

    move: Move
    score: Score
    static_eval: Score
    depth: Depth
    bound: int
    is_pv: Flag


@inlined
def store(table: TableRecord, key: Key, entry: TableEntry) -> None:
    """Store the result of a search of ``key``; without a ``move`` the stored one is kept."""
    cluster = cluster_at(table.address, mulhi(key, table.clusters))
    generation, move = table.generation, entry.move
    chosen, least = 0, 1 << 30
    for slot in range(CLUSTER_SIZE):
        data = cluster.packed[slot]
        if cluster.check[slot] ^ data == key:
            if move == 0:
                move = I64(data & U64(0xFFFF))
            if entry.bound != BOUND_EXACT and _generation(data) == generation and entry.depth < _depth(data) - 3:
                return
            chosen = slot
            break
        age = (generation - _generation(data)) & (_GENERATIONS - 1)
        worth = _depth(data) - _AGE_WEIGHT * age
        if data == ZERO:
            worth = -(1 << 29)
        if worth < least:
            chosen, least = slot, worth
    data = U64(move & 0xFFFF) | U64(entry.score & 0xFFFF) << U64(16) | U64(entry.static_eval & 0xFFFF) << U64(32)
    data |= U64(max(entry.depth, 0)) << U64(_DEPTH_SHIFT) | U64(entry.bound) << U64(_BOUND_SHIFT)
    data |= U64(entry.is_pv) << U64(_PV_SHIFT) | U64(generation) << U64(_GENERATION_SHIFT)
    cluster.packed[chosen] = data
    cluster.check[chosen] = key ^ data


def start_generation(table: TableRecord) -> None:
    """Begin a new search: existing entries count as older. Self-play compiles it too."""
    table.generation = (table.generation + 1) & (_GENERATIONS - 1)


@kernel(int64(record_type(TABLE)))
def _hashfull(table: TableRecord) -> int:
    """The result of :meth:`TranspositionTable.hashfull`; compiled, as ``bestmove`` waits for it."""
    count = 0
    for index in range(SAMPLED_CLUSTERS):
        cluster = cluster_at(table.address, U64(index))
        for slot in range(CLUSTER_SIZE):
            data = cluster.packed[slot]
            if data != ZERO and _generation(data) == table.generation:
                count += 1
    return count * 1000 // (SAMPLED_CLUSTERS * CLUSTER_SIZE)


class TranspositionTable:
    """The table's memory, and its record for kernels. Raises :class:`OptionError` for too many ``megabytes``."""

    def __init__(self, megabytes: int) -> None:
        self.record: Any = new_record(TABLE)
        self.megabytes = 0
        self.resize(megabytes)

    def resize(self, megabytes: int) -> None:
        """Replace the table with an empty one of ``megabytes``. Pages are allocated on first touch: call :meth:`clear`,
        or the search waits for them. After an :class:`OptionError` the table is unchanged."""
        clusters = megabytes * (1 << 20) // CLUSTER.itemsize
        left = memory_limit() - memory_used() + (self.megabytes << 20)
        if clusters * CLUSTER.itemsize > left:
            raise OptionError(
                f"Hash {megabytes} MB does not fit into memory, which this machine or container limits: "
                f"at most {max(0, left) >> 20} MB"
            )
        try:
            self._clusters = allocate(CLUSTER, clusters)  # frees the previous memory before the first touch
        except MemoryError:
            raise OptionError(f"Hash {megabytes} MB cannot be allocated") from None
        self.record["address"] = self._clusters.ctypes.data
        self.record["clusters"] = clusters
        self.record["generation"] = 0
        self.megabytes = megabytes

    def clear(self, part: int = 0, parts: int = 1) -> None:
        """Clear the table, or one of ``parts`` equal parts; threads may clear different parts at once."""
        words = self._clusters.view("u8")
        words[len(words) * part // parts : len(words) * (part + 1) // parts].fill(0)
        self.record["generation"] = 0

    def hashfull(self) -> int:
        """Thousandths of a sample of entries that the current search has written."""
        return int(_hashfull(self.record))
