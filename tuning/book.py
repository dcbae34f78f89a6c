"""Make an opening book in Polyglot's format from games in PGN.

python -m tuning.book games.pgn more.pgn --out book.bin --plies 24 --min-games 3

A move's weight is two for every game that its side won and one for every draw, as in Polyglot's own book maker;
moves that never scored are left out. Chess960 games are accepted too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.progress import BarColumn, Progress, TaskID, TimeRemainingColumn

from engine.console import Console, TextColumn
from tuning.common import command
from tuning.common.errors import SetupError, at_least
from tuning.common.files import keep_apart
from tuning.data.polyglot import Tally, read_games, size_of, why_empty, write_book


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.book``."""
    result = command.make_parser("book", __doc__)
    result.add_argument("pgn", nargs="+", type=Path, metavar="PGN", help="files with games")
    result.add_argument("--out", type=Path, required=True, metavar="FILE", help="book to write")
    result.add_argument("--plies", type=int, default=24, help="plies of each game to use (default 24)")
    result.add_argument("--min-games", type=int, default=2, help="minimum number of games with a move (default 2)")
    return result


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the book; after an interruption, of the games read so far. Raises :class:`SetupError`."""
    at_least(1, plies=arguments.plies, min_games=arguments.min_games)
    keep_apart(arguments.out, arguments.pgn, replace=False)
    sizes = {path: size_of(path) for path in arguments.pgn}
    tally, code = Tally(arguments.plies), 0
    with Progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=console) as progress:
        try:
            for path in arguments.pgn:
                task = progress.add_task(str(path), total=sizes[path])
                read_games(path, tally, command.warner(console), partial(_advance, progress, task))
        except KeyboardInterrupt:
            code = command.INTERRUPTED
    entries = tally.entries(arguments.min_games)
    if not entries:
        raise SetupError(f"{arguments.out} is not written: {why_empty(tally, arguments.min_games)}")
    written = write_book(arguments.out, entries)
    console.print(f"{'interrupted: ' if code else ''}{written} moves from {tally.games} games in {arguments.out}")
    return code


def _advance(progress: Progress, task: TaskID, place: int) -> None:
    progress.update(task, completed=place)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    return command.execute(parser, run, words)


if __name__ == "__main__":
    sys.exit(main())
