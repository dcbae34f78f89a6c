"""Bench and perft as text, for the conversation, and with the warm-up as subcommands (``run_``)."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Unpack

from engine.fen import START_FEN, read_fen
from engine.messages import Limits, OptionError, Signals, Stopped, counted, nodes_per_second
from engine.options import Options
from engine.uci.format import bench_line
from engine.uci.output import Output
from engine.uci.parse import Bench, check_file

if TYPE_CHECKING:
    from engine.api import Engine

Print = Callable[[str], None]


def bench(
    engine: Engine, command: Bench, progress: Print, signals: Signals | None = None, current: str = START_FEN
) -> str:
    """Search the positions of ``command``, of which the FEN ``current`` may be one. Calls ``progress`` with a line for
    each position; returns the last line. Raises :class:`OptionError` for an unreadable file, and :class:`Stopped`."""
    from engine.api.bench import positions

    def on_position(index: int, total: int, fen: str, nodes: int) -> None:
        progress(f"position {index}/{total}: {counted(nodes, 'node')}, {fen}")

    fens = {"default": positions(), "current": [current]}.get(command.file) or _fens(command.file, progress)
    if command.kind == "perft":
        start, leaves = perf_counter(), 0
        for index, fen in enumerate(fens, 1):
            engine.set_position(fen)
            found = _leaves(engine, command.value or 1, 1, None, signals or Signals())
            on_position(index, len(fens), fen, found)
            leaves += found
        return bench_line(leaves, (perf_counter() - start) * 1000)
    limit: dict[str, Any] = {command.kind: command.value}
    limits = Limits(**limit) if command.value is not None else None
    return bench_line(*engine.bench(None, on_position, fens, limits=limits, signals=signals))


def _fens(file: str, report: Print) -> list[str]:
    from engine.reading import ReadError, read_positions  # late: python-chess

    try:
        return [found.board.fen(shredder=found.board.chess960) for _, found in read_positions(file, report)]
    except ReadError as error:
        raise OptionError(f"bench: {error}") from None


def perft(engine: Engine, depth: int, threads: int, divided: Print | None, signals: Signals | None = None) -> str:
    """Count the leaves of the legal move tree ``depth`` plies deep; return the total and the speed. Calls ``divided``,
    if given, with a line for each root move. Raises :class:`Stopped` when ``signals`` stop it."""
    start = perf_counter()
    nodes = _leaves(engine, depth, threads, divided, signals or Signals())
    milliseconds = (perf_counter() - start) * 1000
    speed = nodes_per_second(nodes, milliseconds)
    return f"\nNodes searched: {nodes}\n\n{milliseconds:.0f} ms, {speed} nodes per second"


def _leaves(engine: Engine, depth: int, threads: int, divided: Print | None, signals: Signals) -> int:
    import numpy as np

    flag = np.zeros(1, np.int64)  # read by compiled code

    def pass_on_stop() -> None:
        if signals.stopped:
            flag[0] = 1

    signals.on_change = pass_on_stop
    pass_on_stop()

    def on_move(move: str, leaves: int) -> None:
        if divided is not None and not signals.stopped:
            divided(f"{move}: {leaves}")

    nodes = engine.perft(depth, threads, on_move, flag)
    if signals.stopped:
        raise Stopped
    return nodes


def run_bench(command: Bench) -> None:
    """Search the positions of ``command``; the last line is ``N nodes M nps``. Raises :class:`OptionError` for a file
    that does not exist, before the engine is loaded."""
    if command.file not in ("default", "current"):
        check_file(command.file)
    output = Output()

    def work() -> None:
        engine = _load(output.line, **command.options)
        output.line(bench(engine, command, output.line))

    _interruptible(work)


def run_perft(depth: int, fen: str | None = None, threads: int = 1, divide: bool = False) -> None:
    """Count the leaves of the legal move tree from ``fen`` (None: the start position), ``depth`` plies deep. Raises
    :class:`PositionError` for an invalid FEN, if possible before the engine is loaded."""
    if fen is not None:
        read_fen(fen)
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
        warmup.warm_up(output.line, "syzygy" if everything else digest.START, deferred=True)
        engine.api.Engine(report=output.line)
        output.line(f"ready after {perf_counter() - start:.1f} s")

    _interruptible(work)


def _load(report: Callable[[str], None], **options: Unpack[Options]) -> Engine:
    from engine.api import Engine

    return Engine(report=report, **options)


def _interruptible(work: Callable[[], None]) -> None:
    """Run ``work`` in a thread, so that Ctrl-C ends it although compiled code ignores signals."""
    from engine.commandline import interrupted
    from engine.search.threads import run_on_deep_stack

    try:
        run_on_deep_stack(work)
    except KeyboardInterrupt:
        os._exit(interrupted())
