"""Measures the overhead of a move: the time outside of compiled code.

    python -m tuning.benchmarks.between [--clock 1000+20] [--plies 80]

The engine plays a game against itself, with the same clock for every move, and each report is formatted as a UCI line.
Prints medians over the moves, in milliseconds:

    before      from ``start`` to the first compiled call
    between     from each compiled call to the next
    after       from the last compiled call to the result
    inside      in compiled code
    reports     lines (a number)

Compare two revisions alternately on a quiet machine: the times are small, and other programs, like the search, evict
Python's memory from the caches.
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import chess

from engine.api import Engine
from engine.messages import Info, Limits, Result
from engine.search import worker as worker_module
from engine.uci.format import info_line

worker: Any = worker_module  # its functions are replaced


class Watch:
    """When each compiled call of a search began and ended."""

    def __init__(self) -> None:
        self.calls: list[tuple[float, float]] = []

    def over(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """``kernel``, watched."""

        def call(*arguments: Any) -> Any:
            began = time.perf_counter()
            outcome = kernel(*arguments)
            self.calls.append((began, time.perf_counter()))
            return outcome

        return call


def play(engine: Engine, watch: Watch, limits: Limits, plies: int) -> list[tuple[float, ...]]:
    """One game; the figures of each move."""
    board = chess.Board()
    figures: list[tuple[float, ...]] = []
    while len(figures) < plies and not board.is_game_over():
        lines: list[str] = []
        found: list[Result] = []
        done = threading.Event()

        def on_info(info: Info, lines: list[str] = lines) -> None:
            lines.append(info_line(info))

        def on_result(result: Result, found: list[Result] = found, done: threading.Event = done) -> None:
            found.append(result)
            done.set()

        engine.set_board(board)
        watch.calls.clear()
        began = time.perf_counter()
        engine.start(limits, on_info, on_result)
        done.wait()
        ended = time.perf_counter()
        engine.wait()
        calls = list(watch.calls)
        between = sum(later[0] - call[1] for call, later in pairwise(calls))
        inside = sum(call[1] - call[0] for call in calls)
        spans = (calls[0][0] - began, between, ended - calls[-1][1], inside)
        figures.append((*(1000 * span for span in spans), float(len(lines))))
        board.push_uci(found[0].bestmove)
    return figures


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clock", default="1000+20", help="milliseconds + increment (default %(default)s)")
    parser.add_argument("--plies", type=int, default=80)
    chosen = parser.parse_args()
    left, added = map(int, chosen.clock.split("+"))
    watch = Watch()
    worker.deepen = watch.over(worker.deepen)
    with Engine(move_overhead=10) as engine:
        limits = Limits(wtime=left, btime=left, winc=added, binc=added)
        play(engine, watch, limits, 2)
        engine.new_game()
        figures = play(engine, watch, limits, chosen.plies)
    for name, values in zip(
        ("before", "between", "after", "inside", "reports"), zip(*figures, strict=True), strict=True
    ):
        print(f"{name:9}{statistics.median(values):9.2f}", flush=True)


if __name__ == "__main__":
    main()
