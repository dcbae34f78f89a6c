"""The engine as a Python object: options, positions and searches. It speaks no protocol.

:meth:`Engine.analyse`, :meth:`Engine.play` and :meth:`Engine.stream` accept and return boards, moves and limits
of python-chess. :meth:`Engine.start` and :meth:`Engine.search` take the limits of :mod:`engine.messages`; a search runs
in its own thread, and callbacks get its reports and its result.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

import chess

from engine.api import bench
from engine.api.boards import Positioned
from engine.api.turns import Turns
from engine.api.types import Analysis, Feed, Stream, analysis_of, check_board, limits_of, limits_on
from engine.board.fen import needs_chess960
from engine.board.notation import list_moves, to_uci
from engine.board.types import WHITE
from engine.jit import INTERPRETED
from engine.messages import Info, Limits, OptionError, PositionError, Result, Stopped
from engine.options import KEYWORDS, OPTIONS, Options, by_keyword, find
from engine.play.thinker import BUILT_FROM, OnInfo, Thinker

if TYPE_CHECKING:
    import numpy as np

    from engine.api.batch import OnProgress, Positions
    from engine.api.types import AnyLimit, RootMoves
    from engine.explanation.effort import Effort

__all__ = ["Analysis", "Engine", "Info", "Limits", "OptionError", "PositionError", "Result", "Stopped", "Stream"]

OnResult = Callable[[Result], None]

#: Attributes deleted by :meth:`Engine.close`.
_RELEASED = ("_thinker", "_position")

_CLOSED = "this engine is closed; create a new one"

#: The options that an engine's ``repr`` always shows.
_ALWAYS_SHOWN = ("EvalType", "Hash", "Threads")


def _lines(multipv: int) -> int:
    """``multipv``, checked like the option of that name. Raises :class:`OptionError`."""
    return int(find("MultiPV").checked(multipv) or 1)


def _named(options: Mapping[str, Any]) -> dict[str, Any]:
    """The values of ``options``, given by keyword, by name. Raises :class:`OptionError`."""
    rows = {by_keyword(keyword): value for keyword, value in options.items()}
    return {option.name: option.checked(value) for option, value in rows.items()}


class Engine(Positioned):
    """A chess engine with one position and one search at a time.

    >>> import chess
    >>> from chess.engine import Limit
    >>> from engine import Engine
    >>> board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    >>> with Engine(hash=8) as engine:
    ...     move = engine.play(board, Limit(time=0.1))
    ...     best = engine.analyse(board, Limit(depth=4))
    >>> board.san(move)
    'Ra8#'
    >>> best.pv, best.score.white()
    ((Move.from_uci('a1a8'),), Mate(+1))

    Every option can be a keyword, in small letters and with underscores: ``hash`` is the transposition table in
    megabytes, ``move_overhead`` the milliseconds lost with each move outside the engine, ``multipv`` the number
    of lines wanted, ``eval_type`` the evaluation (Material, Classical or NNUE) and ``eval_file`` its network, empty for
    the engine's own; :class:`engine.options.Options` has them all. ``report`` gets messages about what takes long
    at a first start. Raises :class:`OptionError` for a value that cannot be used, such as a missing file. (Of several
    tablebase directories one must exist; the missing ones are reported.)

    >>> engine = Engine(hash=1, uci_elo=1400, uci_limitstrength=True)
    >>> engine, engine.options["Hash"]
    (<Engine: NNUE, hash 1 MB, 1 thread, uci_limitstrength=True, uci_elo=1400, idle>, 1)
    >>> engine.close()
    >>> engine
    <Engine: closed>
    >>> engine.play(board, Limit(time=1))
    Traceback (most recent call last):
    RuntimeError: this engine is closed; create a new one
    """

    _effort: Effort | None = None  # of the explanation that is being made

    def __init__(self, *, report: Callable[[str], None] = lambda line: None, **options: Unpack[Options]) -> None:
        self._closed = False
        self._values: dict[str, Any] = {option.name: option.default for option in OPTIONS}
        chosen = _named(options)
        self._values |= chosen
        self._report = report
        self._thinker = Thinker(self._values, report)
        self._turns = Turns(self._thinker.pool)
        self.set_position(None)
        for name, value in chosen.items():
            if name not in BUILT_FROM:
                self.set_option(name, value)
        if not INTERPRETED:
            self._rehearse()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Called only for attributes that are missing, such as those that :meth:`close` deleted."""
            if name in _RELEASED:
                raise RuntimeError(_CLOSED)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        if self._closed:
            return "<Engine: closed>"
        values = self._values
        changed = [
            f"{keyword}={values[option.name]!r}"
            for keyword, option in KEYWORDS.items()
            if option.name not in _ALWAYS_SHOWN and values[option.name] != option.default
        ]
        threads = "1 thread" if values["Threads"] == 1 else f"{values['Threads']} threads"
        shown = [values["EvalType"], f"hash {values['Hash']} MB", threads, *changed]
        return f"<Engine: {', '.join([*shown, 'searching' if self.searching else 'idle'])}>"

    def _rehearse(self) -> None:
        """Search a little and forget it, so that the first real search does not pay for page faults and first calls."""
        self.start(Limits(depth=6), None, lambda result: None)
        self.wait()
        self.new_game()

    def __enter__(self) -> Self:
        self._refuse_closed()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._closed

    # Options

    @property
    def options(self) -> Mapping[str, Any]:
        """The values of all options but the buttons as they are now, by name (see :mod:`engine.options`).

        >>> from engine import Engine
        >>> with Engine(hash=1) as engine:
        ...     engine.configure(multipv=3)
        ...     print(engine.options["MultiPV"], engine.options["EvalType"])
        3 NNUE
        """
        return MappingProxyType(
            {option.name: self._values[option.name] for option in OPTIONS if option.kind != "button"}
        )

    def configure(self, **options: Unpack[Options]) -> None:
        """Set options by keyword, as the constructor takes them: either all of them or, after an error, none.

        >>> from engine import Engine
        >>> with Engine(hash=1) as engine:
        ...     engine.configure(threads=2, move_overhead=50)
        ...     engine.configure(threads=0)
        Traceback (most recent call last):
        engine.messages.OptionError: option Threads cannot be '0': it takes a whole number from 1 to 1024
        """
        values = _named(options)
        if not values:
            return
        with self._turns.at_once():
            previous = {name: self._values[name] for name in values}
            try:
                for name, value in values.items():
                    self.set_option(name, value)
            except OptionError:
                for name, value in previous.items():
                    self.set_option(name, value)
                raise

    def set_option(self, name: str, value: Any) -> None:
        """Set an option by its canonical name (see :mod:`engine.options`), or a search parameter by its own.

        Ends a running search first. Raises :class:`OptionError`; the previous value then stays. Raises as
        :meth:`start`.
        """
        self._refuse_closed()
        if name not in self._values:
            with self._turns.at_once():
                self._thinker.pool.parameters.set(name, value)
            return
        option = find(name)
        value = option.checked(value)
        with self._turns.at_once():
            option.take_effect(self, value)
            self._values[name] = value

    def _play_chess960(self, wanted: bool) -> None:
        self._position["chess960"] = wanted or needs_chess960(self._position)

    # Searches

    def new_game(self) -> None:
        """Clear the transposition table and histories; ends a running search first. Raises as :meth:`start`."""
        with self._turns.at_once():
            self._thinker.forget()

    @overload
    def analyse(
        self, board: chess.Board, limit: AnyLimit, *, multipv: None = None, root_moves: RootMoves = None
    ) -> Analysis: ...

    @overload
    def analyse(
        self, board: chess.Board, limit: AnyLimit, *, multipv: int, root_moves: RootMoves = None
    ) -> list[Analysis]: ...

    def analyse(
        self, board: chess.Board, limit: AnyLimit, *, multipv: int | None = None, root_moves: RootMoves = None
    ) -> Analysis | list[Analysis]:
        """Search ``board`` until ``limit`` and return the best line; with ``multipv`` that many, best first.

        >>> import chess
        >>> from chess.engine import Limit
        >>> from engine import Engine
        >>> board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
        >>> with Engine(hash=1) as engine:
        ...     lines = engine.analyse(board, Limit(depth=5), multipv=3)
        ...     quiet = engine.analyse(board, Limit(depth=5), root_moves=[chess.Move.from_uci("e1e2")])
        >>> [line.multipv for line in lines], lines[0].score.relative
        ([1, 2, 3], Mate(+1))
        >>> quiet.move
        Move.from_uci('e1e2')

        There are fewer lines if there are fewer moves, and one without moves if the game is over. Calls from
        several threads take turns. Raises :class:`PositionError`, ValueError if ``limit`` is invalid or would never
        end the search, or if a root move is illegal, and RuntimeError in a callback of another search.
        """
        reports: dict[int, Info] = {}

        def keep(info: Info) -> None:
            if info.score is not None:
                reports[info.multipv] = info

        lines = _lines(1 if multipv is None else multipv)
        limits = limits_on(board, limit, root_moves)
        board = board.copy(stack=board.halfmove_clock)  # the caller's may change meanwhile
        reports[1] = self.search(board, limits, keep, lines)
        found = [analysis_of(info, board) for _, info in sorted(reports.items())]
        return found[0] if multipv is None else found

    def play(
        self,
        board: chess.Board,
        limit: AnyLimit,
        *,
        root_moves: RootMoves = None,
        on_report: Callable[[Analysis], None] | None = None,
    ) -> chess.Move | None:
        """The move the engine would play on ``board``, None if there is none; uses the book and plays at the level set.

        ``on_report`` gets each report of the search. Raises as :meth:`analyse`.
        """

        def pass_on(info: Info) -> None:
            if on_report is not None and info.score is not None:
                on_report(analysis_of(info, board))

        limits = limits_on(board, limit, root_moves)
        board = board.copy(stack=board.halfmove_clock)  # the caller's may change meanwhile
        move = self._run(board, limits, pass_on if on_report else None, None).bestmove
        if move == "0000":
            return None
        found = chess.Move.from_uci(move)
        return board.parse_uci(move) if board.kings >> found.from_square & 1 else found  # castling, as the board has it

    def stream(
        self,
        board: chess.Board,
        limit: AnyLimit | None = None,
        *,
        multipv: int | None = None,
        root_moves: RootMoves = None,
    ) -> Stream:
        """Search ``board`` and yield each report as it comes; without a ``limit``, search until stopped.

        >>> import chess
        >>> from engine import Engine
        >>> with Engine(hash=1) as engine, engine.stream(chess.Board()) as reports:
        ...     for report in reports:
        ...         if report.depth >= 5:
        ...             break
        >>> report.depth, len(report.pv) > 0
        (5, True)

        :meth:`Stream.stop`, :meth:`stop` from any thread, and the end of the ``with`` end the search; so do another
        search with this engine, and dropping the stream. Raises as :meth:`analyse`.
        """
        lines = None if multipv is None else _lines(multipv)
        limits = replace(limits_on(board, limit, root_moves), analysis=True)
        board = board.copy(stack=board.halfmove_clock)  # the caller's may change meanwhile
        feed = Feed()
        stream = Stream(board, feed, partial(self._turns.halt, limits))
        with self.turn():
            self.set_board(board)
            self._begin(limits, feed.put, feed.end, lines or self._values["MultiPV"])
        return stream

    def explain(self, board: chess.Board, move: chess.Move | None = None, limit: AnyLimit | None = None) -> str:
        """Why ``move`` is bad, in a sentence or two of plain words; without a move, what the best one does.

        >>> import chess
        >>> from engine import Engine
        >>> board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3")
        >>> with Engine(hash=1) as engine:
        ...     print(engine.explain(board, board.parse_san("d6")))
        ...     board.push_san("d6")
        ...     print(engine.explain(board))
        Allows mate in one with Qxf7#.
        Move.from_uci('d7d6')
        Qxf7# is mate.

        ``limit`` bounds each of the searches, four at most; the default is
        :data:`engine.api.explaining.EXPLAIN_NODES`. Each begins with a clear table, so that a limit of nodes or plies
        gives the same explanation each time.
        It says only what the lines show (see :mod:`engine.explanation`). The engine's own position stays as it is.
        Calls from several threads take turns. Raises ValueError for an illegal move, :class:`Stopped` when
        another thread ends its searches, by :meth:`stop` or a call that does, and as :meth:`analyse`.
        """

        def search(*arguments: Any) -> Info:
            self._thinker.forget()  # one move, one reason, whatever was searched before
            info = self.search(*arguments)
            if self._turns.cut:
                raise Stopped("the explanation was stopped")
            return info

        from engine.api.explaining import explanation
        from engine.explanation.effort import counted

        check_board(board)
        board = board.copy()  # the caller's may change meanwhile
        with self.turn(), counted() as effort:
            previous, self._effort = self._position, effort
            try:
                return explanation(search, self.table_outcome, board, move, limit)
            finally:
                self._position, self._effort = previous, None

    def evaluate(self, positions: Positions, *, on_progress: OnProgress | None = None) -> np.ndarray:
        """The static values of any number of FENs or boards: centipawns for the side to move, an int32 array.

        No move is searched. The centipawns are the evaluation's own; scores of searches are normalized. ``eval`` and
        :meth:`explain_evaluation` explain these values, from White's view. ``positions`` may also be an
        array that :meth:`pack` made. They must be legal as in :meth:`set_position`. From time to time ``on_progress``
        gets the number of positions done.

        >>> import chess
        >>> from engine import Engine
        >>> fens = [chess.STARTING_FEN, "4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1", "4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1"]
        >>> with Engine(hash=1) as engine:
        ...     values = engine.evaluate(fens)
        ...     same = engine.evaluate(engine.pack(fens))
        ...     engine.evaluate(["8/8/8/8/8/8/8/K7 w - - 0 1"])
        Traceback (most recent call last):
        engine.messages.PositionError: position 0: Black has 0 kings instead of 1
        >>> bool(values[1] == -values[2] > 5000), values.tolist() == same.tolist()
        (True, True)

        Works while the engine searches. Raises :class:`PositionError`, which names the index (from 0) and the fault.
        """
        from engine.api.batch import evaluate

        return evaluate(self._thinker.evaluation, positions, on_progress)

    @staticmethod
    def pack(positions: Iterable[str | chess.Board], *, on_progress: OnProgress | None = None) -> np.ndarray:
        """FENs or boards as an array of :data:`engine.evaluation.batch.BOARD`, which :meth:`evaluate` takes several
        times as fast. Raises like :meth:`evaluate`."""
        from engine.api.batch import pack

        return pack(positions, on_progress)

    def analyse_many(
        self,
        positions: Iterable[str | chess.Board],
        limit: AnyLimit,
        *,
        jobs: int | None = None,
        on_progress: OnProgress | None = None,
    ) -> Generator[Analysis, None, None]:
        """The analyses of FENs or boards, in their order, each until ``limit``, by ``jobs`` processes (as many as there
        are processors; with 1 by the calling process).

        >>> from chess.engine import Limit
        >>> from engine import Engine
        >>> fens = ["6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]
        >>> with Engine(hash=1) as engine:
        ...     [line.score.relative.is_mate() for line in engine.analyse_many(fens, Limit(depth=4), jobs=2)]
        [True, False]

        Each process has an engine with these options, which forgets each position before the next, so that the result
        does not depend on ``jobs``. ``positions`` are read as they are needed. Closing the generator ends the
        processes; so do an error and Ctrl-C. ``on_progress`` gets the number of analyses after each. Raises as
        :meth:`analyse`; what concerns a position names its index (from 0). RuntimeError, with what the process wrote
        last, if one ends twice at the same position. A frozen application does all in the calling process.
        """
        from engine.api.many import analyses

        self._refuse_closed()
        if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
            raise ValueError(f"jobs is a number of processes, 1 or more, not {jobs!r}")
        options = {
            keyword: self._values[option.name] for keyword, option in KEYWORDS.items() if option.kind != "button"
        }
        return analyses(Engine, options, positions, limits_of(limit), jobs or os.cpu_count() or 1, on_progress)

    def stop(self) -> None:
        """End the search, or all searches of a :meth:`turn`, even one about to begin. A search then returns its result;
        an explanation raises :class:`Stopped`.

        May be called at any time and from any thread.
        """
        if effort := self._effort:
            effort.stop()
        self._turns.stop()

    def table_outcome(self, board: chess.Board) -> int | None:
        """The tablebase result of ``board`` for its side to move: 2 a win, 1 a win that the 50-move rule prevents, 0 a
        draw, -1 and -2 the losses likewise; None if the tables do not have it, or may not be probed for it."""
        if board.occupied.bit_count() > self._values["SyzygyProbeLimit"]:
            return None
        verdict = self._thinker.tablebase.judge(board, fifty=self._values["Syzygy50MoveRule"])
        return None if verdict is None else verdict.outcome

    def search(
        self, board: chess.Board, limits: Limits, on_info: OnInfo | None = None, lines: int | None = None
    ) -> Info:
        """Search ``board`` and return the last complete report of the best line, in the engine's own records.

        ``lines`` overrides the option MultiPV. Raises :class:`PositionError`, ValueError if ``limits``
        would never end the search, any error raised by ``on_info``, which ends the search, and RuntimeError if the
        search fails.
        """
        if not isinstance(limits, Limits):
            raise TypeError(f"search takes engine.Limits, not {limits!r}; analyse takes a chess.engine.Limit")
        info = self._run(board, replace(limits, analysis=True), on_info, lines).info
        if info is None:
            raise RuntimeError("the search failed; its error was reported")
        return info

    def _run(self, board: chess.Board, limits: Limits, on_info: OnInfo | None, lines: int | None) -> Result:
        check_board(board)
        clock = limits.wtime if board.turn == chess.WHITE else limits.btime
        bounds = (clock, limits.movetime, limits.depth, limits.nodes, limits.mate)
        if limits.infinite or limits.ponder or all(bound is None for bound in bounds):
            raise ValueError("a blocking search needs a limit for the side to move")
        results: list[Result] = []
        errors: list[BaseException] = []

        def on_info_or_stop(info: Info) -> None:
            try:
                if on_info is not None and not errors:
                    on_info(info)
            except BaseException as error:
                errors.append(error)
                self._turns.halt()

        with self.turn():
            self.set_board(board)
            self._search_now(limits, on_info_or_stop, results.append, lines or self._values["MultiPV"])
        if errors:
            raise errors[0]
        return results[0]

    # Searching

    @property
    def searching(self) -> bool:
        """Whether a search runs."""
        return self._turns.busy

    def start(self, limits: Limits, on_info: OnInfo | None, on_result: OnResult, lines: int | None = None) -> None:
        """Begin a search and return at once; ends a running one first.

        ``lines`` overrides the option MultiPV. The callbacks run in threads of the search, ``on_result`` once and
        last: under ``infinite`` and ``ponder`` not before :meth:`stop` or :meth:`ponderhit`. Raises RuntimeError in a
        callback, whose search would have to end before the next can begin.
        """
        with self._turns.at_once():
            self._begin(limits, on_info or (lambda info: None), on_result, lines or self._values["MultiPV"])

    def _begin(self, limits: Limits, on_info: OnInfo, on_result: OnResult, lines: int, here: bool = False) -> None:
        """Begin a search within a :meth:`turn`; with ``here`` also finish it, in this thread."""
        pool = self._thinker.pool
        pool.node_clock.rate = self._values["nodestime"]
        pool.begin(limits, int(self._position["side"]) == WHITE, self._values["Move Overhead"])
        self._turns.begin(partial(self._search, self._position, limits, on_info, on_result, lines), here)

    def turn(self, since: object = None) -> AbstractContextManager[None]:
        """Reserve the engine for several searches in a row, all ended by one :meth:`stop`; turns can be nested.

        Waits for the searches of other threads, but ends one that :meth:`start` began. Only stops after this call
        count; with ``since``, an earlier value of :attr:`last_stop`, also those after that moment. Raises as
        :meth:`start`.

        >>> import chess
        >>> from chess.engine import Limit
        >>> from engine import Engine
        >>> with Engine(hash=1) as engine, engine.turn():
        ...     engine.stop()
        ...     depths = [engine.analyse(chess.Board(), Limit(nodes=10**12)).depth for _ in range(3)]
        """
        return self._turns.turn(since)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise RuntimeError(_CLOSED)

    @property
    def last_stop(self) -> object:
        """A different object after each :meth:`stop`, to see whether there was one in between."""
        return self._turns.last_stop

    def ponderhit(self) -> None:
        """The opponent played the expected move: the clock runs from now on."""
        self._thinker.pool.ponderhit()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the search is over, at most ``timeout`` seconds, and return whether it is. In a callback, return
        False at once."""
        return self._turns.wait(timeout)

    def bench(
        self,
        depth: int | None = None,
        on_position: Callable[[int, int, str, int], None] | None = None,
        fens: Sequence[str] = (),
    ) -> tuple[int, float]:
        """Search ``fens``, else the benchmark's positions, to ``depth``, else :data:`bench.DEPTH`; return nodes and
        milliseconds.

        ``on_position`` gets index (from 1), number of positions, FEN and nodes of each.
        """
        total, milliseconds = 0, 0.0
        fens = fens or bench.positions()
        with self.turn():
            self.new_game()
            for index, fen in enumerate(fens, 1):
                self.set_position(fen)
                begun = time.perf_counter()
                self._search_now(
                    Limits(depth=depth or bench.DEPTH), lambda info: None, lambda result: None, self._values["MultiPV"]
                )
                milliseconds += (time.perf_counter() - begun) * 1000
                total += self._thinker.pool.nodes
                if on_position:
                    on_position(index, len(fens), fen, self._thinker.pool.nodes)
        return total, milliseconds

    def _search_now(self, limits: Limits, on_info: OnInfo, on_result: OnResult, lines: int) -> None:
        """:meth:`_begin`, and wait for the end. A short search needs no other thread, which takes longer to wake."""
        thinker = self._thinker
        try:
            self._begin(
                limits, on_info, on_result, lines, thinker.pool.is_short(limits) and not thinker.tablebase.largest
            )
            self.wait()
        finally:  # an interrupted caller leaves no search behind
            self._turns.halt()

    def close(self) -> None:
        """End the search and the threads, and release memory, book and tables. Every later call raises RuntimeError,
        except that stopping, waiting and closing again do nothing. Raises RuntimeError in a callback of a search, which
        then continues."""
        if self._closed:
            return
        with self._turns.at_once():
            if self._closed:
                return
            self._closed = True
            self._turns.close()
            self._thinker.close()
            for name in _RELEASED:
                del self.__dict__[name]

    def _search(self, position: Any, limits: Limits, on_info: OnInfo, on_result: OnResult, lines: int) -> None:
        """The search thread. ``position`` no longer changes. There is always a result, even after an error.

        Helpers may still be finishing when the result is reported; waiting for the search includes them.
        """
        try:
            try:
                result = self._thinker.think(position, limits, on_info, lines)
            except BaseException as error:
                is_short_of_memory = isinstance(error, MemoryError)
                if is_short_of_memory:
                    self._report("the search ran out of memory")
                moves = list_moves(position)
                on_result(Result(to_uci(moves[0], bool(position["chess960"])) if moves else "0000"))
                if is_short_of_memory:
                    return
                raise
            on_result(result)
        finally:
            self._thinker.pool.wait_for_helpers()
