"""The subcommands bench, perft and warmup."""

from __future__ import annotations

import os
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
    """Search the positions of ``file``, or a fixed list, with ``options``; the last line is ``N nodes M nps``."""
    output = Output()

    def work() -> None:
        engine = _load(output.line, **options)
        output.line(jobs.bench(engine, depth, file, output.line))

    _interruptible(work)


def perft(depth: int, fen: str | None = None, threads: int = 1, divide: bool = False) -> None:
    """Count the leaves of the legal move tree from ``fen`` (None: the start position), ``depth`` plies deep.

    Raises :class:`PositionError` for an invalid FEN.
    """
    output = Output()

    def work() -> None:
        engine = _load(output.line)
        engine.set_position(fen)
        output.line(jobs.perft(engine, depth, threads, output.line if divide else None))

    _interruptible(work)


def warm_up(everything: bool = False) -> None:
    """Compile the engine, or load it, and print the time taken; with ``everything`` also the tablebase prober."""
    output = Output()

    def work() -> None:
        start = perf_counter()
        import engine.api
        from engine.jit import digest, warmup

        if everything:
            import engine.syzygy.files  # defines kernels
        warmup.warm_up(output.line, "syzygy" if everything else digest.START, spare=True)
        engine.api.Engine(report=output.line)
        output.line(f"ready after {perf_counter() - start:.1f} s")

    _interruptible(work)


def _load(report: Callable[[str], None], **options: Unpack[Options]) -> Engine:
    from engine.api import Engine

    return Engine(report=report, **options)


def _interruptible(work: Callable[[], None]) -> None:
    """Run ``work`` in a thread, so that Ctrl-C ends it at once although compiled code ignores signals. Raises what it
    raises."""
    from engine.search.threads import run_on_deep_stack

    try:
        run_on_deep_stack(work)
    except KeyboardInterrupt:
        os._exit(interrupted())
