"""Measures the cost of a tablebase probe in the search, compared with a node of the search.

    python -m tuning.benchmarks.table_probe FOLDER [--positions 2000] [--seed 1]

The compiled prober and python-chess read the tables in FOLDER. Microseconds of processor time each:

``compiled`` a compiled probe of a new position, captures resolved;
``first``    the first probe of a table, which opens its file (median over the tables);
``warm``     a probe of a new position in an open table;
``again``    the same positions a second time (the reader caches nothing);
``board``    python-chess's board from bitboards, which a compiled search would pass;
``cached``   a call from compiled code into Python for one dictionary lookup;
``node``     a node of the search, in endings with one piece more than the tables have.
"""

from __future__ import annotations

import argparse
import ctypes
import random
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import numpy as np
from numba import njit

from engine import Engine
from engine.board.fen import set_fen
from engine.board.position import POSITION
from engine.jit import allocate
from engine.messages import Limits
from engine.syzygy.files import Prober
from engine.syzygy.probe import probe_wdl
from tuning.benchmarks.endings import materials, random_board

#: Endings with five pieces, undecided enough to be searched.
ENDINGS = ("KRPvKR", "KQPvKQ", "KBPvKN", "KPPvKP", "KRBvKR", "KRNvKR")

#: Nodes to search in each.
NODES = 1_000_000

_seen: dict[int, int] = {}

#: A Python function as compiled code can call it in the cheapest way.
_look_up = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(_seen.__getitem__)


@njit(cache=False)
def _ask_python(keys: np.ndarray) -> int:
    total = 0
    for key in keys:
        total += _look_up(key)
    return total


@njit(cache=False)
def _probe_all(address: int, positions: np.ndarray) -> int:
    total = 0
    for index in range(len(positions)):
        total += probe_wdl(address, positions[index])
    return total


def mean_microseconds(function: Callable[[Any], object], arguments: Iterable[Any]) -> float:
    """What a call of ``function`` takes, over ``arguments``."""
    given = list(arguments)
    begun = time.process_time()
    for argument in given:
        function(argument)
    return 1e6 * (time.process_time() - begun) / len(given)


def first_probe(folder: Path, boards: list[chess.Board]) -> float:
    """The median over ``boards``, one for each table, with a reader that has opened none."""
    times = []
    for board in boards:
        with chess.syzygy.open_tablebase(str(folder)) as reader:
            times.append(mean_microseconds(reader.probe_wdl, [board]))
    return statistics.median(times)


def compiled(folder: Path, boards: list[chess.Board]) -> float:
    """The mean over ``boards`` with the compiled prober, in one compiled loop."""
    prober = Prober([str(path) for path in folder.glob("*.rtbw")], print)
    positions = allocate(POSITION, len(boards))
    for position, board in zip(positions, boards, strict=True):
        set_fen(position, board.fen(), False)
    address = np.uint64(prober.address)
    _probe_all(address, positions[:1])  # compiles
    begun = time.process_time()
    _probe_all(address, positions)
    return 1e6 * (time.process_time() - begun) / len(boards)


def board_from_bitboards(given: chess.Board) -> chess.Board:
    """A board as it would be made of the search's own bitboards."""
    board = chess.Board(None)
    board.pawns, board.knights, board.bishops = given.pawns, given.knights, given.bishops
    board.rooks, board.queens, board.kings = given.rooks, given.queens, given.kings
    board.occupied, board.turn = given.occupied, given.turn
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK] = given.occupied_co[1], given.occupied_co[0]
    return board


def cached(count: int) -> float:
    """A call from compiled code into Python for something that a dictionary knows."""
    keys = np.arange(count, dtype=np.int64) << 40
    _seen.update((int(key), 1) for key in keys)
    assert _ask_python(keys) == count  # compiles
    begun = time.process_time()
    _ask_python(keys)
    return 1e6 * (time.process_time() - begun) / count


def node(source: random.Random) -> float:
    """A node of the search."""
    nodes, seconds = 0, 0.0
    with Engine(hash=64) as engine:
        for material in ENDINGS:
            engine.new_game()
            begun = time.process_time()
            nodes += engine.search(random_board(material, source), Limits(nodes=NODES)).nodes
            seconds += time.process_time() - begun
    return 1e6 * seconds / nodes


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tuning.benchmarks.table_probe", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, help="folder of tables")
    parser.add_argument("--positions", type=int, default=2000, help="positions for the means (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = random.Random(options.seed)
    names = materials(options.folder)
    singles = [random_board(name, source) for name in names]
    boards = [random_board(names[number % len(names)], source) for number in range(options.positions)]
    figures = {"node": node(source), "compiled": compiled(options.folder, boards)}
    figures["first"] = first_probe(options.folder, singles)
    with chess.syzygy.open_tablebase(str(options.folder)) as reader:
        for board in singles:
            reader.probe_wdl(board)
        figures["warm"] = mean_microseconds(reader.probe_wdl, boards)
        figures["again"] = mean_microseconds(reader.probe_wdl, boards)
    figures["board"] = mean_microseconds(board_from_bitboards, boards)
    figures["cached"] = cached(100_000)
    for name, microseconds in figures.items():
        print(f"{name:8} {microseconds:9.2f} us, {microseconds / figures['node']:8.1f} nodes")


if __name__ == "__main__":
    main()
