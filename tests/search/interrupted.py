"""An engine in a process of its own whose searches are interrupted as by Ctrl-C: ``python -m tests.search.interrupted``

Prints how many interrupts came through, and ends with 0 when the searches after them were sound.
"""

import os
import random
import signal
import time
from collections.abc import Callable

import chess
from chess.engine import Limit

from engine.api import Engine
from engine.messages import Limits

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def interrupt() -> None:
    """What the terminal does when Ctrl-C is pressed."""
    os.kill(os.getpid(), signal.SIGINT)


def interrupter() -> Callable[..., None]:
    """A callback that interrupts when it is called for the first time."""
    calls = iter([interrupt])
    return lambda *_: next(calls, lambda: None)()


def is_interrupted(call: Callable[[], object]) -> bool:
    try:
        call()
    except KeyboardInterrupt:
        return True
    return False


def play_against_the_clock(engine: Engine, board: chess.Board) -> None:
    signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0001, 0.004))
    engine.play(board, Limits(nodes=4000))
    time.sleep(1)


def main() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who was started in the background ignores it
    count = 0
    with Engine(hash=1, threads=2) as engine:
        board = chess.Board(KIWIPETE)
        for _ in range(5):  # while the search runs
            count += is_interrupted(lambda: engine.play(board, Limit(time=20), on_report=interrupter()))
            count += is_interrupted(lambda: engine.bench(12, interrupter()))
            assert engine.play(board, Limit(depth=6)) in board.legal_moves
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        for number in range(40):  # at any instruction of the calling thread, which searches itself with one thread
            engine.configure(threads=1 + number % 2)
            count += is_interrupted(lambda: play_against_the_clock(engine, board))
        engine.new_game()
        assert engine.analyse(board, Limit(depth=6)).depth == 6
    assert 45 <= count <= 50  # one that falls into a finaliser is ignored by Python
    print(count)


if __name__ == "__main__":
    main()
