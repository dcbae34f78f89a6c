"""Compares nodes per second with another engine, one thread, on the same positions.

    python -m tuning.benchmarks.search_speed [--engine ethereal-chess] [--movetime 1000] [--repeats 5]

Both engines are UCI processes with the same Hash and one thread. In every repeat both search each position for
``--movetime`` milliseconds, one after the other, so that other load affects both. Nodes are each engine's own count in
its last report. The result is the geometric mean over the positions of the ratio of medians. Engines count differently
(some when a move is made, others on entry to a node), so the figure is not a measure of playing strength.
"""

from __future__ import annotations

import argparse
import logging
import math
import shutil
import statistics
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import chess
import chess.engine

MAIN = Path(__file__).resolve().parents[2] / "uci_main.py"

POSITIONS = {
    "start": chess.STARTING_FEN,
    "kiwipete": "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "open middlegame": "r1bqk2r/ppp2pbp/2n3p1/4p3/8/B1P2NP1/P2PPPBP/R2QK2R w KQkq - 0 1",
    "closed middlegame": "r3qrk1/1p4bp/1n1p1p1n/pPpPp1p1/P3P3/1P1N3P/3B1PP1/2QBRRK1 w - - 0 1",
    "king attack": "q1rb2rk/1b3ppp/2n1p2n/p2pP3/B2P1PP1/Bp2RN1P/1RPNQ3/6K1 w - - 0 1",
    "queens": "1k1rr3/pp2qpp1/1b2p3/4N2p/2R1n2P/P2R2P1/1PP1QP2/1K6 w - - 0 1",
    "rook ending": "R7/4kp2/P3p1p1/3pP1P1/3P1P2/p6r/3K4/8 w - - 0 1",
    "pawn ending": "8/p5pp/3k1p2/3p4/1P3P2/P1K5/5P1P/8 b - - 0 1",
}


def nodes_per_second(engine: chess.engine.SimpleEngine, fen: str, milliseconds: int) -> float:
    """What the engine says of a search of a fresh game."""
    info = engine.analyse(chess.Board(fen), chess.engine.Limit(time=milliseconds / 1000), game=object())
    return info["nodes"] / info["time"]


def measure(
    engines: list[chess.engine.SimpleEngine], milliseconds: int, repeats: int
) -> Iterator[tuple[str, list[list[float]]]]:
    """Each position's name with the nodes a second of each engine, one figure a repeat."""
    figures: dict[str, list[list[float]]] = {name: [[] for _ in engines] for name in POSITIONS}
    for repeat in range(1, repeats + 1):
        for number, (name, fen) in enumerate(POSITIONS.items(), 1):
            if sys.stderr.isatty():
                print(f"\rrepeat {repeat}/{repeats}, position {number}/{len(POSITIONS)} ", end="", file=sys.stderr)
            for index, engine in enumerate(engines):
                figures[name][index].append(nodes_per_second(engine, fen, milliseconds))
    if sys.stderr.isatty():
        print(file=sys.stderr)
    yield from figures.items()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tuning.benchmarks.search_speed", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--engine", default="ethereal-chess", help="the other engine's command")
    parser.add_argument("--hash", type=int, default=64, help="MB for each (default %(default)s)")
    parser.add_argument("--movetime", type=int, default=1000, help="milliseconds a search (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.movetime < 1 or options.repeats < 1:
        parser.error("--movetime and --repeats have to be at least 1")
    rival = shutil.which(options.engine)
    if rival is None:
        parser.error(f"there is no engine '{options.engine}'")

    logging.getLogger("chess.engine").setLevel(logging.ERROR)  # hides remarks of the engines
    with ExitStack() as stack:
        engines = []
        for command in ([sys.executable, str(MAIN)], [rival]):
            engine = chess.engine.SimpleEngine.popen_uci(command, timeout=300)
            engines.append(stack.enter_context(engine))
            engine.configure({"Hash": options.hash, "Threads": 1})
            engine.ping()
        for engine in engines:  # warm up
            nodes_per_second(engine, chess.STARTING_FEN, options.movetime)

        title = f"nodes/s, median of {options.repeats}"
        print(f"{title:22} {'numbat':>12} {Path(rival).name:>16} ratio (min..max)")
        ratios = []
        for name, (ours, theirs) in measure(engines, options.movetime, options.repeats):
            ratio = statistics.median(ours) / statistics.median(theirs)
            single = [a / b for a, b in zip(ours, theirs, strict=True)]
            ratios.append(ratio)
            print(
                f"{name:22} {statistics.median(ours):12,.0f} {statistics.median(theirs):16,.0f} "
                f"{ratio:5.2f} ({min(single):.2f}..{max(single):.2f})"
            )
        print(f"{'geometric mean':22} {'':12} {'':16} {math.exp(statistics.fmean(map(math.log, ratios))):5.2f}")


if __name__ == "__main__":
    main()
