"""Measures the Python interface in calls per second: ``python -m tuning.benchmarks.in_process``.

Moves by ``play`` at one node, static evaluations of FENs and of packed positions, on one processor, and analyses at a
thousand nodes by one process and by several, including their start. The positions come from random games. Each figure
is the best of several runs; on a busy machine it means little.
"""

import argparse
import os
import random
import time
from collections.abc import Callable

import chess
from chess.engine import Limit

from engine import Engine


def random_positions(count: int) -> list[chess.Board]:
    """Positions of random games, with the moves that led there."""
    choose, boards = random.Random(1), list[chess.Board]()
    board = chess.Board()
    while len(boards) < count:
        if board.is_game_over() or board.ply() >= 120:
            board = chess.Board()
        board.push(choose.choice(list(board.legal_moves)))
        boards.append(board.copy())
    return [board for board in boards if not board.is_game_over()]


def speed(count: int, work: Callable[[], object], repeats: int) -> float:
    """``count`` by the seconds that ``work`` takes at best."""
    taken = []
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return count / min(taken)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tuning.benchmarks.in_process", description=__doc__)
    parser.add_argument("--positions", type=int, default=50_000, help="positions for the static values")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes of the last figure")
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    boards = random_positions(chosen.positions)
    fens = [board.fen() for board in boards]
    some = boards[:: max(1, len(boards) // 1000)]
    with Engine(hash=16) as engine:
        packed = engine.pack(fens)
        engine.evaluate(packed[:1])  # compile or load

        def play() -> None:
            for board in some:
                engine.play(board, Limit(nodes=1))

        def analyse(jobs: int) -> None:
            for _ in engine.analyse_many(some, Limit(nodes=1000), jobs=jobs):
                pass

        rows: list[tuple[str, int, Callable[[], object]]] = [
            ("play at one node", len(some), play),
            ("static values from FENs", len(fens), lambda: engine.evaluate(fens)),
            ("static values, packed", len(fens), lambda: engine.evaluate(packed)),
            *((f"analyses, {jobs} jobs", len(some), lambda jobs=jobs: analyse(jobs)) for jobs in (1, chosen.jobs)),
        ]
        for name, count, work in rows:
            print(f"{name:24}{speed(count, work, chosen.repeats):12,.0f} a second", flush=True)


if __name__ == "__main__":
    main()
