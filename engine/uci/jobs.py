"""Bench and perft as text, for the conversation and the terminal."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

from engine.messages import OptionError, PositionError, Signals, Stopped, nodes_per_second
from engine.uci.format import bench_line

if TYPE_CHECKING:
    from engine.api import Engine

Print = Callable[[str], None]


def bench(engine: Engine, depth: int | None, file: str | None, progress: Print, signals: Signals | None = None) -> str:
    """Search the positions of ``file``, or a fixed list, to ``depth`` plies (None: the default depth).

    Calls ``progress`` with a line for each position; returns the last line. Raises :class:`OptionError` if the file
    cannot be read, and :class:`Stopped` when ``signals`` stop it.
    """

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
    """Count the leaves of the legal move tree ``depth`` plies deep; return the total and the speed.

    Calls ``divided``, if given, with a line for each root move. Raises :class:`Stopped` when ``signals`` stop it.
    """
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
