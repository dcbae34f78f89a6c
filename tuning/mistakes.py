"""Count the mistakes of the weaker levels by kind, in games against themselves.

    python -m tuning.mistakes --elo 1000 1200 1500 1800 2100 --positions 300

The engine at full strength judges each move: it compares the scores of the played move and the best one. A loss of
``LEAST_LOSS`` centipawns or more in an undecided game is a mistake. Its kind follows from the two principal variations;
the code is independent of the one that chooses the moves:

hung       the reply takes something at once, and two plies later a piece or more is gone that the best line keeps
missed     the best move takes something at once, which the played one leaves
mate       the reply mates, or the best move did
capture    none of these, and the move takes something: a plausible capture that is refuted later
distance   none of these, and a piece or more is lost within ten plies: a threat that lay too deep
slow       the rest: no piece is lost

Levels above 1200 should have next to nothing in the first three columns.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from chess.engine import Limit
from rich.table import Table

from engine.console import Console
from tuning.common import command
from tuning.common.errors import at_least
from tuning.common.files import whole_text
from tuning.levels.mistakes import KINDS, judged


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.mistakes``."""
    result = command.make_parser("mistakes", __doc__)
    add = result.add_argument
    add("--elo", type=int, nargs="+", default=[1000, 1200, 1500, 1800, 2100], help="UCI_Elo to examine")
    add("--positions", type=int, default=300, metavar="N", help="positions for each Elo (default %(default)s)")
    add("--nodes", type=int, default=40_000, help="nodes of the judge, per line (default %(default)s)")
    add("--seed", type=int, default=1, help="seed of the openings (default %(default)s)")
    add("--show", action="store_true", help="print every mistake of the first three kinds")
    add("--json", metavar="FILE", help="write every mistake to this file, one a line")
    return result


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Play, judge and count. Raises :class:`SetupError` for an Elo that no level has."""
    at_least(1, positions=arguments.positions, nodes=arguments.nodes)
    table = Table("UCI_Elo", "moves", "mistakes", *KINDS, "at once, of 100 moves")
    lines = []
    for elo in arguments.elo:
        found = judged(elo, arguments.positions, arguments.nodes, arguments.seed, Limit(nodes=10**8), console)
        kinds = Counter(judgement.kind for judgement in found if judgement.kind)
        at_once = sum(kinds[kind] for kind in KINDS[:3])
        table.add_row(str(elo), str(len(found)), str(kinds.total()), *(str(kinds[kind]) for kind in KINDS),
                      f"{100 * at_once / len(found):.1f}")  # fmt: skip
        for judgement in found:
            if judgement.kind:
                board = judgement.board
                told = {"elo": elo, "kind": judgement.kind, "loss": judgement.loss, "fen": board.fen(),
                        "played": board.san(judgement.move), "best": board.san(judgement.best)}  # fmt: skip
                lines.append(json.dumps(told))
                if arguments.show and judgement.kind in KINDS[:3]:
                    console.print(lines[-1], soft_wrap=True)
    if arguments.json:
        with whole_text(Path(arguments.json)) as file:
            file.writelines(f"{line}\n" for line in lines)
    console.print(table)
    return 0


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    return command.execute(parser, run, words)


if __name__ == "__main__":
    sys.exit(main())
