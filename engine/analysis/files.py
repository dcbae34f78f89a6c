"""Reading and writing PGN files losslessly, and finding the games that an interrupted run has finished."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn

from engine import reading
from engine.files import check_place, open_regular, write_whole
from engine.reading import ReadError, read_lines
from engine.reading.games import Exporter, games_of
from engine.reading.split import split
from engine.reading.tokens import tokens


class AnalysisError(ValueError):
    """Something that cannot be analysed, read or written; the message names it."""


def read_games(path: Path, report: Callable[[str], None] = lambda remark: None) -> list[chess.pgn.Game]:
    """All games of a PGN file; anything skipped or repaired is reported.

    Raises :class:`AnalysisError` for a file without a game.
    """
    remarks: list[str] = []
    try:
        games = [found.game for found in reading.read_games(path, remarks.append)]
    except ReadError as error:
        raise AnalysisError(str(error)) from None
    if not games:
        raise AnalysisError(f"{path} contains no game" + (f" ({remarks[0]})" if remarks else ""))
    for remark in remarks:
        report(remark)
    return games


def _read(path: Path) -> bytes:
    try:
        with open_regular(path) as stream:
            return stream.read()
    except OSError as error:
        raise AnalysisError(f"cannot read {path}: {error.strerror}") from None


def games_in(text: str) -> list[chess.pgn.Game]:
    """The games in PGN text."""
    return [found.game for found in games_of(enumerate(text.split("\n"), 1), lambda remark: None)]


def write_games(path: Path, games: Sequence[str]) -> None:
    """Write games, each from :func:`pgn_text`, to ``path``; an interruption leaves the previous file or the new one."""
    write_whole(path, "\n\n".join(games) + "\n")


def pgn_text(game: chess.pgn.Game) -> str:
    """``game`` as PGN, wrapped at the standard's 80 characters where possible."""
    tags, _, moves = game.accept(Exporter(columns=_COLUMNS)).partition("\n\n")
    units: list[str] = []
    for word in _WORDS.findall(moves):
        if units and (word[0] in "[%;" or units[-1][-1] == "."):
            units[-1] += f" {word}"  # would start a tag, an escape or a comment there; or follows a number
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

#: Units that are not wrapped: words, and commands in comments such as ``[%eval 0.3]``.
_WORDS = re.compile(r"(?:\[%[^\][]*\]|\S)+")


class AddedGame:
    """A game at the end of a PGN file, replaced after each move; the other games are left alone, also those that
    another program adds meanwhile.

    Raises :class:`AnalysisError` if ``path`` is not a PGN file, :class:`WriteError` if it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        check_place(path)
        previous = _read(path) if path.exists() else b""
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
        """Write the file with ``game`` as it is now. Raises as the constructor."""
        text = f"{pgn_text(game)}\n".encode(errors="replace")
        file = _read(self._path) if self._path.exists() else b""
        before, own, after = file.rpartition(self._text) if self._text else (file, b"", b"")
        if not own:  # the first time, or someone has changed the game
            before, after = (file.rstrip() + b"\n\n" if file.strip() else b""), b""
        write_whole(self._path, before + text + after)
        self._text = text


def continued(games: Sequence[chess.pgn.Game], path: Path, known: Mapping[int, str]) -> list[Begun]:
    """The games of ``path`` that an earlier run wrote: all of ``games``, or the first ones. ``known`` has the text of
    finished ones by their number.

    Raises :class:`AnalysisError` if ``path`` holds anything but these games.
    """
    if not path.exists():
        return []
    try:
        lines = list(read_lines(path, lambda line, text: None))
    except ReadError as error:
        raise AnalysisError(str(error)) from None
    starts = [raw.line for raw in split(tokens(lines)) if raw.is_game]
    if not starts:
        raise AnalysisError(f"{path} exists and contains no game; choose another file with --output")
    result = []
    for number, (start, end) in enumerate(itertools.pairwise([*starts, len(lines) + 1]), 1):
        text = "\n".join(line for _, line in lines[start - 1 : end - 1]).rstrip()
        old = None if known.get(number) == text else games_in(text)[:1]
        if old is not None and (not old or list(map(_moves, old)) != list(map(_moves, games[number - 1 : number]))):
            raise AnalysisError(f"{path} exists and contains other games; choose another file with --output")
        result.append(Begun(text, old[0] if old else None))
    return result


class Begun(NamedTuple):
    """The text of a game that an earlier run wrote, and the game unless the text is known."""

    text: str
    game: chess.pgn.Game | None


def _moves(game: chess.pgn.Game) -> tuple[str, list[chess.Move]]:
    return game.board().fen(), list(game.mainline_moves())


def fingerprints(games: Sequence[chess.pgn.Game]) -> list[str]:
    """For each game a digest of the moves of the games up to it, which identifies their page."""
    digest = hashlib.sha256()
    result: list[str] = []
    for game in games:
        digest.update(f"{', ' if result else '['}{_moves(game)!r}".encode())  # a list, as earlier pages have it
        whole = digest.copy()
        whole.update(b"]")
        result.append(whole.hexdigest())
    return result


def read_page(path: Path, fingerprints: Sequence[str]) -> tuple[str, str]:
    """The page at ``path`` and that of the ``fingerprints`` which it has; both are empty if there is none.

    Raises :class:`AnalysisError` if ``path`` holds anything else.
    """
    page = _read(path).decode(errors="replace") if path.exists() else ""
    found = set(re.findall("[0-9a-f]{64}", page)).intersection(fingerprints)
    if page and not found:
        raise AnalysisError(f"{path} exists and is not a page of these games; choose another file with --html")
    return page, next(iter(found), "")
