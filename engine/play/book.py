"""Opening books in Polyglot's format, read through python-chess.

A book is a sorted list of entries: the Zobrist key of a position, a move, and its weight, which is how often to play
it. Castling is encoded as king takes rook, so books serve Chess960 as well."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

import chess

from engine.files import open_regular, size_of
from engine.messages import OptionError

if TYPE_CHECKING:
    import random

    from chess.polyglot import MemoryMappedReader

ENTRY_SIZE = 16  # bytes of one entry
SAMPLES = 1000  # at most this many entries are checked to see whether a file is sorted, as a book must be


class Book:
    """An opening book, or none."""

    def __init__(self) -> None:
        self._reader: MemoryMappedReader | None = None

    def close(self) -> None:
        """Close the book, if one is open."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def open(self, path: str) -> None:
        """Use the book in ``path`` instead of the previous one; an empty path means none. Raises :class:`OptionError`
        for a file that cannot be used; the previous book then stays."""
        if not path:
            self.close()
            return
        from chess.polyglot import open_reader

        try:
            with open_regular(path) as file:
                size = size_of(file)
            if size == 0 or size % ENTRY_SIZE:
                fault = f"its size is not a positive multiple of {ENTRY_SIZE} bytes"
                raise OptionError(f"BookFile: {path} is not a Polyglot book: {fault}")
            reader = open_reader(path)
        except (OSError, ValueError) as error:  # ValueError: the file was truncated in between
            raise OptionError(f"BookFile: {path}: {getattr(error, 'strerror', None) or error}") from None
        keys = [reader[index].key for index in range(0, len(reader), 1 + len(reader) // SAMPLES)]
        if keys != sorted(keys):
            reader.close()
            raise OptionError(f"BookFile: {path} is not a Polyglot book: its entries are not sorted")
        self.close()
        self._reader = reader

    def move(
        self, board: chess.Board, best: bool, chance: random.Random | None = None, excluded: Container[chess.Move] = ()
    ) -> chess.Move | None:
        """A move for ``board``: the one with the greatest weight if ``best``, else at random by weight. None if the
        book has none; ``excluded`` moves, and entries that are illegal here, are skipped."""
        if self._reader is None:
            return None
        try:
            if best:
                return self._reader.find(board, exclude_moves=excluded).move
            return self._reader.weighted_choice(board, exclude_moves=excluded, random=chance).move
        except IndexError:
            return None
