"""python-chess's reader of Syzygy tables, with a deadline: in a damaged file it may go in circles for ever.

It does so while it follows symbols in the file, or looks on the board for pieces that are not there. So the bytes of
the file and the board look at the clock. A thread would not do: nothing in Python can end one, and while the system
fetches a page from a slow disk no other thread runs.
"""

from __future__ import annotations

import math
import mmap
import time
from typing import Any

import chess
from chess.syzygy import DtzTable, Table, Tablebase, WdlTable


class Deadline:
    """A point in time (``time.monotonic``, seconds), which all files of a reader share."""

    def __init__(self) -> None:
        self.time = math.inf

    def check(self) -> None:
        """Raise TimeoutError if it has passed."""
        if time.monotonic() > self.time:
            raise TimeoutError


class _Bytes(mmap.mmap):
    """A file in memory of which no byte can be read after the deadline. Raises TimeoutError."""

    deadline: Deadline

    def __getitem__(self, index: Any) -> Any:
        self.deadline.check()
        return super().__getitem__(index)


class _TimedBoard(chess.Board):
    """A board that is asked for pieces with a deadline."""

    deadline: Deadline

    def pieces_mask(self, piece_type: chess.PieceType, color: chess.Color) -> chess.Bitboard:
        self.deadline.check()
        return super().pieces_mask(piece_type, color)


class _TimedTable(Table):
    """A table that is read with a deadline."""

    deadline: Deadline

    def init_mmap(self) -> None:
        if self.data is None:
            with open(self.path, "rb") as file:
                data = _Bytes(file.fileno(), 0, access=mmap.ACCESS_READ)
            data.deadline = self.deadline
            if hasattr(mmap, "MADV_RANDOM"):
                data.madvise(mmap.MADV_RANDOM)
            self.data = data


class _TimedWdl(_TimedTable, WdlTable):
    pass


class _TimedDtz(_TimedTable, DtzTable):
    pass


_TIMED = {WdlTable: _TimedWdl, DtzTable: _TimedDtz}


class TimedReader(Tablebase):
    """A reader that raises TimeoutError when it is still reading, on a board of its own, after the :attr:`deadline`."""

    def __init__(self) -> None:
        super().__init__()
        self.deadline = Deadline()

    def board(self, board: chess.Board) -> chess.Board:
        """A copy of ``board`` to probe with."""
        timed = _TimedBoard(board.fen(), chess960=board.chess960)
        timed.deadline = self.deadline
        return timed

    def _open_table(self, hashtable: Any, Table: Any, path: Any) -> int:
        def open_timed(path: str, **options: Any) -> Any:
            table = _TIMED[Table](path, **options)
            table.deadline = self.deadline
            return table

        return super()._open_table(hashtable, open_timed, path)  # type: ignore[arg-type]
