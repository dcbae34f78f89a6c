"""The results of a file's games, kept beside it in ``GAMES.numbat.json``; PGN and page are made from them.

The file is a JSON object: ``format``, ``games``, the results of each game on a line of its own under a digest of its
moves, and ``written``, the digests of the PGN files made from them, by which a file that was edited is recognised."""

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess.pgn

from engine.analysis.files import read_bytes
from engine.analysis.record import is_decisive

SUFFIX = ".numbat.json"

#: The format of the file; files in others are ignored.
_FORMAT = 1

#: The digests of PGN files that are kept.
_WRITTEN = 20

_DIGEST = re.compile("[0-9a-f]{64}")


def digest_of(game: chess.pgn.Game) -> str:
    """A digest of a game's moves, and of whether somebody won."""
    board = game.board()
    moves = " ".join(node.move.uci() for node in game.mainline())
    return _digest(f"{board.fen()}|{board.chess960}|{moves}|{is_decisive(game)}".encode())


class Results:
    """The results in the file ``path``. Raises :class:`AnalysisError` if it cannot be read."""

    def __init__(self, path: Path, report: Callable[[str], None]) -> None:
        self.path = path
        self._games: dict[str, str] = {}
        self._written: list[str] = []
        if path.exists() and (problem := self._read(read_bytes(path))):
            kept = path.with_name(f"{path.name}.bak")
            report(f"{path} {problem}; it is ignored, and kept as {kept.name}")
            os.replace(path, kept)

    def _read(self, content: bytes) -> str:
        """Read the file, and return why it cannot be used, if it cannot."""
        try:
            stored = json.loads(content)
            if stored["format"] != _FORMAT:
                return "is in the format of another version"
            games, written = stored["games"], stored["written"]
            if all(map(_DIGEST.fullmatch, [*games, *written])):
                self._games = {digest: _json(results) for digest, results in games.items()}
                self._written = list(written)
                return ""
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            pass
        return "is damaged"

    def __bool__(self) -> bool:
        return bool(self._games)

    def get(self, digest: str, label: str | None = None) -> dict[str, Any] | None:
        """The results of a game; with a ``label`` only those with the same settings, whatever the version."""
        stored = json.loads(self._games.get(digest, "null"))
        found = stored.get("label") if isinstance(stored, dict) else None
        if not isinstance(found, str) or not found.isprintable():
            return None
        return stored if label is None or _settings(found) == _settings(label) else None

    def add(self, digest: str, results: dict[str, Any]) -> None:
        """Add or replace the results of a game."""
        self._games[digest] = _json(results)

    def has_written(self, content: bytes) -> bool:
        """Whether ``content`` is that of a PGN file made from these results."""
        return _digest(content) in self._written

    def will_write(self, content: bytes) -> None:
        """Note that ``content`` is going to be a PGN file."""
        digest = _digest(content)
        self._written = [*(old for old in self._written if old != digest), digest][-_WRITTEN:]

    def text(self) -> str:
        """The content of the file."""
        games = ",\n".join(f'"{digest}":{results}' for digest, results in self._games.items())
        return f'{{"format":{_FORMAT},"written":{_json(self._written)},"games":{{\n{games}\n}}}}\n'


def _settings(label: str) -> str:
    """The limit and the options in a label that begins with the name of the engine."""
    return label.partition(", ")[2]


def _json(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
