"""``analyse PGN``: every game annotated, as PGN and as a page, with a progress bar; survives interruption."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import chess
import chess.pgn
from chess.engine import Limit
from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeElapsedColumn, TimeRemainingColumn

from engine import Engine
from engine.analysis.accuracy import summary
from engine.analysis.annotate import Annotator, Judged
from engine.analysis.files import (
    AnalysisError,
    check_page,
    check_place,
    continued,
    fingerprint,
    read_games,
    write_games,
    write_whole,
)
from engine.analysis.limits import engine_name, limit_of
from engine.analysis.notes import positions, read
from engine.analysis.openings import opening_of
from engine.analysis.report import render
from engine.commandline import INTERRUPTED
from engine.console import Console, TextColumn
from engine.explanation import explain
from engine.messages import PositionError

#: Seconds between two writings of what is annotated so far.
_SAVE_AFTER = 10.0


def analyse(paths: Sequence[Path], chosen: argparse.Namespace, options: dict[str, Any]) -> int:
    """Annotate the games of all ``paths``; what is done is on disk at least every ten seconds and at the end."""
    if chosen.lines is not None:
        raise AnalysisError("--lines is for a position; an annotated game shows one line for each bad move")
    for option in ("output", "html"):
        if getattr(chosen, option) is not None and len(paths) > 1:
            raise AnalysisError(f"--{option} names one file, but there are {len(paths)} to analyse")
    console = Console(stderr=True)
    whole_game = chosen.game_time is not None
    limit, words = limit_of(chosen, 0.5)
    if whole_game:
        limit, words = Limit(time=chosen.game_time), f"{chosen.game_time:g} s a game"
    name = engine_name(words, options)
    files = [_File.open(path, chosen, name, lambda text: _say(console, text)) for path in paths]
    _check_apart(files)
    try:
        with Engine(report=lambda text: _say(console, text)) as engine:
            for option, value in options.items():
                engine.set_option(option, value)
            why = partial(explain, tables=engine.table_outcome, marked=True, skip_better=True)
            _annotate_all(files, Annotator(engine, limit, name, whole_game, why), console)
    except KeyboardInterrupt:
        for file in files:
            file.write(name)
        records = [read(game, name) for file in files for game in file.games]
        done, whole = sum(record.looked() for record in records), sum(len(record.positions) for record in records)
        print(
            f"\nnumbat: interrupted after {done} of {whole} positions; run the same command to continue",
            file=sys.stderr,
        )
        return INTERRUPTED
    for file in files:
        file.write(name)
        for game, moves in file.found:
            _tell(game, moves)
        print(f"wrote {file.output} and {file.html}" if file.found else f"wrote {file.output}")
    return 0


@dataclass
class _File:
    """A file of games, where what is found goes, and what was found: the games that are finished."""

    path: Path
    output: Path
    html: Path
    games: list[chess.pgn.Game]
    found: list[tuple[chess.pgn.Game, list[Judged]]] = field(default_factory=list)

    @classmethod
    def open(cls, path: Path, chosen: argparse.Namespace, name: str, report: Callable[[str], None]) -> _File:
        """Read the games, those that were begun under ``name`` as they are by now."""
        output = chosen.output or path.with_suffix(".annotated.pgn")
        html = chosen.html or output.with_suffix(".html")
        games = read_games(path, report)
        _check_outputs(path, output, html)
        check_page(html, games)
        return cls(path, output, html, continued(games, output, name))

    def write(self, name: str) -> None:
        """Write the games, and the page for those that are finished."""
        write_games(self.output, self.games)
        if self.found:
            write_whole(self.html, render(self.found, name, fingerprint(self.games), self.output.name))


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
    """Raises AnalysisError if one of the three files would replace another, or cannot be written."""
    for file in (output, html):
        check_place(file)
        if file.exists() and file.samefile(path):
            raise AnalysisError(f"{file} would overwrite a file that it is made from")
    if os.path.realpath(output) == os.path.realpath(html):
        raise AnalysisError(f"the games and their page cannot both be written to {output}")


def _annotate_all(files: Sequence[_File], annotator: Annotator, console: Console) -> None:
    """Annotate game after game of file after file.

    What is no chess ends the annotation of its game, and the others are annotated none the less.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    games = [(file, number, game) for file in files for number, game in enumerate(file.games, 1)]
    saved = time.monotonic()
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=sum(len(positions(game)) for _, _, game in games))
        done = 0.0
        for file, number, game in games:
            title = f"{file.path.name}, " if len(files) > 1 else ""
            bar.update(task, description=f"{title}game {number} of {len(file.games)}")
            size = len(positions(game))
            if not game.variations:
                _say(console, f"game {number} ({_players(game)}) has no moves; it is not annotated")
                done += size
                continue

            def on_step(
                part: float, write: Callable[[], None], file: _File = file, done: float = done, size: int = size
            ) -> None:
                nonlocal saved
                bar.update(task, completed=done + part * size)
                if time.monotonic() - saved > _SAVE_AFTER:
                    write()
                    write_games(file.output, file.games)
                    saved = time.monotonic()

            try:
                file.found.append((game, annotator.annotate(game, on_step)))
                reason = "a null move" if size <= len(list(game.mainline())) else ""
            except PositionError as error:
                reason, size = str(error), 0
            if reason:
                _say(console, f"game {number} ({_players(game)}) is annotated for {size} positions only: {reason}")
            done += len(positions(game))
            bar.update(task, completed=done)


def _players(game: chess.pgn.Game) -> str:
    return f"{game.headers.get('White', '?')} - {game.headers.get('Black', '?')}"


def _tell(game: chess.pgn.Game, moves: list[Judged]) -> None:
    """The opening, and one line for each side."""
    opening = opening_of([judged.board for judged in moves])
    print(f"{_players(game)}{f', {opening.eco} {opening.name}' if opening else ''}")
    for color, side in summary(moves).items():
        name = chess.COLOR_NAMES[color].capitalize()
        counts = ", ".join(f"{grade.words} {count}" for grade, count in side.counts.items() if grade.bad or count)
        accuracy = f"accuracy {side.accuracy:.0f}%, average loss {side.loss:.0f} centipawns; " if side.moves else ""
        print(f"{name} ({game.headers.get(name, '?')}): {accuracy}{counts}")
