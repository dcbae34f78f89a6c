"""Compares perft speed with another engine, one thread, bulk counting: ``python -m tuning.benchmarks.perft_speed``.

The engines alternate, so that other load affects both. Only the count is timed: ours by the clock around it, the
other's from ``go perft`` until its total arrives.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import time

import numpy as np

from engine.board.fen import START_FEN, set_fen
from engine.board.perft import perft
from engine.board.setup import new_position

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

#: Name, FEN, depth in plies, leaves.
POSITIONS = (
    ("start position", START_FEN, 6, 119_060_324),
    ("Kiwipete", KIWIPETE, 5, 193_690_690),
)


class Rival:
    """A UCI engine that answers ``go perft N`` with a line ``Nodes searched: N``, as Stockfish does."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._send("uci")
        self.name = self._wait_for("id name ").removeprefix("id name ").strip()
        self._wait_for("uciok")
        self._send("setoption name Threads value 1")
        self._send("isready")
        self._wait_for("readyok")

    def _send(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _wait_for(self, start: str) -> str:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith(start):
                return line
        raise SystemExit(f"the rival ended without a line '{start}...'")

    def count(self, fen: str, depth: int) -> tuple[int, float]:
        """Leaves, and seconds it took."""
        self._send(f"position fen {fen}")
        self._send("isready")
        self._wait_for("readyok")
        begin = time.perf_counter()
        self._send(f"go perft {depth}")
        line = self._wait_for("Nodes searched:")
        return int(line.split(":")[1]), time.perf_counter() - begin

    def close(self) -> None:
        """End the process."""
        self._process.communicate("quit\n", timeout=10)


def count_ours(fen: str, depth: int) -> tuple[int, float]:
    """Leaves, and seconds it took."""
    position = new_position()
    set_fen(position, fen)
    begin = time.perf_counter()
    leaves = perft(position, depth)
    return leaves, time.perf_counter() - begin


def main() -> None:
    """Measure and print; ends with an error if a count is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tuning.benchmarks.perft_speed", description=__doc__)
    parser.add_argument("--engine", default="stockfish", help="the other engine: a name on the PATH or a path")
    parser.add_argument("--repeats", type=int, default=9, help="runs of each engine on each position")
    arguments = parser.parse_args()
    path = shutil.which(arguments.engine)
    if path is None:
        parser.error(f"no engine '{arguments.engine}' (name one with --engine)")
    if arguments.repeats < 1:
        parser.error(f"--repeats {arguments.repeats} is less than 1")
    rival = Rival(path)
    count_ours(START_FEN, 2)  # compile or load
    print(f"millions of leaves a second, {arguments.repeats} runs each in turn; {rival.name} is the rival")
    print(f"{'':16}{'ours best':>10}{'median':>8}{'rival best':>12}{'median':>8}{'best ratio':>12}{'median':>8}")
    for name, fen, depth, leaves in POSITIONS:
        seconds = []
        for _ in range(arguments.repeats):
            runs = count_ours(fen, depth), rival.count(fen, depth)
            if any(count != leaves for count, _ in runs):
                raise SystemExit(f"{name}: {leaves} leaves are right, counted {runs[0][0]} and {runs[1][0]}")
            seconds.append([taken for _, taken in runs])
        speeds = leaves / 1e6 / np.array(seconds)
        best, median = speeds.max(axis=0), np.median(speeds, axis=0)
        print(
            f"{name:16}{best[0]:10.0f}{median[0]:8.0f}{best[1]:12.0f}{median[1]:8.0f}"
            f"{best[0] / best[1]:12.2f}{median[0] / median[1]:8.2f}",
            flush=True,
        )
    rival.close()


if __name__ == "__main__":
    main()
