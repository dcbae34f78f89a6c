"""How long a GUI waits: a warm start, first answers, stop, a long game. Prints figures, judges nothing.

    python -m tests.benchmarks.startup [--rounds 5]

``tests.benchmarks.start`` times cold starts, and those on one processor.
The targets stand beside the figures. On a busy machine only the minimum means something.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from itertools import cycle, islice

from tests.uci.process import COLD_TIMEOUT, UciProcess

MILLISECONDS = 1000.0


def to_uciok() -> float:
    """From the start of the process to ``uciok``."""
    with UciProcess() as process:
        process.send("uci")
        return process.read_timed("uciok")[-1].time - process.started


def to_readyok() -> float:
    """From the start of the process to ``readyok``, as a GUI asks for it."""
    with UciProcess() as process:
        process.send("uci", "isready")
        return process.read_timed("readyok", COLD_TIMEOUT)[-1].time - process.started


def first_search() -> float:
    """``go wtime 100`` right after ``readyok``, to ``bestmove``."""
    with UciProcess() as process:
        process.synchronise(COLD_TIMEOUT)
        sent = process.send("go wtime 100 btime 100")
        return process.read_timed("bestmove")[-1].time - sent


def stop(process: UciProcess) -> float:
    """From ``stop`` to ``bestmove``."""
    process.send("position startpos", "go infinite")
    process.read("info depth 12 ")
    sent = process.send("stop")
    return process.read_timed("bestmove")[-1].time - sent


def isready(process: UciProcess) -> float:
    """From ``isready`` to ``readyok`` while a search runs."""
    process.send("position startpos", "go infinite")
    process.read("info depth 12 ")
    sent = process.send("isready")
    took = process.read_timed("readyok")[-1].time - sent
    process.ask("stop", until="bestmove")
    return took


def long_game(process: UciProcess) -> float:
    """A ``position`` with 600 moves, together with the ``isready`` behind it."""
    moves = " ".join(islice(cycle(["g1f3", "g8f6", "f3g1", "f6g8"]), 600))
    sent = process.send(f"position startpos moves {moves}", "isready")
    return process.read_timed("readyok")[-1].time - sent


def report(name: str, target: str, rounds: int, measure: Callable[[], float]) -> None:
    """Measure and print one line."""
    values = [measure() * MILLISECONDS for _ in range(rounds)]
    print(f"{name:34} {min(values):9.1f} {statistics.median(values):9.1f} {max(values):9.1f}   {target}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    to_readyok()  # fill the cache
    print(f"{'milliseconds':34} {'minimum':>9} {'median':>9} {'maximum':>9}   target")
    report("start to uciok", "300", chosen.rounds, to_uciok)
    report("warm start to readyok", "2000", chosen.rounds, to_readyok)
    report("first go wtime 100 to bestmove", "100", chosen.rounds, first_search)
    with UciProcess() as process:
        process.synchronise()
        report("stop to bestmove", "20", 4 * chosen.rounds, lambda: stop(process))
        report("isready during a search", "20", 4 * chosen.rounds, lambda: isready(process))
        report("position with 600 moves", "5", 4 * chosen.rounds, lambda: long_game(process))
        process.quit()


if __name__ == "__main__":
    main()
