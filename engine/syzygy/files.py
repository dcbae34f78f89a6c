"""Opening WDL tables for compiled code: python-chess maps the files and reads the headers into records.

All tables are opened at once."""

from collections.abc import Callable, Iterable
from typing import Any

import chess
import numpy as np
from chess import syzygy

from engine.board.types import KING
from engine.jit import address_of, allocate, new_record
from engine.syzygy.layout import MAX_PIECES, SLOTS, WDL_TABLE, WDL_TABLES
from engine.syzygy.probe import COUNT_BITS, PROBER, probe_wdl

#: python-chess's encoding for tables in which only the two kings are unique.
_KINGS_ENCODING = 2

#: A table's pieces in its file: the colour is bit 3, types count from 1.
_COLOR_BIT, _TYPE_BITS = 8, 7

#: Bits of the longest code in the format, and more than any index or block size has.
_LONGEST_CODE, _MOST_BITS = 32, 40


class Prober:
    """The tables in ``files``, ready to be probed from any number of threads. ``report`` gets a line for each file that
    python-chess cannot read; it is skipped. The first object compiles :func:`engine.syzygy.probe.probe_wdl` if it is
    not in the cache."""

    def __init__(self, files: Iterable[str], report: Callable[[str], None]) -> None:
        self._tables: Any = new_record(WDL_TABLES)
        self._kept: list[Any] = []  # objects to whose memory the records point
        _fill_maps(self._tables["maps"])
        opened = []
        for file in files:
            try:
                opened.append(self._open(file))
            except Exception as error:  # python-chess may raise anything over a damaged file
                fault = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
                report(f"{file} cannot be read: {fault}")
        records = allocate(WDL_TABLE, max(len(opened), 1))
        self._kept.append(records)
        for index, (source, record) in enumerate(opened):
            records[index] = record
            self._enter(source, index)
        self._tables["table_address"] = records.ctypes.data
        #: Maximum number of pieces of a table; 0 without tables.
        self.largest = max((source.num for source, _ in opened), default=0)
        #: The first argument for the function at ``function``.
        self.address = self._tables.__array_interface__["data"][0]
        #: The address of the machine code of :func:`engine.syzygy.probe.probe_wdl`.
        self.function = address_of(probe_wdl, PROBER)

    def _open(self, file: str) -> tuple[syzygy.WdlTable, Any]:
        """The table in ``file`` and a WDL_TABLE record for it."""
        source = syzygy.WdlTable(file)
        source.init_table_wdl()
        assert source.data is not None
        data = np.frombuffer(source.data, np.uint8)
        self._kept += [source, data]
        table = new_record(WDL_TABLE)
        table["pieces"], table["symmetric"] = source.num, source.symmetric
        if source.has_pawns:
            table["pawns"] = source.pawns[0]
        else:
            table["singles"] = 2 if source.enc_type == _KINGS_ENCODING else 3
        parts: list[Any] = source.files if source.has_pawns else [source]
        for file_number, part in enumerate(parts):
            for side, pairs in part.precomp.items():
                number = 2 * file_number + side
                record = table["part"][number]
                _fill_numbering(record, part, side)
                record["pairs"]["positions"] = source.tb_size[number]
                if pairs.idxbits:
                    self._fill_pairs(record["pairs"], pairs, source.size[3 * number : 3 * number + 3], data)
                else:
                    record["pairs"]["shortest"] = pairs.min_len
        return source, table

    def _fill_pairs(self, record: Any, pairs: syzygy.PairsData, sizes: list[int], data: np.ndarray) -> None:
        """Set the addresses of a part's values in the file ``data``; ``sizes`` are the bytes of the index, of the block
        sizes and of the blocks. Raises ValueError if they cannot be right."""
        for begin, size in zip((pairs.indextable, pairs.sizetable, pairs.data), sizes, strict=True):
            if begin + size > len(data):
                raise ValueError("the file ends too early")
        if pairs.min_len < 1 or pairs.min_len + len(pairs.base) > _LONGEST_CODE + 1:
            raise ValueError("invalid code lengths")
        if pairs.idxbits > _MOST_BITS or pairs.blocksize > _MOST_BITS:
            raise ValueError("invalid block sizes")
        start = data.ctypes.data
        record["index"], record["sizes"] = start + pairs.indextable, start + pairs.sizetable
        record["blocks"], record["block_end"] = start + pairs.data, start + pairs.data + sizes[2]
        record["size_count"], record["block_count"] = sizes[1] // 2, sizes[2] >> pairs.blocksize
        record["block_bits"], record["index_bits"], record["shortest"] = pairs.blocksize, pairs.idxbits, pairs.min_len
        record["symbols"], record["firsts"] = start + pairs.sympat, start + pairs.offset + 2 * pairs.min_len
        record["codes"][: len(pairs.base)] = pairs.base
        spans = np.array(pairs.symlen, np.uint8)
        self._kept.append(spans)
        record["spans"] = spans.ctypes.data
        record["symbol_count"] = len(spans) - 8 * len(pairs.base)  # python-chess reserves room for that many more

    def _enter(self, source: syzygy.WdlTable, index: int) -> None:
        """Register the table under its material, for either assignment of colours."""
        for swapped, name in enumerate((source.key, source.mirrored_key)[: 1 if source.symmetric else 2]):
            signature = _signature(name)
            place = signature % SLOTS
            while self._tables["slot"][place]["signature"] not in (0, signature):
                place = (place + 1) % SLOTS
            self._tables["slot"][place] = (signature, index, swapped)


def _fill_numbering(record: Any, part: Any, side: int) -> None:
    """Set how a part numbers its positions with ``side`` to move."""
    pieces = part.pieces[side]
    record["piece"][: len(pieces)] = [(piece & _COLOR_BIT) | ((piece & _TYPE_BITS) - 1) for piece in pieces]
    record["group"][: len(part.norm[side])] = part.norm[side]
    record["factor"][: len(part.factor[side])] = part.factor[side]


def _signature(name: str) -> int:
    """The material signature of a table's ``name``, as in :func:`engine.syzygy.probe._signature`."""
    signature = 0
    for color, pieces in enumerate(name.split("v")):
        for letter in pieces.replace("K", ""):
            kind = chess.PIECE_SYMBOLS.index(letter.lower()) - 1
            signature += 1 << COUNT_BITS * (KING * color + kind)
    return signature


def _fill_maps(maps: Any) -> None:
    """Copy the format's constants from python-chess."""
    maps["triangle"], maps["lower"], maps["long_diagonal"] = syzygy.TRIANGLE, syzygy.LOWER, syzygy.DIAG
    maps["kings"], maps["flap"], maps["twist"] = syzygy.KK_IDX, syzygy.FLAP, syzygy.PTWIST
    maps["lead"] = syzygy.PAWNIDX
    maps["binomial"] = [[syzygy.binom(n, k) for n in range(64)] for k in range(MAX_PIECES)]
