"""PGN in and out: nothing is lost on the way, and an interrupted annotation is continued."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import chess
import chess.pgn

from engine.analysis.boards import faults
from engine.analysis.notes import TAG
from engine.files import drafted


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

    def visit_comment(self, comment: str) -> None:
        """A line break in a comment is a space: it was put there to keep lines short."""
        super().visit_comment(re.sub(r"\s*\n\s*", " ", comment))

    def handle_error(self, error: Exception) -> None:
        """Keep what cannot be read instead of logging it; what follows it in the game is left out."""
        self.game.errors.append(error)


def read_games(path: Path, on_fault: Callable[[str], None] | None = None) -> list[chess.pgn.Game]:
    """All games of a PGN file. Raises :class:`AnalysisError`, which names file, game and fault.

    With ``on_fault`` a game that is at fault is left out, and the function is told; only a file without any other is
    an error then.
    """
    games: list[chess.pgn.Game] = []
    faults: list[str] = []
    for number, (game, fault) in enumerate(_games(_decoded(_read(path))), 1):
        if fault:
            faults.append(f"game {number} of {path}: {fault}")
        else:
            games.append(game)
    if faults and (on_fault is None or not games):
        raise AnalysisError(faults[0] if len(faults) == 1 or games else f"{faults[0]} (and there is no other game)")
    if not games:
        raise AnalysisError(f"{path} contains no game")
    for fault in faults:
        assert on_fault is not None
        on_fault(fault)
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


def _games(text: str) -> Iterator[tuple[chess.pgn.Game, str]]:
    """The games in ``text``, each with what is wrong with it, which may be nothing."""
    if "\0" in text:  # a picture or the like; pieces of it may look like moves
        return
    stream = io.StringIO(text)
    while True:
        builder = _Builder()
        game = _next_game(stream, builder)
        if game is None:
            return
        if builder.found:
            yield game, str(game.errors[0]) if game.errors else _fault(game)


def _next_game(stream: io.StringIO, builder: _Builder) -> chess.pgn.Game | None:
    return chess.pgn.read_game(stream, Visitor=lambda: builder)


def _fault(game: chess.pgn.Game) -> str:
    """Why a game that could be read cannot be analysed; empty if it can."""
    board = game.board()
    if type(board) is not chess.Board:
        return f"the variant {game.headers['Variant']} is not supported"
    if not board.is_valid():
        return f"not a legal position: {board.fen()} ({faults(board)})"
    return ""


def write_games(path: Path, games: Sequence[chess.pgn.Game]) -> None:
    """Write ``games`` to ``path``; whenever it is interrupted there is the former file or the new one."""
    write_whole(path, "\n\n".join(map(pgn_text, games)) + "\n")


def pgn_text(game: chess.pgn.Game) -> str:
    """``game`` as PGN, its lines no longer than the standard's 80 characters if a word is not."""
    tags, _, moves = game.accept(chess.pgn.StringExporter(columns=None)).partition("\n\n")
    units: list[str] = []
    for word in _WORDS.findall(moves):
        if units and (word[0] in "[%;" or units[-1][-1] == "."):
            units[-1] += f" {word}"  # at a line's beginning it would be a tag, an escape or a remark; or has a number
        else:
            units.append(word)
    lines = [""]
    for unit in units:
        longer = f"{lines[-1]} {unit}".lstrip()
        if len(longer) <= _COLUMNS:
            lines[-1] = longer
        else:
            lines.append(unit)
    return f"{tags}\n\n" + "\n".join(lines)


#: The length of a line in a PGN file.
_COLUMNS = 80

#: What is not broken in a PGN: a word, and a command in a comment such as ``[%eval 0.3]``.
_WORDS = re.compile(r"(?:\[%[^\]]*\]|\S)+")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file that is never seen half; a text in UTF-8. Raises :class:`AnalysisError`."""
    try:
        with drafted(path) as draft:
            draft.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise AnalysisError(f"cannot write {path}: {error.strerror}") from None


def check_place(path: Path) -> None:
    """Raises :class:`AnalysisError` if no file can be written at ``path``."""
    try:
        if path.is_dir():
            reason = "it is a directory"
        elif not path.parent.is_dir():
            reason = "no such directory"
        elif path.exists() and not path.is_file():
            reason = "it is not a regular file"
        else:
            return
    except OSError as error:  # such as a name that is too long
        reason = error.strerror or str(error)
    raise AnalysisError(f"cannot write {path}: {reason}")


class AddedGame:
    """A game at the end of a PGN file, written anew after each move; the games before it stay as they are.

    Raises :class:`AnalysisError` if ``path`` is something else than a PGN file.
    """

    def __init__(self, path: Path) -> None:
        check_place(path)
        former = _read(path) if path.exists() else b""
        if former.strip() and not _holds_game(_decoded(former)):
            raise AnalysisError(f"{path} exists and contains no game; choose another file with --pgn")
        self._path = path
        self._before = former.rstrip() + b"\n\n" if former.strip() else b""

    def write(self, game: chess.pgn.Game) -> None:
        """Write the file with ``game`` as it is now. Raises :class:`AnalysisError`."""
        write_whole(self._path, self._before + f"{pgn_text(game)}\n".encode())


def _holds_game(text: str) -> bool:
    stream = io.StringIO(text)
    while "\0" not in text:
        builder = _Builder()
        if _next_game(stream, builder) is None:
            return False
        if builder.found:
            return True
    return False


def continued(games: list[chess.pgn.Game], path: Path, label: str) -> list[chess.pgn.Game]:
    """``games``, and in place of each the one from ``path`` that an earlier run has annotated under ``label``.

    Raises :class:`AnalysisError` if ``path`` holds anything but these games.
    """
    if not path.exists():
        return games
    former = read_games(path)
    if [_moves(game) for game in former] != [_moves(game) for game in games]:
        raise AnalysisError(f"{path} exists and contains other games; choose another file with --output")
    return [old if old.headers.get(TAG) == label else new for old, new in zip(former, games, strict=True)]


def _moves(game: chess.pgn.Game) -> tuple[str, list[chess.Move]]:
    return game.board().fen(), list(game.mainline_moves())


def fingerprint(games: Sequence[chess.pgn.Game]) -> str:
    """A digest of the moves of ``games``, by which their page is known."""
    return hashlib.sha256(repr([_moves(game) for game in games]).encode()).hexdigest()


def check_page(path: Path, games: Sequence[chess.pgn.Game]) -> None:
    """Raises :class:`AnalysisError` if ``path`` holds anything but a page of these games."""
    if path.exists() and fingerprint(games).encode() not in _read(path):
        raise AnalysisError(f"{path} exists and is not a page of these games; choose another file with --html")
