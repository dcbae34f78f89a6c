"""Stoppable jobs: bench and perft, for the conversation and the terminal."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

from engine.messages import OptionError, PositionError, Stopped, nodes_per_second
from engine.uci.format import bench_line

if TYPE_CHECKING:
    from engine.api import Engine

Print = Callable[[str], None]


class Searches:
    """Several searches of ``engine`` in a row; any stop after construction ends them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._since = engine.last_stop

    def stop(self) -> None:
        """Stop the searches, from any thread."""
        self._engine.stop()

    def _check(self) -> None:
        """Raise :class:`Stopped` after a stop."""
        if self._engine.last_stop is not self._since:
            raise Stopped


class Bench(Searches):
    """Searches the positions of ``file``, or a fixed list, to ``depth`` plies (None: the default depth).

    Raises :class:`OptionError` if the file cannot be read."""

    def __init__(self, engine: Engine, depth: int | None, file: str | None = None) -> None:
        super().__init__(engine)
        self._depth = depth
        self._fens = _fens(file) if file else []

    def run(self, progress: Print) -> str:
        """Call ``progress`` with a line for each position; return the last line. Raises :class:`Stopped`."""

        def on_position(index: int, total: int, fen: str, nodes: int) -> None:
            self._check()
            progress(f"position {index}/{total}: {nodes} nodes, {fen}")

        with self._engine.turn(self._since):
            nodes, milliseconds = self._engine.bench(self._depth, on_position, self._fens)
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


class Perft:
    """Counts the leaves of the legal move tree below the engine's position, to ``depth`` plies."""

    def __init__(self, engine: Engine, depth: int, threads: int) -> None:
        import numpy as np

        self._engine = engine
        self._depth = depth
        self._threads = threads
        self._stop = np.zeros(1, np.int64)  # read by compiled code

    def run(self, divided: Print | None) -> str:
        """Call ``divided``, if given, with a line for each root move; return the total and the speed.

        Raises :class:`Stopped`, as the total would then be wrong.
        """

        def on_move(move: str, leaves: int) -> None:
            if divided is not None and not self._stop[0]:
                divided(f"{move}: {leaves}")

        start = perf_counter()
        nodes = self._engine.perft(self._depth, self._threads, on_move, self._stop)
        milliseconds = (perf_counter() - start) * 1000
        if self._stop[0]:
            raise Stopped
        speed = nodes_per_second(nodes, milliseconds)
        return f"\nNodes searched: {nodes}\n\n{milliseconds:.0f} ms, {speed} nodes per second"

    def stop(self) -> None:
        """Stop the count, from any thread."""
        self._stop[0] = 1
