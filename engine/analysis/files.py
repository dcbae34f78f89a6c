"""PGN in and out: nothing is lost on the way, and an interrupted annotation is continued."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import chess
import chess.pgn

from engine.analysis.boards import faults
from engine.analysis.notes import TAG


class AnalysisError(ValueError):
    """Something that cannot be analysed, read or written; the message names it."""


class _Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """python-chess finds a game in any text; this one knows whether there was a tag or a move."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self.found = True
        super().visit_header(tagname, tagvalue)

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        self.found = True
        super().visit_move(board, move)

    def handle_error(self, error: Exception) -> None:
        """python-chess logs what it cannot read and goes on with less; here that is an error."""
        raise AnalysisError(str(error)) from error


class _Lenient(_Builder):
    def handle_error(self, error: Exception) -> None:
        """What cannot be read here is left as it is."""


def read_games(path: Path) -> list[chess.pgn.Game]:
    """All games of a PGN file. Raises :class:`AnalysisError`, which names file, game and fault."""
    games = list(_games(_decoded(_read(path)), str(path)))
    if not games:
        raise AnalysisError(f"{path} holds no game")
    return games


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AnalysisError(f"cannot read {path}: {error.strerror}") from None


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # the encoding of the PGN standard of 1994


def _games(text: str, name: str) -> Iterator[chess.pgn.Game]:
    if "\0" in text:  # a picture or the like; pieces of it may look like moves
        return
    stream, number = io.StringIO(text), 1
    while True:
        builder = _Builder()
        try:
            game = _next_game(stream, builder)
            if game is None:
                return
            if not builder.found:
                continue
            _check(game)
        except ValueError as error:
            raise AnalysisError(f"game {number} of {name}: {error}") from None
        yield game
        number += 1


def _next_game(stream: io.StringIO, builder: _Builder) -> chess.pgn.Game | None:
    return chess.pgn.read_game(stream, Visitor=lambda: builder)


def _check(game: chess.pgn.Game) -> None:
    board = game.board()
    if type(board) is not chess.Board:
        raise AnalysisError(f"the variant {game.headers['Variant']} is not played here")
    if not board.is_valid():
        raise AnalysisError(f"not a legal position: {board.fen()} ({faults(board)})")


def write_games(path: Path, games: Sequence[chess.pgn.Game]) -> None:
    """Write ``games`` to ``path``; whenever it is interrupted there is the former file or the new one."""
    write_whole(path, "\n\n".join(str(game) for game in games) + "\n")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file that is never seen half; a text in UTF-8. Raises :class:`AnalysisError`."""
    target = Path(os.path.realpath(path))  # a link goes on being one
    beside = target.with_name(f"{target.name}.part")
    try:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(beside, target)
    except OSError as error:
        raise AnalysisError(f"cannot write {path}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def check_place(path: Path) -> None:
    """Raises :class:`AnalysisError` where no file can be written at ``path``."""
    try:
        if path.is_dir():
            reason = "it is a directory"
        elif not path.parent.is_dir():
            reason = "no such directory"
        elif path.exists() and not path.is_file():
            reason = "it is no plain file"
        else:
            return
    except OSError as error:  # such as a name that is too long
        reason = error.strerror or str(error)
    raise AnalysisError(f"cannot write {path}: {reason}")


class AddedGame:
    """A game at the end of a PGN file, written anew after each move; the games before it stay as they are.

    Raises :class:`AnalysisError` where ``path`` is something else than a PGN file.
    """

    def __init__(self, path: Path) -> None:
        check_place(path)
        former = _read(path) if path.exists() else b""
        if former.strip() and not _holds_game(_decoded(former)):
            raise AnalysisError(f"{path} is there and holds no game; --pgn names another file")
        self._path = path
        self._before = former.rstrip() + b"\n\n" if former.strip() else b""

    def write(self, game: chess.pgn.Game) -> None:
        """Write the file with ``game`` as it is now. Raises :class:`AnalysisError`."""
        write_whole(self._path, self._before + f"{game}\n".encode())


def _holds_game(text: str) -> bool:
    stream = io.StringIO(text)
    while "\0" not in text:
        builder = _Lenient()
        if _next_game(stream, builder) is None:
            return False
        if builder.found:
            return True
    return False


def continued(games: list[chess.pgn.Game], path: Path, label: str) -> list[chess.pgn.Game]:
    """``games``, and in place of each the one from ``path`` that an earlier run has annotated under ``label``.

    Raises :class:`AnalysisError` where ``path`` holds anything but these games.
    """
    if not path.exists():
        return games
    former = read_games(path)
    if [_moves(game) for game in former] != [_moves(game) for game in games]:
        raise AnalysisError(f"{path} is there and holds other games; --output names another file")
    return [old if old.headers.get(TAG) == label else new for old, new in zip(former, games, strict=True)]


def _moves(game: chess.pgn.Game) -> tuple[str, list[chess.Move]]:
    return game.board().fen(), list(game.mainline_moves())


def fingerprint(games: Sequence[chess.pgn.Game]) -> str:
    """A digest of the moves of ``games``, by which their page is known."""
    return hashlib.sha256(repr([_moves(game) for game in games]).encode()).hexdigest()


def check_page(path: Path, games: Sequence[chess.pgn.Game]) -> None:
    """Raises :class:`AnalysisError` where ``path`` holds anything but a page of these games."""
    if path.exists() and fingerprint(games).encode() not in _read(path):
        raise AnalysisError(f"{path} is there and is no page of these games; --html names another file")
