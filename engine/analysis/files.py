"""PGN in and out: nothing is lost on the way, and an interrupted annotation is continued."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import chess.pgn

from engine.analysis.annotate import TAG
from engine.analysis.boards import faults


class AnalysisError(ValueError):
    """Something that cannot be analysed, read or written; the message names it."""


class _Strict(chess.pgn.GameBuilder[chess.pgn.Game]):
    """python-chess logs what it cannot read and goes on with less; here that is an error."""

    def handle_error(self, error: Exception) -> None:
        raise AnalysisError(str(error)) from error


def read_games(path: Path) -> list[chess.pgn.Game]:
    """All games of a PGN file. Raises :class:`AnalysisError`, which names file, game and fault."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AnalysisError(f"cannot read {path}: {error.strerror}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # the encoding of the PGN standard of 1994
    games = list(_games(text, str(path)))
    if not games:
        raise AnalysisError(f"{path} holds no game")
    return games


def _games(text: str, name: str) -> Iterator[chess.pgn.Game]:
    import io

    stream, number = io.StringIO(text), 0
    while True:
        number += 1
        try:
            game = chess.pgn.read_game(stream, Visitor=_Strict)
            if game is None:
                return
            _check(game)
        except ValueError as error:
            raise AnalysisError(f"game {number} of {name}: {error}") from None
        yield game


def _check(game: chess.pgn.Game) -> None:
    board = game.board()
    if type(board) is not chess.Board:
        raise AnalysisError(f"the variant {game.headers['Variant']} is not played here")
    if not board.is_valid():
        raise AnalysisError(f"not a legal position: {board.fen()} ({faults(board)})")


def write_games(path: Path, games: Sequence[chess.pgn.Game]) -> None:
    """Write ``games`` to ``path``; whenever it is interrupted there is the former file or the new one."""
    write_whole(path, "\n\n".join(str(game) for game in games) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a text file that is never seen half. Raises :class:`AnalysisError`."""
    beside = path.with_name(f"{path.name}.part")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    except OSError as error:
        raise AnalysisError(f"cannot write {path}: {error.strerror}") from None


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
