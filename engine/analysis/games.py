"""``analyse PGN``: every game annotated, as PGN and as a page, with a progress bar; survives interruption."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import chess.pgn
from chess.engine import Limit
from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeElapsedColumn, TimeRemainingColumn

from engine.analysis.files import (
    AnalysisError,
    continued,
    fingerprints,
    pgn_text,
    read_games,
    read_page,
    write_games,
)
from engine.analysis.jobs import (
    SAVE_AFTER,
    AnnotateAll,
    Finished,
    Message,
    Remark,
    Setup,
    Step,
    Unfinished,
    annotate_all,
)
from engine.analysis.limits import engine_name, limit_of
from engine.analysis.notes import TAG, looked, positions
from engine.analysis.report import MARKS, entries, render
from engine.commandline import DONE, INTERRUPTED, REFUSED, refuse
from engine.console import Console, TextColumn
from engine.files import WriteError, check_place, write_whole

#: At most one part in this many of the time is spent saving unfinished files.
_SAVING = 25


def analyse(
    paths: Sequence[Path], chosen: argparse.Namespace, options: dict[str, Any], annotate: AnnotateAll[Any] | None = None
) -> int:
    """Annotate the games of all ``paths`` that can be read; the files are written at the end, and every few seconds
    until then. ``annotate`` does the work elsewhere than on this machine."""
    if chosen.lines is not None:
        raise AnalysisError("--lines is for a position; an annotated game shows one line for each bad move")
    if chosen.chess960:
        raise AnalysisError("--chess960 is for a position; a game says it in its Variant tag")
    for option in ("output", "html"):
        if getattr(chosen, option) is not None and len(paths) > 1:
            raise AnalysisError(f"--{option} names one file, but there are {len(paths)} to analyse")
    console = Console(stderr=True)
    whole_game = chosen.game_time is not None
    limit, words = limit_of(chosen, 0.5)
    if whole_game:
        limit, words = Limit(time=chosen.game_time), f"{chosen.game_time:g} s a game"
    name = engine_name(words, options)
    files, code = [], DONE
    for path in paths:
        try:
            files.append(_File.open(path, chosen, name, lambda text: _say(console, text)))
        except (AnalysisError, WriteError) as error:
            code = refuse(error)
    if not files:
        return code
    _check_apart(files)
    try:
        annotate = annotate or partial(annotate_all, jobs=chosen.jobs or 1)
        _annotate(files, Setup(options, limit, name, whole_game), annotate, console)
        written = [file for file in files if file.write(name, whole=True)]
    except BaseException as error:
        written = [file for file in files if file.write(name)]
        if not isinstance(error, KeyboardInterrupt):
            raise
        games = [game for file in files for game in file.games]
        done, whole = sum(game.looked for game in games), sum(game.size for game in games)
        finished = sum(game.finished for game in games)
        kept = ", ".join(str(file.output) for file in written if any(game.text for game in file.games))
        print(
            f"\nnumbat: interrupted after {done} of {whole} positions; {finished} of {len(games)} games are finished"
            f"{f', kept in {kept}' if kept else ''}; run the same command to continue",
            file=sys.stderr,
        )
        return INTERRUPTED
    for file in written:
        pages = [game.page for game in file.games if game.page]
        for page in pages:
            _print_summary(json.loads(page))
        print(f"wrote {file.output} and {file.html}" if pages else f"wrote {file.output}")
    return code if written == files else REFUSED


@dataclass(eq=False)
class _Game:
    """A game of a file, which has ``size`` positions up to a null move, if any (``cut``), of which ``looked`` are done.

    ``text`` is its PGN once the output has it, and ``page`` the JSON for its page once it is finished. ``game`` is None
    if nothing has to be done any longer.
    """

    file: _File
    number: int
    game: chess.pgn.Game | None
    players: str
    size: int
    cut: bool
    looked: int = 0
    text: str = ""
    page: str = ""
    finished: bool = False

    @property
    def empty(self) -> bool:
        """Whether there are no moves."""
        return self.size == 1 and not self.cut


@dataclass(eq=False)
class _File:
    """A file of games and the two that are written for it; ``print`` is the games' fingerprint."""

    path: Path
    output: Path
    html: Path
    print: str
    games: list[_Game]

    @classmethod
    def open(cls, path: Path, chosen: argparse.Namespace, name: str, report: Callable[[str], None]) -> _File:
        """Read the games, each as it is in the output if it is there; what was done under ``name`` is done."""
        games = read_games(path, report)
        output = chosen.output or path.with_suffix(".annotated.pgn")
        check_place(output)
        html = chosen.html or output.with_suffix(".html")
        check_place(html)
        _check_outputs(path, output, html)
        marks = fingerprints(games)
        old, mark = read_page(html, marks)
        pages = {json.loads(page)["number"]: page for page in entries(old, name, mark)}
        known = {number: json.loads(page)["pgn"] for number, page in pages.items()}
        result = cls(path, output, html, marks[-1], [])
        for number, game in enumerate(games, 1):
            size = len(positions(game))
            cut = size <= len(list(game.mainline()))
            result.games.append(_Game(result, number, game, _players(game), size, cut))
        for own, begun in zip(result.games, continued(games, output, known), strict=False):
            own.game, own.text = begun.game, begun.text
            if begun.game is None:
                own.page, own.looked, own.finished = pages[own.number], own.size, True
            elif begun.game.headers.get(TAG) == name:
                own.looked = looked(begun.game)
        return result

    def write(self, name: str, whole: bool = False) -> bool:
        """Write the games up to the last that was begun, or the ``whole`` file, and the page of the finished ones.

        Returns whether both could be written; an error is reported.
        """
        try:
            self.save(whole)
            pages = [game.page for game in self.games if game.page]
            if pages:
                write_whole(self.html, render(pages, name, self.print, self.output.name))
        except WriteError as error:
            refuse(error)
            return False
        return True

    def save(self, whole: bool = False) -> None:
        """Write the games up to the last that was begun, or all of them. Raises WriteError."""
        count = max((game.number for game in self.games if whole or game.text), default=0)
        if count:
            write_games(self.output, list(map(_text, self.games[:count])))


def _text(own: _Game) -> str:
    if own.text:
        return own.text
    assert own.game is not None
    return pgn_text(own.game)


def _say(console: Console, text: str) -> None:
    console.print(text if text.startswith("numbat:") else f"numbat: {text}", soft_wrap=True)


def _check_apart(files: Sequence[_File]) -> None:
    """Raises AnalysisError if a file would be written twice."""
    seen: set[str] = set()
    for file in files:
        for path in (file.output, file.html):
            real = os.path.realpath(path)
            if real in seen:
                raise AnalysisError(f"{path} would be written twice")
            seen.add(real)


def _check_outputs(path: Path, output: Path, html: Path) -> None:
    """Raises AnalysisError if one of the three files would replace another."""
    for file in (output, html):
        if file.exists() and file.samefile(path):
            raise AnalysisError(f"{file} would overwrite a file that it is made from")
    if os.path.realpath(output) == os.path.realpath(html):
        raise AnalysisError(f"the games and their page cannot both be written to {output}")


def _annotate(files: Sequence[_File], setup: Setup, annotate: AnnotateAll[_Game], console: Console) -> None:
    """Annotate all games that are not finished, and show the progress.

    A null move, and a position that the engine refuses, ends the annotation of its game and of no other.
    """
    games = [game for file in files for game in file.games]
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=sum(game.size for game in games))
        parts: dict[_Game, float] = {}
        saved, pause = time.monotonic(), SAVE_AFTER
        unsaved: set[_File] = set()

        def pending() -> Iterator[tuple[_Game, int, chess.pgn.Game]]:
            for game in games:
                title = f"{game.file.path.name}, " if len(files) > 1 else ""
                bar.update(task, description=f"{title}game {game.number} of {len(game.file.games)}")
                if game.empty:
                    _say(console, f"game {game.number} ({game.players}) has no moves; it is not annotated")
                elif game.game is not None:
                    yield game, game.number, game.game
                    continue
                complete(game)

        def complete(game: _Game, refused: str = "") -> None:
            bar.update(task, advance=(1 - parts.pop(game, 0.0)) * game.size)
            if refused or game.cut:
                what = f"not annotated: {refused}" if refused else f"annotated to a null move ({game.size} positions)"
                _say(console, f"game {game.number} ({game.players}) is {what}")

        def receive(game: _Game | None, message: Message) -> None:
            match message:
                case Remark(text):
                    _say(console, text)
                case Step(part) if game:
                    bar.update(task, advance=(part - parts.get(game, 0.0)) * game.size)
                    parts[game] = part
                case Unfinished(text, done) if game:
                    game.text, game.looked = text, done
                case Finished(text, page, refused) if game:
                    game.text, game.page, game.game = text, page, None
                    game.looked, game.finished = 0 if refused else game.size, True
                    complete(game, refused)
            if isinstance(message, (Unfinished, Finished)) and game:
                unsaved.add(game.file)
                if time.monotonic() - saved > pause:
                    save()

        def save() -> None:
            nonlocal saved, pause
            began = time.monotonic()
            for file in list(unsaved):
                try:
                    file.save()
                    unsaved.remove(file)
                except WriteError as error:
                    _say(console, f"{error}; it will be tried again")
            saved = time.monotonic()
            pause = max(SAVE_AFTER, _SAVING * (saved - began))

        if all(game.finished or game.empty for game in games):
            for _ in pending():
                pass
        else:
            annotate(pending(), setup, receive)


def _players(game: chess.pgn.Game) -> str:
    return f"{game.headers.get('White', '?')} - {game.headers.get('Black', '?')}"


def _print_summary(page: dict[str, Any]) -> None:
    """The opening, and one line for each side."""
    white, black = (side["name"] for side in page["sides"])
    print(", ".join(filter(None, (f"{white} - {black}", page["opening"]))))
    for name, side in zip(("White", "Black"), page["sides"], strict=True):
        counts = ", ".join(
            f"{grade.words} {count}" for grade, count in zip(MARKS, side["counts"], strict=True) if grade.bad or count
        )
        figures = f"accuracy {side['accuracy']}, average loss {side['loss']} centipawns; " if side["moves"] else ""
        print(f"{name} ({side['name']}): {figures}{counts}")
