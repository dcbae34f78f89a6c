"""``analyse PGN``: every game annotated, as PGN and as a page, with a progress bar; finished games are kept."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import chess.pgn
from chess.engine import Limit
from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeElapsedColumn, TimeRemainingColumn

from engine import __version__
from engine.analysis import notes
from engine.analysis.accuracy import PHASES
from engine.analysis.files import AnalysisError, is_sealed, pgn_text, read_bytes, read_games, sealed
from engine.analysis.jobs import AnnotateAll, Item, Setup, annotate_all
from engine.analysis.lines import wrapped
from engine.analysis.player import players_of
from engine.analysis.record import GameAnalysis, positions
from engine.analysis.report import MARKS, entry, render
from engine.analysis.results import SUFFIX, Results, digest_of
from engine.analysis.table import HEADER, table_of
from engine.commandline import DONE, INTERRUPTED, REFUSED, limit_of, refuse
from engine.console import Console, TextColumn
from engine.files import WriteError, check_place, write_or_rescue
from engine.messages import PositionError, counted
from engine.processes import Completed, LostProcess
from engine.reading.games import UnreadGame

_TIME_PER_SAVING_TIME = 25  # at most one part in this many of the time is spent saving results


def analyse(
    paths: Sequence[Path], chosen: argparse.Namespace, options: dict[str, Any], annotate: AnnotateAll | None = None
) -> int:
    """Annotate the games of all ``paths`` that can be read. Results are saved after each game; PGN and page are written
    at the end. ``annotate`` does the work elsewhere than on this machine."""
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
    label = ", ".join([f"Numbat {__version__}", words, *(f"{name} {value}" for name, value in options.items())])
    if chosen.csv:
        check_place(chosen.csv, HEADER)
    files, code = [], DONE
    for path in paths:
        try:
            files.append(_File.open(path, chosen, lambda text: _say(console, text)))
        except (AnalysisError, WriteError) as error:
            code = refuse(error)
    if not files:
        return code
    _check_distinct_outputs([chosen.csv] if chosen.csv else [], files)
    try:
        _Batch(files, label, chosen.again, console).go(
            Setup(options, limit, whole_game), annotate or partial(annotate_all, jobs=chosen.jobs or 1)
        )
    except BaseException as error:
        kept = [file for file in files if file.results and file.write()]
        if not isinstance(error, KeyboardInterrupt):
            raise
        games = [game for file in files for game in file.games]
        finished = sum(game.file.results.get(game.digest, label, chosen.again) is not None for game in games)
        print(
            f"\nnumbat: interrupted; {finished} of {counted(len(games), 'game')} finished"
            f"{''.join(f', kept in {file.results.path}' for file in kept)}; run the same command to continue",
            file=sys.stderr,
        )
        return INTERRUPTED
    written = [file for file in files if file.write()]
    for file in written:
        pages = [game.page for game in file.games if game.page]
        for page in pages:
            _print_summary(page)
        print(f"wrote {file.output} and {file.html}" if pages else f"wrote {file.output}")
    if chosen.csv:
        shown = ((file.name, [game.page for game in file.games if game.page]) for file in files)
        write_or_rescue(chosen.csv, table_of(shown, PHASES, MARKS))
        print(f"wrote {chosen.csv}")
    return code if written == files else REFUSED


@dataclass(eq=False)
class _GameTask:
    """A game with ``size`` positions up to a null move, if any (``cut``), and the ``page`` of its results, if any."""

    file: _File
    number: int
    game: chess.pgn.Game
    digest: str
    size: int
    cut: bool
    page: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        tags = self.game.headers
        return f"game {self.number} ({tags.get('White', '?')} - {tags.get('Black', '?')})"

    def read(self, stored: dict[str, Any]) -> None:
        """Make what the page shows from stored results. Raises ValueError if they are damaged."""
        record = GameAnalysis.of(self.game)
        record.load(stored)
        self.show(record, stored["label"])

    def show(self, record: GameAnalysis, label: str) -> None:
        """Make what the page shows."""
        moves = record.judged_moves()
        self.page = entry(notes.annotated(self.game, label, moves), moves, self.number)

    def text(self) -> str:
        """The game as PGN, annotated if there are results."""
        return self.page["pgn"] if self.page else pgn_text(self.game)


@dataclass(eq=False)
class _File:
    """A file of games, their results, and the two files made from them; ``typed`` are the files that the user named."""

    output: Path
    html: Path
    typed: set[Path]
    results: Results
    games: list[_GameTask]
    name: str
    player: str = ""

    @classmethod
    def open(cls, path: Path, chosen: argparse.Namespace, report: Callable[[str], None]) -> _File:
        """Read the games and their results. Raises :class:`AnalysisError` and :class:`WriteError`."""
        games = read_games(path, report)
        output = chosen.output or path.with_suffix(".annotated.pgn")
        html = chosen.html or output.with_suffix(".html")
        typed = {each for each in (chosen.output, chosen.html) if each is not None}
        for other, option in ((output, "output"), (html, "html")):
            check_place(other, follow=other in typed)
            if other.exists() and other.samefile(path):
                raise AnalysisError(f"{other} would overwrite a file that it is made from; choose another --{option}")
            _check_unedited(other, option)
        result = cls(output, html, typed, Results(_place(path, output), report), [], path.name)
        unmarked = sum(not notes.remove_own(game) for game in games)
        if chosen.fresh:
            for game in games:
                notes.strip(game)
        elif unmarked:
            report(
                f"{path}: games annotated by an earlier version of Numbat: {unmarked} of {len(games)}; its notes "
                "cannot be told from yours and stay; --fresh drops all notes"
            )
        names = [(game.headers.get("White", "?"), game.headers.get("Black", "?")) for game in games]
        result.player = players_of(names, chosen.player)
        for number, game in enumerate(games, 1):
            size = len(positions(game))
            cut = size <= len(list(game.mainline()))
            result.games.append(_GameTask(result, number, game, digest_of(game), size, cut))
        return result

    def write(self) -> bool:
        """Write results, PGN and page, or if that fails into the user's home with a message; whether nothing failed."""
        good = True
        try:
            if self.results:
                self.results.save(write_or_rescue)
        except (AnalysisError, WriteError) as error:
            refuse(error)
            good = False
        for game in self.games:
            if not game.page and (stored := self.results.get(game.digest)):
                with suppress(ValueError):
                    game.read(stored)
        pages = [game.page for game in self.games if game.page]
        made = [(self.output, "output", "\n\n".join(game.text() for game in self.games) + "\n")]
        if pages:
            made.append((self.html, "html", "".join(render(pages, self.output.name, self.player))))
        for path, option, text in made:
            try:
                _check_unedited(path, option)
                write_or_rescue(path, sealed(text.encode(errors="replace")), follow=path in self.typed)
            except (AnalysisError, WriteError) as error:
                refuse(error)
                good = False
        return good


def _check_unedited(output: Path, option: str) -> None:
    """Raises :class:`AnalysisError` if ``output`` is anything but an empty file or as Numbat has written it."""
    if not output.exists() or not (content := read_bytes(output)) or (unedited := is_sealed(content)):
        return
    reason = "is another file, or of an earlier version" if unedited is None else "was changed since numbat wrote it"
    raise AnalysisError(f"{output} {reason}; choose another with --{option}")


def _place(path: Path, output: Path) -> Path:
    """The file for the results of ``path``: next to it or, if nothing can be written there, next to the output."""
    folder = path if os.access(path.parent, os.W_OK) else output
    result = folder.with_suffix(SUFFIX)
    check_place(result, follow=False)
    return result


def _say(console: Console, text: str) -> None:
    console.print(text if text.startswith("numbat:") else f"numbat: {text}", soft_wrap=True)


def _check_distinct_outputs(tables: Sequence[Path], files: Sequence[_File]) -> None:
    """Raises AnalysisError if a file would be written twice."""
    seen: set[str] = set()
    for path in (*tables, *(path for file in files for path in (file.output, file.html, file.results.path))):
        real = os.path.realpath(path)
        if real in seen:
            raise AnalysisError(f"{path} would be written twice")
        seen.add(real)


class _Batch:
    """Annotates the games that are not finished under the settings in ``label``, and shows the progress. ``again`` also
    searches the games that another version of Numbat has finished."""

    def __init__(self, files: Sequence[_File], label: str, again: bool, console: Console) -> None:
        self._files = files
        self._games = [game for file in files for game in file.games]
        self._label = label
        self._again = again
        self._console = console
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal)
        self._task = self._bar.add_task("", total=sum(game.size for game in self._games))
        self._parts: dict[_GameTask, float] = {}
        self._unsaved: set[_File] = set()
        self._save_at = 0.0

    def go(self, setup: Setup, annotate: AnnotateAll) -> None:
        """Annotate the games. A null move, or a position that the engine refuses, ends that game's."""
        with self._bar:
            pending = self._pending()
            for first in pending:  # without one no engine is needed
                with closing(annotate(setup, chain([first], pending), self._on_report)) as completed:
                    for each in completed:
                        self._receive(each)

    def _pending(self) -> Iterator[Item]:
        """The games that need a search, when it is their turn."""
        for place, game in enumerate(self._games):
            title = f"{game.file.name}, " if len(self._files) > 1 else ""
            self._bar.update(self._task, description=f"{title}game {game.number} of {len(game.file.games)}")
            if isinstance(game.game, UnreadGame):  # already reported
                self._complete(game)
                continue
            if game.size == 1 and not game.cut:
                self._say(f"{game} has no moves; it is not annotated")
                self._complete(game)
                continue
            if stored := game.file.results.get(game.digest, self._label, self._again):
                try:
                    game.read(stored)
                except ValueError:
                    self._say(f"the results of {game} in {game.file.results.path} are damaged; it is searched again")
                else:
                    self._complete(game)
                    continue
            yield Item(place, str(game), pgn_text(game.game))

    def _on_report(self, item: Item | None, report: float | str) -> None:
        if isinstance(report, str):
            self._say(report)
        elif item:
            game = self._games[item.place]
            self._bar.update(self._task, advance=(report - self._parts.get(game, 0.0)) * game.size)
            self._parts[game] = report

    def _receive(self, completed: Completed) -> None:
        game = self._games[completed.item.place]
        if completed.error is None:
            game.file.results.add(game.digest, {"label": self._label, **completed.result.to_json()})
            self._unsaved.add(game.file)
            self._save()
            game.show(completed.result, self._label)
        elif not isinstance(completed.error, (PositionError, LostProcess)):
            raise completed.error
        self._complete(game, completed.error)

    def _complete(self, game: _GameTask, error: BaseException | None = None) -> None:
        self._bar.update(self._task, advance=(1 - self._parts.pop(game, 0.0)) * game.size)
        if error:
            self._say(f"{game} is not annotated: {error}")
        elif game.cut:
            self._say(f"{game} is annotated up to the null move ({counted(game.size, 'position')})")

    def _save(self) -> None:
        """Save the results, unless that has taken too large a part of the time."""
        began = time.monotonic()
        if began < self._save_at:
            return
        for file in list(self._unsaved):
            try:
                file.results.save()
                self._unsaved.remove(file)
            except (AnalysisError, WriteError) as error:
                self._say(f"{error}; it will be tried again")
        now = time.monotonic()
        self._save_at = now + _TIME_PER_SAVING_TIME * (now - began)

    def _say(self, text: str) -> None:
        _say(self._console, text)


def _print_summary(page: dict[str, Any]) -> None:
    """The opening, and one line for each side; on a terminal it is broken at spaces."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    white, black = (side["name"] for side in page["sides"])
    print(wrapped(", ".join(filter(None, (f"{white} - {black}", page["opening"]))), width, 2))
    for name, side in zip(("White", "Black"), page["sides"], strict=True):
        counts = ", ".join(
            f"{grade.words} {count}" for grade, count in zip(MARKS, side["counts"], strict=True) if grade.bad or count
        )
        figures = f"accuracy {side['accuracy']}, average loss {side['loss']} centipawns; " if side["moves"] else ""
        print(wrapped(f"{name} ({side['name']}): {figures}{counts}", width, 2))
