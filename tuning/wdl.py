"""Fit the win-draw-loss model of ``engine/play/wdl.py`` to the engine's games.

    python -m tuning.wdl games.pgn data/first/games-00000.vf
    python -m tuning.wdl match-*.pgn --player Numbat --shown-pawn 100

Takes PGN with scores in its comments (``+0.35/12``, as tuning.match and tuning.arena write it with --pgn, or
``[%eval ...]``), and games of tuning.datagen. The fit maximizes the likelihood of all results given the score of every
move. PGN holds scores as displayed; the pawn value of the present model, or ``--shown-pawn``, converts them to those of
the evaluation.
Writes ``engine/play/wdl.json``.
"""

import argparse
import json
import sys
from functools import partial
from pathlib import Path

from rich.progress import track

from engine.console import Console
from engine.play.wdl import FILE, MODEL
from tuning.common import command
from tuning.common.files import check_output, write_whole
from tuning.common.flags import positive
from tuning.learning.wdl import check, fit, read, table


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.wdl``."""
    result = command.make_parser("wdl", __doc__)
    add = result.add_argument
    add("games", nargs="+", type=Path, metavar="FILE", help="*.pgn or *.vf")
    add("--player", metavar="NAME", help="use only the moves of this player (default: both)")
    pawn = (
        "centipawns of the evaluation that were shown as 100 in PGN "
        f"(default: the present model's, {MODEL.pawn:.0f}; 100 if scores were shown as they are)"
    )
    add("--shown-pawn", type=positive, default=MODEL.pawn, metavar="CP", help=pawn)
    add("--out", type=Path, default=FILE, metavar="FILE", help="default: engine/play/wdl.json")
    return result


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Read, fit and write. Raises :class:`SetupError` for games that cannot be used."""
    check_output(arguments.out, arguments.games)
    paths = track(arguments.games, "reading", console=console)
    samples = read(paths, arguments.player, arguments.shown_pawn)
    model, loss = fit(samples)
    check(model)
    names = " ".join(path.name for path in arguments.games)
    note = f"fitted by python -m tuning.wdl {names}: {len(samples)} moves, mean log-loss {loss:.4f}"
    data = {"note": note, "a": model.a, "b": model.b, "moves": model.moves}
    write_whole(arguments.out, (json.dumps(data, indent=1) + "\n").encode())
    console.print(table(model, samples))
    console.print(f"{note}; 100 centipawns shown are {model.pawn:.0f} of the evaluation")
    return 0


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
