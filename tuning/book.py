"""Make an opening book in Polyglot's format from games in PGN.

python -m tuning.book games.pgn more.pgn --out book.bin --plies 24 --min-games 3

A move's weight is two for every game that its side won and one for every draw, as in Polyglot's own book maker;
moves that never scored are left out. Chess960 games are accepted too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from rich.progress import BarColumn, Progress, TimeRemainingColumn

from engine.console import Console, TextColumn
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import keep_apart
from tuning.data.polyglot import Tally, read_games, size_of, why_empty, write_book


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.book``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.book", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument("pgn", nargs="+", type=Path, metavar="PGN", help="files with games")
    result.add_argument("--out", type=Path, required=True, metavar="FILE", help="book to write")
    result.add_argument("--plies", type=int, default=24, help="plies of each game to use (default 24)")
    result.add_argument("--min-games", type=int, default=2, help="minimum number of games with a move (default 2)")
    return result


@command.interruptible
def main(words: list[str] | None = None) -> int:
    """Run the command line. 0: written; 2: bad input; 130: interrupted, a book of the games until then is written."""
    arguments = parser().parse_args(words)
    console = Console()
    code = 0
    tally = Tally(arguments.plies)
    try:
        if arguments.plies < 1 or arguments.min_games < 1:
            raise SetupError("--plies and --min-games take whole numbers, 1 or more")
        keep_apart(arguments.out, arguments.pgn)
        sizes: Mapping[Path, int] = {path: size_of(path) for path in arguments.pgn}
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console) as progress:
            try:
                for path in arguments.pgn:
                    task = progress.add_task(str(path), total=sizes[path])
                    read_games(
                        path,
                        tally,
                        lambda line: console.print(line, style="yellow", soft_wrap=True),
                        lambda place, task=task: progress.update(task, completed=place),  # type: ignore[misc]
                    )
            except KeyboardInterrupt:
                code = command.INTERRUPTED
        entries = tally.entries(arguments.min_games)
        if not entries:
            raise SetupError(f"{arguments.out} is not written: {why_empty(tally, arguments.min_games)}")
        written = write_book(arguments.out, entries)
    except SetupError as error:
        return command.refused(console, error)
    partly = "interrupted: " if code else ""
    console.print(f"{partly}{written} moves from {tally.games} games in {arguments.out}")
    return code


if __name__ == "__main__":
    sys.exit(main())
