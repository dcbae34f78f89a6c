"""Bench and perft as text, for the conversation, and with the warm-up as subcommands (``run_``)."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Unpack

from engine.messages import OptionError, PositionError, Signals, Stopped, nodes_per_second
from engine.options import Options
from engine.uci.format import bench_line
from engine.uci.output import Output

if TYPE_CHECKING:
    from engine.api import Engine

Print = Callable[[str], None]


def bench(engine: Engine, depth: int | None, file: str | None, progress: Print, signals: Signals | None = None) -> str:
    """Search the positions of ``file``, or a fixed list, to ``depth`` plies (None: the default depth). Calls
    ``progress`` with a line for each position; returns the last line. Raises :class:`OptionError` if the file cannot be
    read, and :class:`Stopped` when ``signals`` stop it."""

    def on_position(index: int, total: int, fen: str, nodes: int) -> None:
        progress(f"position {index}/{total}: {nodes} nodes, {fen}")

    nodes, milliseconds = engine.bench(depth, on_position, _fens(file) if file else (), signals=signals)
    return bench_line(nodes, milliseconds)


def _fens(file: str) -> list[str]:
    from engine.api.boards import check_supported  # late: python-chess
    from engine.reading import ReadError, read_positions

    fens = []
    try:
        for number, found in read_positions(file):
            try:
                check_supported(found.board)
            except PositionError as error:
                raise ReadError(f"{file}:{number}: {error}") from None
            fens.append(found.board.fen(en_passant="fen"))
    except ReadError as error:
        raise OptionError(f"bench: {error}") from None
    return fens


def perft(engine: Engine, depth: int, threads: int, divided: Print | None, signals: Signals | None = None) -> str:
    """Count the leaves of the legal move tree ``depth`` plies deep; return the total and the speed. Calls ``divided``,
    if given, with a line for each root move. Raises :class:`Stopped` when ``signals`` stop it."""
    import numpy as np

    signals = signals or Signals()
    flag = np.zeros(1, np.int64)  # read by compiled code

    def heed() -> None:
        if signals.stopped:
            flag[0] = 1

    signals.on_change = heed
    heed()

    def on_move(move: str, leaves: int) -> None:
        if divided is not None and not signals.stopped:
            divided(f"{move}: {leaves}")

    start = perf_counter()
    nodes = engine.perft(depth, threads, on_move, flag)
    milliseconds = (perf_counter() - start) * 1000
    if signals.stopped:
        raise Stopped
    speed = nodes_per_second(nodes, milliseconds)
    return f"\nNodes searched: {nodes}\n\n{milliseconds:.0f} ms, {speed} nodes per second"


def run_bench(file: str | None = None, depth: int | None = None, **options: Unpack[Options]) -> None:
    """Search the positions of ``file``, or a fixed list, with ``options``; the last line is ``N nodes M nps``."""
    output = Output()

    def work() -> None:
        engine = _load(output.line, **options)
        output.line(bench(engine, depth, file, output.line))

    _interruptible(work)


def run_perft(depth: int, fen: str | None = None, threads: int = 1, divide: bool = False) -> None:
    """Count the leaves of the legal move tree from ``fen`` (None: the start position), ``depth`` plies deep. Raises
    :class:`PositionError` for an invalid FEN."""
    output = Output()

    def work() -> None:
        engine = _load(output.line)
        engine.set_position(fen)
        output.line(perft(engine, depth, threads, output.line if divide else None))

    _interruptible(work)


def run_warmup(everything: bool = False) -> None:
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
    from engine.commandline import interrupted
    from engine.search.threads import run_on_deep_stack

    try:
        run_on_deep_stack(work)
    except KeyboardInterrupt:
        os._exit(interrupted())
