"""Opening tables for compiled code: python-chess maps the files and reads the headers into records.

All WDL tables are opened at once; a DTZ table when a position with its material is first probed at the root. What
compiled code relies on is checked on opening; what can be damaged beyond the header is checked at each probe."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import chess
import numpy as np
from chess import syzygy

from engine.board.aliases import Position
from engine.board.position import MOVE_LIST
from engine.board.types import BLACK, KING, PAWN, WHITE
from engine.jit import address_of, allocate, new_record
from engine.search.tablebase import UNKNOWN
from engine.syzygy.distance import MAPPED, NO_DISTANCE, WIDE, probe_distance
from engine.syzygy.layout import MAX_PIECES, SLOTS, SYZYGY_TABLE, WDL_TABLES
from engine.syzygy.probe import COUNT_BITS, PROBER, probe_wdl

_KINGS_ENCODING = 2  # python-chess's encoding for tables in which only the two kings are unique
_COLOR_BIT, _TYPE_BITS = 8, 7  # a table's pieces in its file: the colour is bit 3, types count from 1

#: Flags of a file: it has a part for each side to move, and one for each file of the leading pawn.
_HAS_SIDES, _HAS_FILES = 1, 2

_MAX_CODE_BITS, _MAX_BITS = 32, 40  # bits of the longest code in the format, and more than any index or block size has
_MIN_BLOCK_BITS = 3  # a block begins with 8 bytes of code at least

#: Bytes of the checksum at the end of a file. The last block may be read four bytes further than it reaches.
_CHECKSUM_BYTES = 16


class Prober:
    """The tables in ``files`` (``.rtbw`` and ``.rtbz``), ready to be probed from any number of threads. The first
    object compiles the kernels if they are not in the cache."""

    def __init__(self, files: Iterable[str]) -> None:
        self.faults: list[str] = []  # a line for each file that cannot be read or is damaged; it is skipped
        self._tables: Any = new_record(WDL_TABLES)
        self._owners: list[Any] = []  # of the memory to which the records point
        self._materials: set[int] = set()  # those with a WDL table
        self._distance_files: dict[int, str] = {}  # by material
        self._distances: dict[int, Any] = {}  # opened DTZ tables by material, None for a damaged one
        _fill_maps(self._tables["maps"])
        opened = []
        for file in files:
            if file.endswith(".rtbw"):
                if (table := self._open(syzygy.WdlTable(file))) is not None:
                    opened.append(table)
            else:
                table = syzygy.DtzTable(file)
                for name in (table.key, table.mirrored_key):
                    self._distance_files[_signature(name)] = file
        records = allocate(SYZYGY_TABLE, max(len(opened), 1))
        self._owners.append(records)
        for index, record in enumerate(opened):
            records[index] = record
            self._enter(record, index)
        self._tables["table_address"] = records.ctypes.data
        #: Maximum number of pieces of a WDL table; 0 without tables.
        self.largest = max((int(record["pieces"]) for record in opened), default=0)
        #: The first argument for the function at ``function``.
        self.address: int = self._tables.__array_interface__["data"][0]
        self._address: Any = np.uint64(self.address)
        #: The address of the machine code of :func:`engine.syzygy.probe.probe_wdl`.
        self.function = address_of(probe_wdl, PROBER)

    def has_table(self, position: Position) -> bool:
        """Whether there is a WDL table for the material of ``position``."""
        return _signature_of(position) in self._materials

    def outcome(self, position: Position) -> int | None:
        """The outcome of ``position`` for the side to move (LOSS .. WIN), as if its 50-move clock were zero; None if a
        table is missing or damaged, and for checkmate."""
        outcome = int(probe_wdl(self._address, position))
        return None if outcome == UNKNOWN else outcome

    def distance_table(self, position: Position) -> Any:
        """The DTZ table for the material of ``position``; None if it is missing or damaged."""
        signature = _signature_of(position)
        if signature not in self._distances and (file := self._distance_files.get(signature)) is not None:
            self._distances[signature] = self._open(syzygy.DtzTable(file))
        return self._distances.get(signature)

    def distance(self, table: Any, position: Position) -> int | None:
        """The plies to the next capture or pawn move by ``table``, that of its material, as
        :func:`engine.syzygy.distance.probe_distance` counts them; None if a table is missing or damaged."""
        plies = int(probe_distance(self._tables, table, position, new_record(MOVE_LIST)))
        return None if plies == NO_DISTANCE else plies

    def _open(self, source: syzygy.WdlTable | syzygy.DtzTable) -> Any:
        """A SYZYGY_TABLE record for the table in the file of ``source``; None if it is reported as unusable."""
        owners = len(self._owners)
        try:
            return self._read(source)
        except OSError as error:
            self.faults.append(f"{source.path} cannot be read: {error.strerror or error}")
        except Exception as error:  # python-chess may raise anything over a damaged file
            self.faults.append(f"{source.path} is damaged: {error}")
        del self._owners[owners:]
        return None

    def _read(self, source: Any) -> Any:
        """A SYZYGY_TABLE record. Raises any error if the file is damaged."""
        name = source.key  # python-chess replaces it with that of the pieces
        has_outcomes = isinstance(source, syzygy.WdlTable)
        source.init_table_wdl() if has_outcomes else source.init_table_dtz()
        sides = 2 if has_outcomes and not source.symmetric else 1
        assert source.data is not None
        layout = source.data[4]
        if bool(layout & _HAS_FILES) != source.has_pawns or (has_outcomes and (layout & _HAS_SIDES) + 1 != sides):
            raise ValueError("it has the parts of another material")
        data = np.frombuffer(source.data, np.uint8)
        self._owners += [source, data]
        table = new_record(SYZYGY_TABLE)
        table["pieces"], table["symmetric"] = source.num, source.symmetric
        table["signature"], table["file_end"] = _signature(source.key), data.ctypes.data + len(data)
        if source.has_pawns:
            table["pawns"] = source.pawns[0]
        else:
            table["singles"] = 2 if source.enc_type == _KINGS_ENCODING else 3
        parts: list[Any] = source.files if source.has_pawns else [source]
        for file, part in enumerate(parts):
            for side in range(sides):
                record = table["part"][2 * file + side]
                numbering, pairs, place = [part.pieces, part.norm, part.factor], part.precomp, file
                if has_outcomes:
                    numbering, pairs, place = [values[side] for values in numbering], pairs[side], 2 * file + side
                else:
                    _fill_distances(record, source, file, data)
                _fill_numbering(record, *numbering)
                _check_numbering(table, record, name)
                record["pairs"]["positions"] = source.tb_size[place]
                if pairs.idxbits:
                    self._fill_pairs(record["pairs"], pairs, source.size[3 * place : 3 * place + 3], data)
                else:
                    record["pairs"]["shortest"] = pairs.min_len
        return table

    def _fill_pairs(self, record: Any, pairs: syzygy.PairsData, sizes: list[int], data: np.ndarray) -> None:
        """Set the addresses of a part's values in the file ``data``; ``sizes`` are the bytes of the index, of the block
        sizes and of the blocks. Raises ValueError if they cannot be right."""
        for begin, size in zip((pairs.indextable, pairs.sizetable, pairs.data), sizes, strict=True):
            if begin + size > len(data) - _CHECKSUM_BYTES:
                raise ValueError("the file ends too early")
        if pairs.min_len < 1 or pairs.min_len + len(pairs.base) > _MAX_CODE_BITS + 1:
            raise ValueError("invalid code lengths")
        if pairs.idxbits > _MAX_BITS or not _MIN_BLOCK_BITS <= pairs.blocksize <= _MAX_BITS:
            raise ValueError("invalid block sizes")
        start = data.ctypes.data
        record["index"], record["sizes"] = start + pairs.indextable, start + pairs.sizetable
        record["blocks"], record["block_end"] = start + pairs.data, start + pairs.data + sizes[2]
        record["size_count"], record["block_count"] = sizes[1] // 2, sizes[2] >> pairs.blocksize
        record["block_bits"], record["index_bits"], record["shortest"] = pairs.blocksize, pairs.idxbits, pairs.min_len
        record["symbols"], record["firsts"] = start + pairs.sympat, start + pairs.offset + 2 * pairs.min_len
        record["codes"][: len(pairs.base)] = pairs.base
        spans = np.array(pairs.symlen, np.uint8)
        self._owners.append(spans)
        record["spans"] = spans.ctypes.data
        record["symbol_count"] = len(spans) - 8 * len(pairs.base)  # python-chess reserves room for that many more

    def _enter(self, table: Any, index: int) -> None:
        """Register the table under its material, for either assignment of colours."""
        signature = int(table["signature"])
        for swapped, own in enumerate((signature, _swapped(signature))[: 1 if table["symmetric"] else 2]):
            self._materials.add(own)
            place = own % SLOTS
            while self._tables["slot"][place]["signature"] not in (0, own):
                place = (place + 1) % SLOTS
            self._tables["slot"][place] = (own, index, swapped)


def _fill_numbering(record: Any, pieces: list[int], groups: list[int], factors: list[int]) -> None:
    """Set how a part numbers its positions."""
    record["piece"][: len(pieces)] = [(piece & _COLOR_BIT) | ((piece & _TYPE_BITS) - 1) for piece in pieces]
    record["group"][: len(groups)] = groups
    record["factor"][: len(factors)] = factors


def _fill_distances(record: Any, source: syzygy.DtzTable, file: int, data: np.ndarray) -> None:
    """Set what the values of a part of a DTZ table stand for."""
    flags = source.flags if isinstance(source.flags, int) else source.flags[file]
    record["form"] = flags
    if flags & MAPPED:
        size = 2 if flags & WIDE else 1
        record["maps"] = [data.ctypes.data + source.p_map + size * index for index in source.map_idx[file]]


def _check_numbering(table: Any, record: Any, name: str) -> None:
    """Raise ValueError unless the part has the pieces of the table called ``name``, in groups of equal ones."""
    pieces = record["piece"][: table["pieces"]].tolist()
    counts = Counter(pieces)
    own = sum(count << COUNT_BITS * _place(piece) for piece, count in counts.items() if piece & 7 < KING)
    kings = [counts[KING], counts[_COLOR_BIT | KING]]
    if own not in (_signature(name), _swapped(_signature(name))) or own != table["signature"] or kings != [1, 1]:
        raise ValueError("it has other pieces than its name says")
    place = 0 if table["pawns"] else int(table["singles"])
    groups = [[piece] for piece in pieces[:place]]
    while place < len(pieces):
        size = int(record["group"][place])
        if size < 1 or record["factor"][place] < 1:
            raise ValueError("invalid groups of pieces")
        groups.append(pieces[place : place + size])
        place += size
    if any(group != counts[group[0]] * group[:1] for group in groups) or record["factor"][0] < 1:
        raise ValueError("invalid groups of pieces")
    pawns = [piece & 7 == PAWN for piece in pieces]
    if pawns != sorted(pawns, reverse=True):
        raise ValueError("pawns behind other pieces")


def _place(piece: int) -> int:
    """The place in a signature of the count of ``piece``."""
    return KING * (piece >> 3) + (piece & 7)


def _signature(name: str) -> int:
    """The material signature of a table's ``name``, as in :func:`engine.syzygy.probe.signature_of`."""
    signature = 0
    for color, pieces in enumerate(name.split("v")):
        for letter in pieces.replace("K", ""):
            kind = chess.PIECE_SYMBOLS.index(letter.lower()) - 1
            signature += 1 << COUNT_BITS * _place(color << 3 | kind)
    return signature


def _signature_of(position: Position) -> int:
    """The material signature of ``position``."""
    pieces, colors = position["pieces"].tolist(), position["colors"].tolist()
    return sum(
        (pieces[kind] & colors[color]).bit_count() << COUNT_BITS * _place(color << 3 | kind)
        for color in (WHITE, BLACK)
        for kind in range(KING)
    )


def _swapped(signature: int) -> int:
    """The signature with the colours reversed."""
    bits = COUNT_BITS * KING
    return signature >> bits | (signature & ((1 << bits) - 1)) << bits


def _fill_maps(maps: Any) -> None:
    """Copy the format's constants from python-chess."""
    maps["triangle"], maps["lower"], maps["long_diagonal"] = syzygy.TRIANGLE, syzygy.LOWER, syzygy.DIAG
    maps["kings"], maps["flap"], maps["twist"] = syzygy.KK_IDX, syzygy.FLAP, syzygy.PTWIST
    maps["lead"] = syzygy.PAWNIDX
    maps["binomial"] = [[syzygy.binom(n, k) for n in range(64)] for k in range(MAX_PIECES)]
