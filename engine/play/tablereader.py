"""python-chess's Syzygy reader with a deadline: in a damaged file it may loop forever.

It loops while it follows symbols in the file, or looks for pieces that are not on the board. So the bytes of the file
and the board check the clock. A thread would not help: Python cannot end one, and no other thread runs while the system
loads a page from a slow disk."""

import math
import mmap
import time
from typing import Any

import chess
from chess.syzygy import DtzTable, Table, Tablebase, WdlTable


class Deadline:
    """A point in time (``time.monotonic``, seconds), shared by all files of a reader."""

    def __init__(self) -> None:
        self.time = math.inf

    def check(self) -> None:
        if time.monotonic() > self.time:
            raise TimeoutError


class _Bytes(mmap.mmap):
    """A mapped file that cannot be read after the deadline. Raises TimeoutError."""

    deadline: Deadline

    def __getitem__(self, index: Any) -> Any:
        self.deadline.check()
        return super().__getitem__(index)


class _TimedBoard(chess.Board):
    """A board whose pieces cannot be looked up after the deadline. Raises TimeoutError."""

    deadline: Deadline

    def pieces_mask(self, piece_type: chess.PieceType, color: chess.Color) -> chess.Bitboard:
        self.deadline.check()
        return super().pieces_mask(piece_type, color)


class _TimedTable(Table):
    """A table whose file has a deadline."""

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
    """A reader that raises TimeoutError after the :attr:`deadline`, for boards from :meth:`board`."""

    def __init__(self) -> None:
        super().__init__()
        self.deadline = Deadline()

    def board(self, board: chess.Board) -> chess.Board:
        timed = _TimedBoard(board.fen(), chess960=board.chess960)
        timed.deadline = self.deadline
        return timed

    def _open_table(self, hashtable: Any, Table: Any, path: Any) -> int:
        def open_timed(path: str, **options: Any) -> Any:
            table = _TIMED[Table](path, **options)
            table.deadline = self.deadline
            return table

        return super()._open_table(hashtable, open_timed, path)  # type: ignore[arg-type]
