"""Measures what endgame tables in the search save, and how many positions they decide earlier.

    python -m tuning.benchmarks.table_search FOLDER [--positions 240] [--depth 14] [--nodes 20000] [--seed 1]

Searches random endings with five pieces, one more than the tables in FOLDER have, from scratch with the tables and
without: half of them of any kind, half of kinds that are common in games. Prints for each half:

``nodes``     nodes to ``--depth`` with tables, in per cent of those without: the sum over all positions, then the
              geometric mean;
``probes``    per thousand nodes;
``decided``   positions with a mate or a table win within ``--nodes`` nodes, without tables and with them;
``false``     those of them that a search with tables and fifty times the nodes does not confirm, without and with;
``left``      further positions that this search decides.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Sequence
from pathlib import Path

import chess
import chess.syzygy

from engine import Engine
from engine.messages import Info, Limits
from engine.play.thinker import SHOWN_TABLE_WIN
from tuning.benchmarks.endings import random_board

#: Endings with five pieces that are common in games.
REALISTIC = ("KRPvKR", "KPPvKP", "KBPvKN", "KNPvKB", "KRPvKB", "KPPvKN", "KQPvKQ", "KBPvKB", "KRPvKN", "KPPvKB")

#: The judging search has this many times the nodes.
PATIENCE = 50


def any_kind() -> list[str]:
    """Endings with five pieces of every kind."""
    return sorted(name for name in chess.syzygy.tablenames(piece_count=5) if len(name) == 6)


def boards(names: Sequence[str], count: int, source: random.Random) -> list[chess.Board]:
    """Positions of these kinds, all different kinds as often, from which no capture leads."""
    found: list[chess.Board] = []
    while len(found) < count:
        board = random_board(names[len(found) % len(names)], source)
        if not any(board.generate_legal_captures()):
            found.append(board)
    return found


def decision(info: Info) -> int:
    """1 for a win, -1 for a loss, 0 where the search is not sure."""
    assert info.score is not None
    if info.score.mate is not None:
        return 1 if info.score.mate > 0 else -1
    assert info.score.cp is not None
    return (info.score.cp >= SHOWN_TABLE_WIN) - (info.score.cp <= -SHOWN_TABLE_WIN)


def search(engine: Engine, board: chess.Board, limits: Limits, folder: str) -> Info:
    """A search from scratch, with the tables in ``folder``."""
    engine.new_game()
    engine.set_option("SyzygyPath", folder)
    return engine.search(board, limits)


def measure(engine: Engine, positions: list[chess.Board], options: argparse.Namespace) -> str:
    """The figures for ``positions``."""
    nodes, logarithm, hits = {"": 0, options.folder: 0}, 0.0, 0
    decided, false, left = {"": 0, options.folder: 0}, {"": 0, options.folder: 0}, 0
    for board in positions:
        spent = {}
        for folder in nodes:
            info = search(engine, board, Limits(depth=options.depth), folder)
            nodes[folder] += info.nodes
            spent[folder] = info.nodes
            hits += info.tbhits
        logarithm += math.log(spent[options.folder] / spent[""])
        judged = decision(search(engine, board, Limits(nodes=PATIENCE * options.nodes), options.folder))
        for folder in nodes:
            verdict = decision(search(engine, board, Limits(nodes=options.nodes), folder))
            decided[folder] += verdict != 0
            false[folder] += verdict not in (0, judged)
        left += judged != 0 and verdict == 0
    total, mean = nodes[options.folder] / nodes[""], math.exp(logarithm / len(positions))
    return (
        f"nodes {100 * total:.1f} and {100 * mean:.1f}, probes {1000 * hits / nodes[options.folder]:.0f}; "
        f"decided {decided['']} and {decided[options.folder]} of {len(positions)}; "
        f"false {false['']} and {false[options.folder]}; left {left}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tuning.benchmarks.table_search", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=lambda text: str(Path(text)), help="folder of tables with four pieces")
    parser.add_argument("--positions", type=int, default=240, help="number of positions (default %(default)s)")
    parser.add_argument("--depth", type=int, default=14, help="plies (default %(default)s)")
    parser.add_argument("--nodes", type=int, default=20_000, help="nodes for decisions (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = random.Random(options.seed)
    with Engine(hash=64) as engine:
        for name, kinds in (("any kind", any_kind()), ("realistic", REALISTIC)):
            print(f"{name}: {measure(engine, boards(kinds, options.positions // 2, source), options)}")


if __name__ == "__main__":
    main()
