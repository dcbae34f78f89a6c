"""Reading and writing PGN files losslessly."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import chess
import chess.pgn

from engine import reading
from engine.files import check_place, open_regular, write_whole
from engine.reading import ReadError
from engine.reading.games import Exporter, UnreadGame, games_of


class AnalysisError(ValueError):
    """Something that cannot be analysed, read or written; the message names it."""


def read_games(path: Path, report: Callable[[str], None] = lambda warning: None) -> list[chess.pgn.Game]:
    """All games of a PGN file, the :class:`UnreadGame` ones among them; anything skipped or repaired is reported.
    Raises :class:`AnalysisError` for a file without a game that can be read."""
    warnings: list[str] = []
    try:
        games = [found.game for found in reading.read_games(path, warnings.append, unread=True)]
    except ReadError as error:
        raise AnalysisError(str(error)) from None
    if games and all(isinstance(game, UnreadGame) for game in games):
        raise AnalysisError(f"no game in {path} can be read: {warnings[0]}")
    if not games:
        raise AnalysisError(f"{path} contains no game" + (f" ({warnings[0]})" if warnings else ""))
    for warning in warnings:
        report(warning)
    return games


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises :class:`AnalysisError`."""
    try:
        with open_regular(path) as stream:
            return stream.read()
    except OSError as error:
        raise AnalysisError(f"cannot read {path}: {error.strerror}") from None


SEAL = "AnalysisDigest"  # the name of the tag, and of the line in a page's head, with the digest of the rest of a file

_SEAL = re.compile(rf'\n\[{SEAL} "([0-9a-f]{{64}})"\](?=\n)|<meta name="{SEAL}" content="([0-9a-f]{{64}})">\n'.encode())


def sealed(content: bytes) -> bytes:
    """A PGN file or a page with the digest of its content, by which an edited file is recognized."""
    is_page = content.startswith(b"<")
    head, end, rest = content.partition(b"</head>" if is_page else b"\n\n")
    line = '<meta name="%s" content="%s">\n' if is_page else '\n[%s "%s"]'
    return head + (line % (SEAL, hashlib.sha256(content).hexdigest())).encode() + end + rest


def is_sealed(content: bytes) -> bool | None:
    """Whether ``content`` is as :func:`sealed` returned it, whatever its line ends; None if it has no seal."""
    content = content.replace(b"\r\n", b"\n")
    found = _SEAL.search(content)
    if found is None:
        return None
    rest = content[: found.start()] + content[found.end() :]
    return hashlib.sha256(rest).hexdigest().encode() in found.groups()


def games_in(text: str) -> list[chess.pgn.Game]:
    """The games in PGN text."""
    return [found.game for found in games_of(enumerate(text.split("\n"), 1), lambda warning: None)]


def pgn_text(game: chess.pgn.Game) -> str:
    """``game`` as PGN, wrapped at the standard's 80 characters where possible; one that cannot be read as it is."""
    if isinstance(game, UnreadGame):
        return game.source
    tags, _, moves = game.accept(Exporter(columns=_LINE_LENGTH)).partition("\n\n")
    units: list[str] = []
    for word in _WORDS.findall(moves):
        if units and (word[0] in "[%;" or units[-1][-1] == "."):
            units[-1] += f" {word}"  # would start a tag, an escape or a comment there; or follows a number
        else:
            units.append(word)
    lines = [""]
    for unit in units:
        longer = f"{lines[-1]} {unit}".lstrip()
        if len(longer) <= _LINE_LENGTH:
            lines[-1] = longer
        else:
            lines.append(unit)
    return f"{tags}\n\n" + "\n".join(lines)


_LINE_LENGTH = 80  # the length of a line in a PGN file

#: Units that are not wrapped: words, and commands in comments such as ``[%eval 0.3]``.
_WORDS = re.compile(r"(?:\[%[^\][]*\]|\S)+")


class AddedGame:
    """A game at the end of a PGN file, replaced after each move; other games stay, also new ones of another program.
    Raises :class:`AnalysisError` if ``path`` is not a PGN file, :class:`WriteError` if it cannot be written."""

    def __init__(self, path: Path) -> None:
        check_place(path)
        previous = read_bytes(path) if path.exists() else b""
        if previous.strip():
            try:
                read_games(path)
            except AnalysisError as error:
                raise AnalysisError(f"{error}; choose another file with --pgn") from None
            if b"\0" in previous:
                raise AnalysisError(f"{path} is not in UTF-8; choose another file with --pgn")
        self._path = path
        self._text = b""

    def write(self, game: chess.pgn.Game) -> None:
        """Write the file with ``game`` as it is now. Raises the same exceptions as the constructor."""
        text = f"{pgn_text(game)}\n".encode(errors="replace")
        file = read_bytes(self._path) if self._path.exists() else b""
        before, own, after = file.rpartition(self._text) if self._text else (file, b"", b"")
        if not own:  # the first time, or someone has changed the game
            before, after = (file.rstrip() + b"\n\n" if file.strip() else b""), b""
        write_whole(self._path, before + text + after)
        self._text = text
