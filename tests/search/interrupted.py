"""An engine in a process of its own whose calls are interrupted: ``python -m tests.search.interrupted [N]``

Interrupts each kind of call N times at random moments, checks that the engine plays on after each, and prints how many
interrupts came through.
"""

import os
import random
import signal
import sys
from collections.abc import Callable

import chess
from chess.engine import Limit

from engine.api import Engine

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
LIMIT = Limit(nodes=4000)

#: Seconds until the interrupt, at most. Calls are repeated until it comes.
LATEST = 0.012

CALLS: dict[str, Callable[[Engine, chess.Board], object]] = {
    "play": lambda engine, board: engine.play(board, LIMIT),
    "analyse": lambda engine, board: engine.analyse(board, LIMIT, multipv=2),
    "explain": lambda engine, board: engine.explain(board, chess.Move.from_uci("a2a3"), LIMIT),
    "stream": lambda engine, board: list(engine.stream(board, LIMIT)),
    "bench": lambda engine, board: engine.bench(3),
    "configure": lambda engine, board: engine.configure(hash=random.randint(1, 4)),
}


def is_interrupted(engine: Engine, call: Callable[[Engine, chess.Board], object], board: chess.Board) -> bool:
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0001, LATEST))
        while True:
            call(engine, board)
    except KeyboardInterrupt:
        return True


def main(times: int) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who was started in the background ignores it
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    count = 0
    with Engine(hash=1, threads=2) as engine:
        board = chess.Board(KIWIPETE)
        for call in CALLS.values():  # an interrupt while Python evaluates text, as imports do, changes its exit code
            call(engine, board)
        kills = iter([lambda: os.kill(os.getpid(), signal.SIGINT)])
        try:  # while a search runs that would not end
            engine.play(board, Limit(nodes=10**12), on_report=lambda report: next(kills, int)())
        except KeyboardInterrupt:
            count += 1
        for number in range(times):
            engine.configure(threads=1 + number % 2)
            for call in CALLS.values():
                count += is_interrupted(engine, call, board)
                assert engine.play(board, Limit(nodes=500)) in board.legal_moves
        engine.new_game()
        assert engine.analyse(board, Limit(depth=6)).depth == 6
    print(count)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
