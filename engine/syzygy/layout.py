"""The records of opened tables: the contents of their headers, and the addresses of the rest.

A table numbers the positions of its material. Its pieces come in groups of equal ones; the first group (or, without
pawns, the first two or three single pieces) is brought to a corner of the board by symmetry, and a position's number
is the sum of each group's own number times its ``factor``. Tables with pawns have one part for each file, a to d, of
the leading pawn; tables in which the two sides differ have one for each side to move."""

from typing import Annotated

from engine.jit import Array, Record, record_at, record_type, structure, u1, u8

MAX_PIECES = 7  # maximum number of pieces of a table, kings included

#: Hash slots for tables by material: a prime well above twice 1,511, the number of tables with at most seven pieces.
SLOTS = 8191


class Pairs(Record):
    """The compressed values of one part, in blocks. Addresses are in memory. ``index_bits`` 0: all are ``shortest``."""

    positions: int  # number of positions
    index: u8  # of entries of 6 bytes: a block, and the offset in it of the entry's middle position
    sizes: u8  # [block] number of its values, less one
    blocks: u8
    symbols: u8  # [symbol] 3 bytes: the two symbols it stands for, or a value
    firsts: u8  # [length - shortest] the first symbol of each code length
    spans: u8  # [symbol] number of values it stands for, less one
    size_count: int  # entries of ``sizes``: a few more than there are blocks
    block_count: int
    block_bits: int
    block_end: u8  # the address after the last block
    index_bits: int
    shortest: int  # length of the shortest code in bits
    symbol_count: int
    codes: Annotated[Array[u8], (64,)]  # [length - shortest] the smallest code of that length, from the high end


class Part(Record):
    """The numbering of positions in one part of a table, and in a DTZ table what its values stand for."""

    pairs: Pairs
    piece: Annotated[Array[u1], (MAX_PIECES + 1,)]  # [place] in the order of the table, coloured as in its name
    group: Annotated[Array[int], (MAX_PIECES + 1,)]  # [place] size of the group that begins here
    factor: Annotated[Array[int], (MAX_PIECES + 1,)]  # [place] weight of the group that begins here
    form: int  # DTZ: the flags of :mod:`engine.syzygy.distance`
    maps: Annotated[Array[u8], (4,)]  # DTZ: [wins, losses, cursed wins, blessed losses] addresses of lists of distances


class SyzygyTable(Record):
    """One table. A DTZ table has only the parts for ``side to move`` 0; their flags say for which side they are."""

    signature: u8  # its material, as :func:`engine.syzygy.probe.signature_of` counts it
    pieces: int
    pawns: int  # in the leading group; 0 for tables without pawns
    singles: int  # without pawns: single pieces numbered as one group, 2 (the kings) or 3
    symmetric: int  # 1: both sides have the same pieces, and only White to move is stored
    part: Annotated[Array[Part], (8,)]  # [2 * file + side to move]
    file_end: u8  # the address after the last byte of the file


SYZYGY_TABLE = structure(SyzygyTable)
SYZYGY_TABLE_T = record_type(SYZYGY_TABLE)


class Slot(Record):
    """A table by its material; an empty slot has signature 0."""

    signature: u8
    table: int  # its index
    swapped: int  # 1: the table has the colours reversed


class Maps(Record):
    """Constants of the format, by square; ``files`` copies them from python-chess."""

    triangle: Annotated[Array[int], (64,)]  # squares of the triangle a1-d1-d4, its diagonal last
    lower: Annotated[Array[int], (64,)]  # squares below the long diagonal, then those on it
    long_diagonal: Annotated[Array[int], (64,)]  # squares on either long diagonal
    kings: Annotated[Array[Array[int]], (10, 64)]  # [triangle of the first][square of the second]
    flap: Annotated[Array[int], (64,)]  # the leading pawn: by files from the edge, then by ranks
    twist: Annotated[Array[int], (64,)]  # the other pawns of its group
    lead: Annotated[Array[Array[int]], (5, 24)]  # [pawns in the group, less one][flap of the leading one]
    binomial: Annotated[Array[Array[int]], (MAX_PIECES, 64)]  # [k][n] ways to choose k of n


class WdlTables(Record):
    """All opened tables."""

    maps: Maps
    table_address: u8  # of an array of SYZYGY_TABLE
    slot: Annotated[Array[Slot], (SLOTS,)]


WDL_TABLES = structure(WdlTables)
WDL_TABLES_T = record_type(WDL_TABLES)

table_at = record_at(SyzygyTable)
tables_at = record_at(WdlTables)
