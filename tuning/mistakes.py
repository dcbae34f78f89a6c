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
from tuning.common.files import whole_text
from tuning.levels.mistakes import KINDS, judged


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.mistakes``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.mistakes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument("--elo", type=int, nargs="+", default=[1000, 1200, 1500, 1800, 2100], help="UCI_Elo to examine")
    result.add_argument(
        "--positions", type=int, default=300, metavar="N", help="positions for each Elo (default %(default)s)"
    )
    result.add_argument("--nodes", type=int, default=40_000, help="nodes of the judge, per line (default %(default)s)")
    result.add_argument("--seed", type=int, default=1, help="seed of the openings (default %(default)s)")
    result.add_argument("--show", action="store_true", help="print every mistake of the first three kinds")
    result.add_argument("--json", metavar="FILE", help="write every mistake to this file, one a line")
    return result


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0, or 2 for what cannot be done."""
    arguments = parser().parse_args(words)
    console = Console()
    if arguments.positions < 1 or arguments.nodes < 1:
        console.print("error: --positions and --nodes must be above zero", style="bold red")
        return command.REFUSED
    table = Table("UCI_Elo", "moves", "mistakes", *KINDS, "at once, of 100 moves")
    lines = []
    try:
        for elo in arguments.elo:
            found = judged(elo, arguments.positions, arguments.nodes, arguments.seed, Limit(nodes=10**8), console)
            kinds = Counter(judgement.kind for judgement in found if judgement.kind)
            at_once = sum(kinds[kind] for kind in KINDS[:3])
            table.add_row(str(elo), str(len(found)), str(kinds.total()), *(str(kinds[kind]) for kind in KINDS),
                          f"{100 * at_once / len(found):.1f}")  # fmt: skip
            for judgement in found:
                if not judgement.kind:
                    continue
                board = judgement.board
                told = {"elo": elo, "kind": judgement.kind, "loss": judgement.loss, "fen": board.fen(),
                        "played": board.san(judgement.move), "best": board.san(judgement.best)}  # fmt: skip
                lines.append(json.dumps(told))
                if arguments.show and judgement.kind in KINDS[:3]:
                    console.print(lines[-1], soft_wrap=True)
        if arguments.json:
            with whole_text(Path(arguments.json)) as file:
                file.writelines(f"{line}\n" for line in lines)
    except (ValueError, OSError) as error:  # an Elo that is not to be had, a file that cannot be written
        return command.refused(console, error)
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
