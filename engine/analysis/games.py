"""``analyse PGN``: every game annotated, as PGN and as a page, with a progress bar; survives interruption."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import chess
import chess.pgn
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from engine import Engine
from engine.analysis.annotate import Annotator, Judged, summary
from engine.analysis.cli import INTERRUPTED, engine_name, limit_of
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
from engine.analysis.notes import positions
from engine.analysis.report import render
from engine.messages import PositionError

#: Seconds between two writings of what is annotated so far.
_SAVE_AFTER = 10.0


def analyse(path: Path, chosen: argparse.Namespace, options: dict[str, Any]) -> int:
    """Annotate the games of ``path``; what is done is on disk at least every ten seconds and at the end."""
    limit, words = limit_of(chosen, 0.5)
    name = engine_name(words, options)
    output = chosen.output or path.with_suffix(".annotated.pgn")
    html = chosen.html or output.with_suffix(".html")
    if chosen.lines is not None:
        raise AnalysisError("--lines belongs to a position; a game shows one line where a move was bad")
    games = read_games(path)
    _check_outputs(path, output, html)
    check_page(html, games)
    games = continued(games, output, name)
    console = Console(stderr=True, highlight=False)
    found: list[tuple[chess.pgn.Game, list[Judged]]] = []
    try:
        with Engine(report=lambda text: console.print(text, markup=False)) as engine:
            for option, value in options.items():
                engine.set_option(option, value)
            _annotate_all(games, Annotator(engine, limit, name), output, found, console)
    except KeyboardInterrupt:
        done = sum(len(moves) for _, moves in found)
        whole = sum(len(positions(game)) for game in games)
        _write(games, found, output, html, name)
        print(f"\nnumbat: interrupted after {done} of {whole} positions; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    _write(games, found, output, html, name)
    for game, moves in found:
        if moves:
            _tell(game, moves)
    print(f"wrote {output} and {html}" if any(moves for _, moves in found) else f"wrote {output}")
    return 0


def _check_outputs(path: Path, output: Path, html: Path) -> None:
    """Raises AnalysisError where one of the three files would replace another, or cannot be written."""
    for file in (output, html):
        check_place(file)
        if file.exists() and file.samefile(path):
            raise AnalysisError(f"{file} would replace what it is made from")
    if os.path.realpath(output) == os.path.realpath(html):
        raise AnalysisError(f"the games and their page cannot both be written to {output}")


def _annotate_all(
    games: list[chess.pgn.Game],
    annotator: Annotator,
    output: Path,
    found: list[tuple[chess.pgn.Game, list[Judged]]],
    console: Console,
) -> None:
    """Annotate game after game into ``found``, which also has the moves of one that was not finished.

    What is no chess ends the annotation of its game, and the others are annotated none the less.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    saved = time.monotonic()
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=sum(len(positions(game)) for game in games))
        for number, game in enumerate(games, 1):
            bar.update(task, description=f"game {number} of {len(games)}")
            moves: list[Judged] = []
            found.append((game, moves))
            reason = "a null move" if len(positions(game)) <= len(list(game.mainline())) else ""
            try:
                for judged in annotator.annotate(game):
                    moves.append(judged)
                    bar.advance(task)
                    if time.monotonic() - saved > _SAVE_AFTER:
                        write_games(output, games)
                        saved = time.monotonic()
            except PositionError as error:
                reason = str(error)
            if reason:
                text = f"numbat: game {number} ({_players(game)}) has {len(moves)} positions annotated only: {reason}"
                console.print(text, markup=False, soft_wrap=True)


def _write(
    games: list[chess.pgn.Game],
    found: list[tuple[chess.pgn.Game, list[Judged]]],
    output: Path,
    html: Path,
    name: str,
) -> None:
    write_games(output, games)
    shown = [(game, moves) for game, moves in found if moves]
    if shown:
        write_whole(html, render(shown, name, fingerprint(games)))


def _players(game: chess.pgn.Game) -> str:
    return f"{game.headers.get('White', '?')} - {game.headers.get('Black', '?')}"


def _tell(game: chess.pgn.Game, moves: list[Judged]) -> None:
    """One line for each side."""
    for color, counts in summary(moves).items():
        side = chess.COLOR_NAMES[color].capitalize()
        player = game.headers.get(side, "?")
        print(
            f"{side} ({player}): inaccuracies {counts['inaccuracy']:.0f}, mistakes {counts['mistake']:.0f}, "
            f"blunders {counts['blunder']:.0f}; expected points lost a move {counts['loss']:.3f}"
        )
