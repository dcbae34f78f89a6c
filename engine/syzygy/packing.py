"""Decompressing the value of a position from the blocks of a table's part.

The values form one sequence in which frequent pairs of neighbours were repeatedly replaced by a symbol (Re-Pair); the
remaining symbols are written in a canonical Huffman code, in independent blocks. A sparse index maps positions to
blocks.

A file may be damaged in ways that its header does not show, so nothing is read beyond the memory of the table."""

from engine.board.types import I64, U64
from engine.jit import Record, byteswap, inlined, record_at, u1, u2, u4, u8
from engine.syzygy.layout import Pairs


class _Byte(Record):
    value: u1


class _Half(Record):
    value: u2


class _Word(Record):
    value: u4


class _Long(Record):
    value: u8


_byte_at, _half_at = record_at(_Byte), record_at(_Half)
_word_at, _long_at = record_at(_Word), record_at(_Long)

DAMAGED = -1  # the value in a damaged file


@inlined
def byte(address: int, index: int) -> int:
    """The byte at ``index`` from ``address``."""
    return I64(_byte_at(address, U64(index)).value)


@inlined
def half(address: int, index: int) -> int:
    """The 2-byte number at ``index`` from ``address``."""
    return I64(_half_at(address, U64(index)).value)


@inlined
def _span(pairs: Pairs, symbol: int) -> int:
    """The number of values that ``symbol`` stands for."""
    return byte(pairs.spans, symbol) + 1


@inlined
def _left(pairs: Pairs, symbol: int) -> int:
    """The left half of ``symbol``, or its value."""
    low = byte(pairs.symbols, 3 * symbol)
    return low | (byte(pairs.symbols, 3 * symbol + 1) & 15) << 8


@inlined
def _right(pairs: Pairs, symbol: int) -> int:
    low = byte(pairs.symbols, 3 * symbol + 1) >> 4
    return low | byte(pairs.symbols, 3 * symbol + 2) << 4


@inlined
def _find_block(pairs: Pairs, number: int) -> tuple[int, int]:
    """The block that holds the value of position ``number``, and the number of values before it in the block. The index
    gives a place in the middle of each range of positions; from there it is a few blocks either way."""
    bits = U64(pairs.index_bits)
    entry = number >> I64(bits)
    offset = (number & ((1 << I64(bits)) - 1)) - (1 << I64(bits - U64(1)))
    block = half(pairs.index, 3 * entry) | half(pairs.index, 3 * entry + 1) << 16
    offset += half(pairs.index, 3 * entry + 2)
    while offset < 0 and 0 < block <= pairs.size_count:
        block -= 1
        offset += half(pairs.sizes, block) + 1
    while block < pairs.block_count and offset > half(pairs.sizes, block):
        offset -= half(pairs.sizes, block) + 1
        block += 1
    return block, offset


@inlined
def value_at(pairs: Pairs, number: int) -> int:
    """The value of position ``number``, of 12 bits, or DAMAGED. Each loop is bounded: by the number of blocks, codes or
    values, and the last one because the spans of a symbol's halves are smaller than its own."""
    if number < 0 or number >= pairs.positions:
        return I64(DAMAGED)
    if pairs.index_bits == 0:
        return I64(pairs.shortest)
    block, offset = _find_block(pairs, number)
    if block >= pairs.block_count or offset < 0:
        return I64(DAMAGED)
    place = pairs.blocks + (U64(block) << U64(pairs.block_bits))
    code = byteswap(_long_at(place, U64(0)).value)
    place += U64(8)
    used = I64(0)  # bits of ``code`` beyond the first 32 that are not filled
    while True:
        step = I64(0)
        while code < pairs.codes[step]:
            step += 1
        length = pairs.shortest + step
        symbol = half(pairs.firsts, step) + I64((code - pairs.codes[step]) >> U64(64 - length))
        if symbol >= pairs.symbol_count:
            return I64(DAMAGED)
        span = _span(pairs, symbol)
        if offset < span:
            break
        offset -= span
        code <<= U64(length)
        used += length
        if used >= 32:
            if place > pairs.block_end:  # the last block may be read to its end and four bytes further
                return I64(DAMAGED)
            used -= 32
            code |= (byteswap(U64(_word_at(place, U64(0)).value)) >> U64(32)) << U64(used)
            place += U64(4)
    while _span(pairs, symbol) > 1:
        left = _left(pairs, symbol)
        if offset < _span(pairs, left):
            symbol = left
        else:
            offset -= _span(pairs, left)
            symbol = _right(pairs, symbol)
    return _left(pairs, symbol)
