"""Where games start: books in EPD or PGN, or random first moves; always the same ones for the same seed."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn

from tuning.common.errors import SetupError
from tuning.common.files import quoted, text_of

COMPLAINTS = 10
"""Faulty lines of a book that are told one by one."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A start position (FEN) and moves (UCI) played from it before the engines take over."""

    fen: str
    moves: tuple[str, ...] = ()
    source: str = ""
    chess960: bool = False

    def board(self) -> chess.Board:
        board = chess.Board(self.fen, chess960=self.chess960)
        for move in self.moves:
            board.push_uci(move)
        return board


class Book:
    """An endless supply of openings, numbered from 0: ``book.opening(n)`` is the same on every call.

    Lines that do not parse are reported once through ``complain``, :data:`COMPLAINTS` of them, and passed over. Making
    one of a book without a usable line raises :class:`SetupError`.
    """

    def __init__(
        self, name: str, entries: list[Callable[[], Opening]], order: str, seed: int, complain: Callable[[str], None]
    ) -> None:
        self._entries = entries
        self._sequence = list(range(len(entries)))
        if order == "random":
            random.Random(seed).shuffle(self._sequence)
        self.complain = complain
        self._faults = 0
        self._good: list[Opening] = []
        self._next = 0
        self._look_for_one(name)

    def __len__(self) -> int:
        return len(self._entries)

    def opening(self, number: int) -> Opening:
        """The opening of pair ``number``; after the last one the book begins again."""
        while number >= len(self._good) and self._next < len(self._sequence):
            entry = self._entries[self._sequence[self._next]]
            self._next += 1
            try:
                self._good.append(entry())
            except ValueError as error:
                self._faults += 1
                if self._faults <= COMPLAINTS:
                    self.complain(str(error))
                if self._faults == COMPLAINTS:
                    self.complain("more such openings are skipped without a message")
        return self._good[number % len(self._good)]

    def _look_for_one(self, name: str) -> None:
        """Raise :class:`SetupError` if there is nothing but faults, for which one line will do."""
        first = ""
        for entry in self._entries:
            try:
                entry()
                return
            except ValueError as error:
                first = first or str(error)
        raise SetupError(f"openings {name}: no usable opening in it, such as {first}")


def load_book(
    path: Path,
    *,
    order: str = "random",
    seed: int = 1,
    plies: int | None = None,
    chess960: bool = False,
    complain: Callable[[str], None] = print,
) -> Book:
    """Open an ``.epd``, ``.fen`` or ``.pgn`` book. ``plies`` cuts the lines of a PGN book short.

    EPD lines are parsed when they are needed, so a book of a million lines opens at once.
    Raises :class:`SetupError` for a book that is missing, no text, or without a usable opening.
    """
    text = text_of(path, "openings")
    entries: list[Callable[[], Opening]]
    if path.suffix.lower() == ".pgn":
        entries = list(_pgn_entries(path.name, text, plies, chess960))
    else:
        entries = [
            _epd_entry(f"{path.name}:{number}", line, chess960)
            for number, line in enumerate(text.splitlines(), start=1)
            if line.strip() and not line.startswith("#")
        ]
    if not entries:
        raise SetupError(f"openings {path}: no positions in it")
    return Book(str(path), entries, order, seed, complain)


def _epd_entry(source: str, line: str, chess960: bool) -> Callable[[], Opening]:
    return lambda: read_epd(line, source, chess960)


def read_epd(line: str, source: str, chess960: bool = False) -> Opening:
    """One line of an EPD or FEN book. Raises :class:`SetupError` that quotes the source and the line."""
    try:
        words = line.split(";")[0].split()
        fields = words[:4]
        if len(words) >= 6 and words[4].isdigit() and words[5].isdigit():
            fields = words[:6]
        board = chess.Board(chess960=chess960)
        board.set_fen(" ".join(fields))
    except ValueError as error:
        raise SetupError(f"{source}: {quoted(line)} is not a position ({error})") from None
    return _checked(board, Opening(board.fen(shredder=chess960), (), source, chess960))


def _checked(board: chess.Board, opening: Opening) -> Opening:
    if board.status() != chess.STATUS_VALID:
        raise SetupError(f"{opening.source}: {board.fen()!r} is not a legal position ({board.status()!r})")
    if board.is_game_over():
        raise SetupError(f"{opening.source}: {board.fen()!r} is over before it begins")
    return opening


def _pgn_entries(name: str, text: str, plies: int | None, chess960: bool) -> Iterator[Callable[[], Opening]]:
    stream = io.StringIO(text)
    line, position = 1, 0
    for number in itertools.count(1):
        source = f"{name}:{line}"
        try:
            game = chess.pgn.read_game(stream, Visitor=_QuietGameBuilder)
        except (ValueError, IndexError) as error:  # brackets without a move before them, for one
            yield _fault(f"{source}: game {number} cannot be read ({error})")
        else:
            if game is None:
                return
            yield _pgn_entry(source, game, plies, chess960)
        line += text.count("\n", position, stream.tell())
        position = stream.tell()


def _fault(message: str) -> Callable[[], Opening]:
    def read() -> Opening:
        raise SetupError(message)

    return read


class _QuietGameBuilder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Collects errors in the game instead of logging them: we report them with file and line."""

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def _pgn_entry(source: str, game: chess.pgn.Game, plies: int | None, chess960: bool) -> Callable[[], Opening]:
    def read() -> Opening:
        if game.errors:
            raise SetupError(f"{source}: {game.errors[0]}")
        root = game.board()
        is_960 = chess960 or root.chess960
        moves = [move.uci() for move in game.mainline_moves()][:plies]
        opening = Opening(root.fen(shredder=is_960), tuple(moves), source, is_960)
        return _checked(opening.board(), opening)

    return read


class RandomOpenings:
    """Openings made of random legal moves from the start position: dull, but better than one game forever."""

    def __init__(self, plies: int = 8, seed: int = 1) -> None:
        self.plies = plies
        self.seed = seed

    def opening(self, number: int) -> Opening:
        """Opening ``number``; games that end within the random moves are drawn again."""
        source = random.Random(f"{self.seed}/{number}")
        while True:
            board = chess.Board()
            while len(board.move_stack) < self.plies and (moves := list(board.legal_moves)):
                board.push(source.choice(moves))
            if not board.is_game_over():
                moves_played = tuple(move.uci() for move in board.move_stack)
                return Opening(chess.STARTING_FEN, moves_played, f"random {self.plies} plies #{number}")
