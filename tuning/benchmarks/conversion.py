"""Proves for won positions of each endgame table that Numbat converts them.

    python -m tuning.benchmarks.conversion FOLDER [--positions 1000] [--every KQvK KRvK KPvK] [--seed 1]

For each table in FOLDER, checks the induction step of :mod:`tuning.benchmarks.endings` for ``--positions`` random
positions won for the side to move; for the tables after ``--every`` (three pieces at most) for all won positions up to
symmetry. Stops at the first failure with its FEN.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.syzygy

from engine.play.tablebase import Tablebase
from tuning.benchmarks.endings import check_step, materials, won_board, won_boards

#: Random positions tried for a won one before a table is assumed to have none.
TRIES = 3000


def sample(oracle: chess.syzygy.Tablebase, material: str, count: int, source: random.Random) -> Iterator[chess.Board]:
    """Up to ``count`` won positions; fewer where there are hardly any."""
    for _ in range(count):
        board = won_board(oracle, material, source, TRIES)
        if board is None:
            return
        yield board


def main() -> None:
    """Check and print."""
    parser = argparse.ArgumentParser(prog="python -m tuning.benchmarks.conversion", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, help="folder of tables")
    parser.add_argument("--positions", type=int, default=1000, help="positions of each table (default %(default)s)")
    parser.add_argument("--every", nargs="*", default=[], metavar="TABLE", help="tables with all their won positions")
    parser.add_argument("--only", nargs="*", metavar="TABLE", help="these tables (default: all in FOLDER)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tables = Tablebase(print)
    tables.open(str(options.folder))
    total = all_replies = 0
    with chess.syzygy.open_tablebase(str(options.folder)) as oracle:
        for material in options.only or materials(options.folder):
            source = random.Random(f"{options.seed} {material}")
            begun, count, replies = time.perf_counter(), 0, 0
            every = material in options.every
            for board in won_boards(oracle, material) if every else sample(oracle, material, options.positions, source):
                replies += check_step(tables, oracle, board, source)
                count += 1
            which = "all won positions" if every else "won positions"
            seconds = time.perf_counter() - begun
            print(f"{material:6} {count:7,} {which}, {replies:9,} replies, {seconds:6.1f} s", flush=True)
            total += count
            all_replies += replies
    print(f"{total:,} won positions and {all_replies:,} replies: no advised move lets a win slip")


if __name__ == "__main__":
    main()
