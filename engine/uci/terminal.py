"""The subcommands for people and scripts: bench, perft and warm-up, outside of any conversation."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Unpack

from engine.commandline import interrupted
from engine.options import Options
from engine.uci import jobs
from engine.uci.output import Output

if TYPE_CHECKING:
    from engine.api import Engine


def bench(file: str | None = None, depth: int | None = None, **options: Unpack[Options]) -> None:
    """Search the positions of ``file``, else the fixed ones, with ``options``; close with ``N nodes M nps``."""
    output = Output()

    def work() -> None:
        engine = _load(output.line, **options)
        output.line(jobs.Bench(engine, depth, file).run(output.line))

    _interruptible(work)


def perft(depth: int, fen: str | None = None, threads: int = 1, divide: bool = False) -> None:
    """Count the leaves of the legal moves' tree from ``fen`` (None: the start position), ``depth`` plies deep.

    Raises :class:`PositionError` for a FEN that cannot be.
    """
    output = Output()

    def work() -> None:
        engine = _load(output.line)
        engine.set_position(fen)
        output.line(jobs.Perft(engine, depth, threads).run(output.line if divide else None))

    _interruptible(work)


def warm_up(everything: bool = False) -> None:
    """Compile the engine, or find that this was done, and say how long it took; with ``everything`` also the reader of
    endgame tables."""
    output = Output()

    def work() -> None:
        start = perf_counter()
        _load(output.line)
        from engine.jit import digest, warmup

        if everything:
            from engine.syzygy import files  # noqa: F401 - defines the kernels
        warmup.warm_up(output.line, "syzygy" if everything else digest.START, spare=True)
        output.line(f"ready after {perf_counter() - start:.1f} s")

    _interruptible(work)


def _load(report: Callable[[str], None], **options: Unpack[Options]) -> Engine:
    from engine.api import Engine

    return Engine(report=report, **options)


def _interruptible(work: Callable[[], None]) -> None:
    """Run ``work`` so that Ctrl-C ends it at once, though compiled code never looks for signals.

    What ``work`` raises is raised here.
    """
    raised: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name="numbat-work", daemon=True).start()
    try:
        while not done.wait(0.2):  # without a time limit Windows would not notice Ctrl-C
            pass
    except KeyboardInterrupt:
        os._exit(interrupted())
    if raised:
        raise raised[0]
