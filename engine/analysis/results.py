"""The results of a file's games, kept next to it in ``GAMES.numbat.json``; PGN and page are made from them.

The file is a JSON object: ``format``, and ``games``, the results of each game on a line of its own under a digest of
its moves. Several runs may write it: each adds its games."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import chess.pgn
from filelock import FileLock

from engine.analysis.files import read_bytes
from engine.analysis.record import is_decisive
from engine.files import WriteError, write_whole
from engine.folders import cache_folder

SUFFIX = ".numbat.json"

_FORMAT = 1  # the format of the file; files in others are ignored
_LOCK_TIMEOUT = 5.0  # seconds to wait for another process that is writing results

_DIGEST = re.compile("[0-9a-f]{64}")


def digest_of(game: chess.pgn.Game) -> str:
    """A digest of a game's moves, and of whether somebody won."""
    board = game.board()
    moves = " ".join(node.move.uci() for node in game.mainline())
    return hashlib.sha256(f"{board.fen()}|{board.chess960}|{moves}|{is_decisive(game)}".encode()).hexdigest()


class Results:
    """The results in the file ``path``. Raises :class:`AnalysisError` if it cannot be read, and :class:`WriteError` if
    it is damaged and cannot be set aside."""

    def __init__(self, path: Path, report: Callable[[str], None]) -> None:
        self.path = path
        self._report = report
        self._games: dict[str, str] = {}
        self._own: set[str] = set()
        self._read()

    def _read(self) -> None:
        """Take the results in the file but for games that this run has searched; set an unusable file aside."""
        if not self.path.exists():
            return
        content = read_bytes(self.path)
        try:
            stored = json.loads(content)
            problem = "" if stored["format"] == _FORMAT else "is in the format of another version"
            if not problem:
                found = {digest: _json(results) for digest, results in stored["games"].items()}
                if not all(map(_DIGEST.fullmatch, found)):
                    raise ValueError("not a digest")
                own = {digest: self._games[digest] for digest in self._own}
                self._games = {**self._games, **found, **own}
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            problem = "is damaged"
        if problem:
            names = (self.path.with_name(f"{self.path.name}.bak{number or ''}") for number in count())
            kept = next(name for name in names if not os.path.lexists(name))
            try:
                os.replace(self.path, kept)
            except OSError as error:
                raise WriteError(f"{self.path} {problem}, and cannot be set aside: {error.strerror}") from None
            self._report(f"{self.path} {problem}; it is ignored, and kept as {kept.name}")

    def __bool__(self) -> bool:
        return bool(self._games)

    def get(self, digest: str, label: str | None = None, same_version: bool = False) -> dict[str, Any] | None:
        """The results of a game; with a ``label`` only those with the same settings, and of the ``same_version``."""
        stored: dict[str, Any] | None = json.loads(self._games.get(digest, "null"))
        found = stored.get("label") if isinstance(stored, dict) else None
        if not isinstance(found, str) or not found.isprintable():
            return None
        if label is None or found == label or (not same_version and _settings(found) == _settings(label)):
            return stored
        return None

    def add(self, digest: str, results: dict[str, Any]) -> None:
        """Add or replace the results of a game."""
        self._games[digest] = _json(results)
        self._own.add(digest)

    def save(self, write: Callable[..., None] = write_whole) -> None:
        """Write the file, with what another run has added meanwhile. Raises :class:`WriteError`."""
        with _locked():
            self._read()
            games = ",\n".join(f'"{digest}":{results}' for digest, results in self._games.items())
            write(self.path, f'{{"format":{_FORMAT},"games":{{\n{games}\n}}}}\n', follow=False)


@contextmanager
def _locked() -> Iterator[None]:
    """Hold the lock for writing results, unless there can be none or another process keeps it for too long."""
    folder = cache_folder()
    lock = FileLock(folder / "results.lock", timeout=_LOCK_TIMEOUT)
    with suppress(OSError, NotImplementedError):  # a Timeout is an OSError
        if folder.is_absolute():  # else the user has no home
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _settings(label: str) -> str:
    """The limit and the options in a label that begins with the name of the engine."""
    return label.partition(", ")[2]


def _json(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))
