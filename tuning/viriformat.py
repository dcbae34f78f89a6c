"""Count and check games in viriformat (the format of the engine Viridithas), or convert them to text or PGN.

python -m tuning.viriformat games/*.vf                     # count them, and check every move
python -m tuning.viriformat games/*.vf --text positions.txt
python -m tuning.viriformat games/*.vf --pgn games.pgn
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from engine.console import Console
from engine.messages import counted
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import atomic_text, check_output
from tuning.data.dataset import NO_VERDICT
from tuning.data.viriformat import Positions, count_file, files_of, games_of, read_positions, write_text


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.viriformat``."""
    made = command.make_parser("viriformat", __doc__)
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help="files in viriformat, or directories of them")
    text = "write the positions that have a score: FEN | centipawns | result, for White"
    made.add_argument("--text", type=Path, metavar="FILE", help=text)
    made.add_argument("--pgn", type=Path, metavar="FILE", help="write games, with scores as comments")
    return made


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Count, check and convert. Raises :class:`SetupError` for files that cannot be used."""
    files = [file for path in arguments.files for file in files_of(path)]
    for out in (arguments.text, arguments.pgn):
        check_output(out, files, replace=False)
    if arguments.text and arguments.text == arguments.pgn:
        raise SetupError(f"{arguments.text} cannot hold both the positions and the games")
    total = 0
    for path in files:
        positions = len(read_positions([path]))
        games, _, size = count_file(path)
        total += positions
        torn = path.stat().st_size - size
        incomplete = f", {counted(torn, 'byte')} of an incomplete game" if torn else ""
        print(f"{path}: {counted(games, 'game', form=',')}, {counted(positions, 'position', form=',')}{incomplete}")
    print(f"{counted(total, 'position', form=',')} in {counted(len(files), 'file')}")
    if not total:
        raise SetupError(f"no complete game in {', '.join(map(str, arguments.files))}")
    if arguments.text:
        with atomic_text(arguments.text, "ascii") as stream:
            for path in files:
                found = read_positions([path])
                scored = found.boards["score"] != NO_VERDICT
                write_text(Positions(found.boards[scored], found.games[scored]), stream)
    if arguments.pgn:
        with atomic_text(arguments.pgn) as stream:
            for path in files:
                for game in games_of(path):
                    print(game, file=stream, end="\n\n")
    return 0


main = partial(command.execute, parser, run, stderr=True)

if __name__ == "__main__":
    sys.exit(main())
