"""Openings from EPD or PGN books, or of random moves; the seed determines their order."""

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import chess

from engine.messages import PositionError
from engine.reading import ReadError, read_games, read_lines, read_position
from engine.reading.games import Read
from engine.reading.positions import operations_of
from tuning.common.errors import SetupError
from tuning.common.files import digest

MAX_WARNINGS = 10  # warnings on a book that are reported one by one
MAX_REPEATS = 1_000  # random openings in a row without a new position after which :func:`distinct` ends


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


@dataclass(slots=True)
class Warnings:
    """Forwards the first :data:`MAX_WARNINGS` warnings on a book to ``log``."""

    log: Callable[[str], None]
    count: int = 0
    first: str = ""

    def __call__(self, text: str) -> None:
        self.count += 1
        self.first = self.first or text
        if self.count <= MAX_WARNINGS:
            self.log(text)
        if self.count == MAX_WARNINGS:
            self.log("further openings are skipped or repaired without a message")


Entry = Callable[[Callable[[str], None]], Opening]
"""Reads an opening; reports repairs. Raises ValueError, which names the place."""


class OpeningSuite:
    """Openings numbered from 0 without end: ``suite.opening(n)`` is the same on every call.

    Invalid lines are skipped; they and repairs are reported once through ``warnings``. Raises :class:`SetupError` for a
    suite without a usable line."""

    def __init__(self, name: str, entries: list[Entry], order: str, seed: int, warnings: Warnings) -> None:
        self._entries = entries
        self._sequence = list(range(len(entries)))
        if order == "random":
            random.Random(seed).shuffle(self._sequence)
        self.warnings = warnings
        self._good: list[Opening] = []
        self._next = 0
        faults: list[str] = []
        for entry in entries:
            try:
                entry(lambda repair: None)
                return
            except ValueError as error:
                faults.append(str(error))
        raise SetupError(f"openings {name}: no usable opening in it; the first fault: {faults[0]}")

    def __len__(self) -> int:
        return len(self._entries)

    def opening(self, number: int) -> Opening:
        """The opening of pair ``number``; after the last one the suite starts again."""
        while number >= len(self._good) and self._next < len(self._sequence):
            entry = self._entries[self._sequence[self._next]]
            self._next += 1
            try:
                self._good.append(entry(self.warnings))
            except ValueError as error:
                self.warnings(str(error))
        return self._good[number % len(self._good)]


def load_openings(
    path: Path,
    *,
    order: str = "random",
    seed: int = 1,
    plies: int | None = None,
    chess960: bool = False,
    log: Callable[[str], None] = print,
) -> OpeningSuite:
    """Open an ``.epd``, ``.fen`` or ``.pgn`` book. ``plies`` cuts the lines of a PGN book short.

    Castling rights of Chess960 make an opening one of Chess960, ``chess960`` makes all of them so. EPD lines are parsed
    on first use, so a book of a million lines opens immediately. Raises :class:`SetupError` for a book that is missing,
    binary, or without a usable opening, and for a PGN book with a tag that cannot be read or a game with neither moves
    nor a position, as its games would begin at the wrong one."""
    warnings = Warnings(log)
    entries: list[Entry]
    try:
        if path.suffix.lower() == ".pgn":
            entries = [_pgn_entry(path, found, plies, chess960) for found in read_games(path, warnings)]
        else:
            entries = [
                _epd_entry(f"{path.name}:{number}", line, chess960)
                for number, line in read_lines(path, lambda number, text: warnings(f"{path}:{number}: {text}"))
                if line.strip() and not line.startswith("#")
            ]
    except ReadError as error:
        raise SetupError(f"openings: {error}") from None
    if not entries:
        fault = (
            f"no usable opening in it; the first fault: {warnings.first}" if warnings.first else "no positions in it"
        )
        raise SetupError(f"openings {path}: {fault}")
    return OpeningSuite(str(path), entries, order, seed, warnings)


def _epd_entry(source: str, line: str, chess960: bool) -> Entry:
    def read(report: Callable[[str], None]) -> Opening:
        try:
            found = read_position(line, chess960)
        except PositionError as error:
            raise SetupError(f"{source}: {error}") from None
        for repair in found.repairs:
            report(f"{source}: {repair}")
        try:
            operations_of(found.rest)
        except PositionError as error:
            report(f"{source}: {error} and is ignored")
        is_960 = found.board.chess960
        return _checked(found.board, Opening(found.board.fen(shredder=is_960), (), source, is_960))

    return read


def _pgn_entry(path: Path, found: Read, plies: int | None, chess960: bool) -> Entry:
    if found.bad_tag:
        raise SetupError(f"openings {path}: game {found.number}, {found.bad_tag}")
    if not (found.game.variations or found.game.errors or "FEN" in found.game.headers):
        raise SetupError(f"openings {path}:{found.line}: game {found.number} has neither moves nor a FEN tag")
    source = f"{path.name}:{found.line}"

    def read(report: Callable[[str], None]) -> Opening:
        if found.game.errors:
            raise SetupError(f"{source}: game {found.number} is no opening: {found.game.errors[0]}")
        root = found.game.board()
        is_960 = chess960 or root.chess960
        moves = [move.uci() for move in found.game.mainline_moves()][:plies]
        opening = Opening(root.fen(shredder=is_960), tuple(moves), source, is_960)
        return _checked(opening.board(), opening)

    return read


def _checked(board: chess.Board, opening: Opening) -> Opening:
    if board.is_game_over():
        raise SetupError(f"{opening.source}: {board.fen()!r} is over before it begins")
    return opening


class RandomOpenings:
    """Openings of random legal moves from the start position, or with ``chess960`` from one of its start positions."""

    def __init__(self, plies: int = 8, seed: int = 1, chess960: bool = False) -> None:
        self.plies = plies
        self.seed = seed
        self.chess960 = chess960

    def opening(self, number: int) -> Opening:
        """Opening ``number``; moves are drawn again if the game ends within them."""
        source = random.Random(f"{self.seed}/{number}")
        while True:
            board = chess.Board.from_chess960_pos(source.randrange(960)) if self.chess960 else chess.Board()
            start = board.fen(shredder=self.chess960)
            while len(board.move_stack) < self.plies and (moves := list(board.legal_moves)):
                board.push(source.choice(moves))
            if not board.is_game_over():
                moves_played = tuple(move.uci() for move in board.move_stack)
                return Opening(start, moves_played, f"random {self.plies} plies #{number}", self.chess960)


def distinct(openings: OpeningSuite | RandomOpenings, on_duplicate: Callable[[str], None]) -> Iterator[Opening]:
    """``openings`` in order, until there is no new one. Openings that reach the position of an earlier one are
    skipped; ``on_duplicate`` is called for the first."""
    seen: set[str] = set()
    newest = 0
    for number in itertools.count():
        opening = openings.opening(number)
        if isinstance(openings, OpeningSuite) and number > 0 and opening is openings.opening(0):
            return
        position = opening.board().epd()
        if position not in seen:
            seen.add(position)
            newest = number
            yield opening
        elif isinstance(openings, RandomOpenings) and number - newest > MAX_REPEATS:
            return
        elif len(seen) == number:
            on_duplicate(f"{opening.source} leads to the position of an earlier opening; such openings are skipped")


@dataclass(frozen=True, slots=True)
class BookSettings:
    """Where openings come from; without a ``path``, ``plies`` random moves (8 unless said otherwise).

    ``digest`` identifies the contents of the file; older results files do not have it."""

    path: str | None = None
    order: str = "random"
    seed: int = 1
    plies: int | None = None
    chess960: bool = False
    digest: str | None = None

    def open(self, log: Callable[[str], None]) -> OpeningSuite | RandomOpenings:
        """The openings; see :func:`load_openings`. Raises :class:`SetupError` also for a file that has changed."""
        if self.path is None:
            return RandomOpenings(8 if self.plies is None else self.plies, self.seed, self.chess960)
        settings = asdict(self)
        path, expected = Path(settings.pop("path")), settings.pop("digest")
        suite = load_openings(path, log=log, **settings)
        if expected not in (None, digest(path)):
            raise SetupError(f"openings {path}: the file has changed since the run began")
        return suite
