"""The engine as a Python object: positions, options, searches. It speaks no protocol.

A search runs in a thread of its own and reports through callbacks; at its edge stand python-chess boards or
FENs and moves in UCI notation.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import chess

from engine import bench
from engine.board.fen import START_FEN, set_fen, to_fen
from engine.board.notation import find_move, list_moves, play_moves, to_uci
from engine.board.perft import perft
from engine.board.setup import new_position
from engine.board.types import WHITE, square_name
from engine.evaluation.material import explain
from engine.jit.warmup import warm_up
from engine.messages import Info, Limits, OptionError, PositionError, Result
from engine.options import OPTIONS
from engine.search import tunables
from engine.search.pool import Pool, start_thread
from engine.search.scores import MATE, to_message
from engine.search.transposition import TranspositionTable
from engine.search.worker import Line

__all__ = ["Engine", "Info", "Limits", "OptionError", "PositionError", "Result"]

OnInfo = Callable[[Info], None]
OnResult = Callable[[Result], None]


def _checked(name: str, value: Any) -> Any:
    """``value`` if the option ``name`` can take it, else :class:`OptionError`. Search parameters check themselves."""
    for option in OPTIONS:
        if option.name == name and option.kind != "button":
            return option.parse(str(value))
    return value


class Engine:
    """A chess engine with one position and one search at a time.

    >>> from engine import Engine
    >>> from engine.messages import Limits
    >>> import chess
    >>> with Engine(hash=8) as engine:
    ...     info = engine.analyse(chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), Limits(depth=4))
    >>> info.pv, info.score.mate
    (('a1a8',), 1)

    ``hash`` is the transposition table in megabytes, ``move_overhead`` the milliseconds lost with each move
    outside the engine, ``multipv`` the number of lines wanted.
    Raises :class:`OptionError` where a value is not to be had.
    """

    def __init__(
        self,
        *,
        hash: int = 16,
        threads: int = 1,
        move_overhead: int = 100,
        chess960: bool = False,
        multipv: int = 1,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._overhead = _checked("Move Overhead", move_overhead)
        self._chess960 = _checked("UCI_Chess960", chess960)
        self._lines = _checked("MultiPV", multipv)
        megabytes, threads = _checked("Hash", hash), _checked("Threads", threads)
        warm_up(report)
        self._table = TranspositionTable(megabytes)
        self._pool = Pool(threads)
        self._thread: threading.Thread | None = None
        self._position = new_position()
        self.set_position(None)
        self._rehearse()

    def _rehearse(self) -> None:
        """Search a little and forget it, so that the first real search does not pay for page faults and first calls."""
        self.start(Limits(depth=6), None, lambda result: None)
        self.wait()
        self.new_game()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Options

    def set_option(self, name: str, value: Any) -> None:
        """Set an option by its canonical name (see :mod:`engine.options`), or a search parameter by its own.

        Ends a running search first. Raises :class:`OptionError`; the former value then stays.
        """
        self.stop()
        self.wait()
        value = _checked(name, value)
        match name:
            case "Hash":
                if value != self._table.megabytes:
                    self._table = TranspositionTable(value)
            case "Clear Hash":
                self._table.clear()
            case "Threads":
                self._pool.resize(value)
            case "MultiPV":
                self._lines = value
            case "Move Overhead":
                self._overhead = value
            case "UCI_Chess960":
                self._chess960 = value
                self._position["chess960"] = value
            case _ if not any(option.name == name for option in OPTIONS):
                tunables.set_param(name, value)

    # Positions

    def set_position(self, fen: str | None, moves: Sequence[str] = ()) -> None:
        """Set the position: ``fen`` (None for the start position) and the ``moves`` played from it.

        Raises :class:`PositionError`, which names the fault; the former position then stays.
        """
        self._set_position(START_FEN if fen is None else fen, moves, self._chess960)

    def set_board(self, board: chess.Board) -> None:
        """Set the position from a python-chess board with the moves played on it; its own mode says whether it is
        Chess960.

        Raises :class:`PositionError`.
        """
        fen = board.root().fen(en_passant="xfen")
        self._set_position(fen, [move.uci() for move in board.move_stack], self._chess960 or board.chess960)

    def _set_position(self, fen: str, moves: Sequence[str], chess960: bool) -> None:
        position = new_position()
        set_fen(position, fen, chess960)
        play_moves(position, moves)
        self._position = position

    def new_game(self) -> None:
        """Forget what was learned from former games."""
        self.stop()
        self.wait()
        self._table.clear()
        self._pool.clear()

    def fen(self) -> str:
        """The position as FEN."""
        return to_fen(self._position)

    def key(self) -> int:
        """The position's Zobrist key, the same as Polyglot's."""
        return int(self._position["key"])

    def checkers(self) -> list[str]:
        """The squares of the pieces that give check."""
        return [square_name(square) for square in chess.SquareSet(int(self._position["checkers"]))]

    def board(self) -> chess.Board:
        """The position as a python-chess board (without the moves that led to it)."""
        return chess.Board(self.fen(), chess960=bool(self._position["chess960"]))

    def explain_evaluation(self) -> str:
        """A table of the evaluation in pawns: each term for White, Black, and together."""
        lines = ["      term |  White |  Black |  Total", "-----------+--------+--------+-------"]
        sums = [0, 0]
        for name, white, black in explain(self._position):
            sums = [sums[0] + white, sums[1] + black]
            lines.append(f"{name:>10} | {white / 100:6.2f} | {black / 100:6.2f} | {(white - black) / 100:6.2f}")
        lines.append(lines[1])
        white, black = sums
        lines.append(f"{'sum':>10} | {white / 100:6.2f} | {black / 100:6.2f} | {(white - black) / 100:6.2f}")
        lines.append("(pawns, from White's view)")
        return "\n".join(lines)

    def perft(
        self, depth: int, threads: int = 1, on_move: Callable[[str, int], None] | None = None, stop: Any = None
    ) -> int:
        """Count the leaves of the tree of legal moves (see :func:`engine.board.perft.perft`)."""
        return perft(self._position, depth, threads, on_move, stop)

    # Searching

    @property
    def searching(self) -> bool:
        """Whether a search runs."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, limits: Limits, on_info: OnInfo | None, on_result: OnResult) -> None:
        """Begin a search and return at once; ends a running one first.

        The callbacks run in threads of the search, ``on_result`` once and last: under ``infinite`` and ``ponder``
        not before :meth:`stop` or :meth:`ponderhit`.
        """
        self.stop()
        self.wait()
        self._pool.arm(limits, int(self._position["side"]) == WHITE, self._overhead)
        arguments = (self._position, limits, on_info or (lambda info: None), on_result)
        self._thread = start_thread(self._search, *arguments)

    def stop(self) -> None:
        """End the search, which then gives its result; harmless when none runs, and from any thread."""
        self._pool.stop()

    def ponderhit(self) -> None:
        """The move pondered on was played: the clock runs from now on."""
        self._pool.ponderhit()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the search is over, at most ``timeout`` seconds; return whether it is."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)
            return not thread.is_alive()
        return thread is None

    def analyse(self, board: chess.Board, limits: Limits, on_info: OnInfo | None = None) -> Info:
        """Search ``board`` and return the last complete report.

        Raises :class:`PositionError`, ValueError where ``limits`` would let the search run for ever, and what
        ``on_info`` raises, which ends the search.
        """
        return self._run(board, limits, on_info).info or Info()

    def play(self, board: chess.Board, limits: Limits) -> chess.Move | None:
        """The move the engine would play on ``board``, None where there is none. Raises as :meth:`analyse`."""
        move = self._run(board, limits, None).bestmove
        return None if move == "0000" else board.parse_uci(move)

    def _run(self, board: chess.Board, limits: Limits, on_info: OnInfo | None) -> Result:
        clock = limits.wtime if board.turn == chess.WHITE else limits.btime
        bounds = (clock, limits.movetime, limits.depth, limits.nodes, limits.mate)
        if limits.infinite or limits.ponder or all(bound is None for bound in bounds):
            raise ValueError("a search that is waited for needs a limit for the side to move")
        self.set_board(board)
        results: list[Result] = []
        errors: list[BaseException] = []

        def on_info_or_stop(info: Info) -> None:
            try:
                if on_info is not None and not errors:
                    on_info(info)
            except BaseException as error:
                errors.append(error)
                self.stop()

        self.start(limits, on_info_or_stop, results.append)
        try:
            self.wait()
        finally:  # an interrupted caller leaves no search behind
            self.stop()
        if errors:
            raise errors[0]
        return results[0]

    def bench(
        self, depth: int = bench.DEPTH, on_position: Callable[[int, int, str, int], None] | None = None
    ) -> tuple[int, float]:
        """Search the benchmark's positions to ``depth``; return nodes and milliseconds.

        ``on_position`` gets index (from 1), how many there are, FEN and nodes of each.
        """
        self.new_game()
        total, milliseconds = 0, 0.0
        fens = bench.positions()
        for index, fen in enumerate(fens, 1):
            self.set_position(fen)
            begun = time.perf_counter()
            self.start(Limits(depth=depth), None, lambda result: None)
            self.wait()
            milliseconds += (time.perf_counter() - begun) * 1000
            total += self._pool.nodes
            if on_position:
                on_position(index, len(fens), fen, self._pool.nodes)
        return total, milliseconds

    def close(self) -> None:
        """End the search, if one runs."""
        self.stop()
        self.wait()

    def _search(self, position: Any, limits: Limits, on_info: OnInfo, on_result: OnResult) -> None:
        """The search thread. Nobody changes ``position`` any more; whatever happens, there is a result."""
        try:
            result = self._think(position, limits, on_info)
        except BaseException:
            moves = list_moves(position)
            on_result(Result(to_uci(moves[0], bool(position["chess960"])) if moves else "0000"))
            raise
        on_result(result)

    def _think(self, position: Any, limits: Limits, on_info: OnInfo) -> Result:
        """Run the pool and turn its lines into messages."""
        chess960 = bool(position["chess960"])
        last = Info()
        moves = list_moves(position)
        if not moves:
            last = Info(score=to_message(-MATE if position["checkers"] else 0))
            on_info(last)
            self._pool.wait_for_release(limits)
            return Result(info=last)
        wanted = [find_move(position, text) for text in limits.searchmoves]
        moves = [move for move in moves if move in wanted] or moves

        def on_line(line: Line) -> None:
            nonlocal last
            elapsed, nodes = self._pool.elapsed, self._pool.nodes
            info = Info(
                depth=line.depth,
                seldepth=line.seldepth,
                score=to_message(line.score, line.bound),
                nodes=nodes,
                nps=int(nodes * 1000 / max(elapsed, 0.001)),
                hashfull=self._table.hashfull(),
                time=int(elapsed),
                pv=tuple(to_uci(move, chess960) for move in line.moves),
                multipv=line.rank,
            )
            on_info(info)
            if line.rank == 1:
                last = info

        def on_tick(depth: int, move: int, number: int) -> None:
            elapsed, nodes = self._pool.elapsed, self._pool.nodes
            speed = int(nodes * 1000 / max(elapsed, 0.001))
            on_info(Info(depth=depth, currmove=to_uci(move, chess960), currmovenumber=number))
            on_info(Info(depth=depth, nodes=nodes, nps=speed, hashfull=self._table.hashfull(), time=int(elapsed)))

        line = self._pool.search(position, limits, moves, self._table, on_line, on_tick, self._lines)
        reply = line.moves[1] if len(line.moves) > 1 else 0
        ponder = to_uci(reply, chess960) if reply else ""
        return Result(to_uci(line.moves[0], chess960), ponder, last)
