"""The engine as a Python object: options, positions and searches. It speaks no protocol.

An engine does one thing at a time (see :mod:`engine.api.calls`): calls from several threads run in the order in which
they come. Those that neither search nor change its state do not wait for their turn, such as :meth:`Engine.evaluate`,
nor do :meth:`Engine.stop`, :meth:`Engine.ponderhit` and :meth:`Engine.close`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, overload

import chess

from engine.api import bench
from engine.api.boards import PositionMixin, position_of
from engine.api.calls import CLOSED, Calls
from engine.api.types import Analysis, Reports, Stream, analysis_of, check_board, check_moves, limits_of, limits_on
from engine.board.fen import needs_chess960
from engine.board.setup import new_position
from engine.jit import INTERPRETED
from engine.messages import Info, Limits, Result, Signals, Stopped, counted, quoted
from engine.options import KEYWORDS, OPTIONS, Options, ReadBy, by_keyword, find
from engine.play.boards import put_board
from engine.play.reporter import OnInfo
from engine.play.selector import BUILT_FROM, MoveSelector

if TYPE_CHECKING:
    import numpy as np

    from engine.api.batch import Positions
    from engine.api.types import AnyLimit, RootMoves

T = TypeVar("T")

_RELEASED = ("_selector", "_position")  # attributes deleted by :meth:`Engine.close`

_ALWAYS_SHOWN = ("EvalType", "Hash", "Threads")  # the options that an engine's ``repr`` always shows


def _lines(multipv: int) -> int:
    """``multipv``, checked like the option of that name. Raises :class:`OptionError`."""
    return int(find("MultiPV").checked(multipv) or 1)


def _named(options: Mapping[str, Any]) -> dict[str, Any]:
    """The values of ``options``, given by keyword, by name. Raises :class:`OptionError`."""
    rows = {by_keyword(keyword): value for keyword, value in options.items()}
    return {option.name: option.checked(value) for option, value in rows.items()}


class Engine(PositionMixin):
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
    the engine's own; :class:`engine.options.Options` has them all. ``report`` is called with progress messages while
    the engine is compiled. Raises :class:`OptionError` for a value that cannot be used, such as a missing file. (Of
    several tablebase directories one must exist; the missing ones are reported.)

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

    def __init__(self, *, report: Callable[[str], None] = lambda line: None, **options: Unpack[Options]) -> None:
        self._calls = Calls()
        self._values: dict[str, Any] = {option.name: option.default for option in OPTIONS}
        chosen = _named(options)
        self._values |= chosen
        self._selector = MoveSelector(self._values, report)
        self.set_position(None)
        for name, value in chosen.items():
            if name not in BUILT_FROM:
                self._set(name, value)
        if INTERPRETED:
            report("numba's compiler is switched off (NUMBA_DISABLE_JIT): the engine is thousands of times slower")
        else:  # so that the first real search does not pay for page faults and first calls
            self.go(Limits(depth=6))
            self.new_game()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Called only for missing attributes, such as the ones that :meth:`close` deleted."""
            if name in _RELEASED:
                raise RuntimeError(CLOSED)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        if self.closed:
            return "<Engine: closed>"
        values = self._values
        changed = [
            f"{keyword}={values[option.name]!r}"
            for keyword, option in KEYWORDS.items()
            if option.name not in _ALWAYS_SHOWN and values[option.name] != option.default
        ]
        threads = counted(values["Threads"], "thread")
        shown = [values["EvalType"], f"hash {values['Hash']} MB", threads, *changed]
        return f"<Engine: {', '.join([*shown, 'searching' if self.searching else 'idle'])}>"

    def __enter__(self) -> Self:
        self._refuse_closed()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._calls.closed

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

    def configure(self, by_name: Mapping[str, Any] = MappingProxyType({}), /, **options: Unpack[Options]) -> None:
        """Set options by keyword, as the constructor takes them, or as python-chess does (``{"Move Overhead": 50}``):
        either all of them or, after an error, none.

        >>> from engine import Engine
        >>> with Engine(hash=1) as engine:
        ...     engine.configure(threads=2, move_overhead=50)
        ...     engine.configure(threads=0)
        Traceback (most recent call last):
        engine.messages.OptionError: Threads must be an integer from 1 to 1024, not '0'
        """
        values = _named({**by_name, **options})
        if values:
            self._run(partial(self._set_all, values))

    def _set_all(self, values: Mapping[str, Any]) -> None:
        """Set all options, or after an error none."""
        previous, evaluation = dict(self._values), self._selector.evaluation
        done: list[str] = []
        try:
            for name, value in values.items():
                self._set(name, value)
                done.append(name)
        except Exception as error:
            for name in reversed(done):
                try:
                    if name in ("EvalType", "EvalFile"):
                        self._values[name] = previous[name]
                        self._selector.use(evaluation)  # its file may be gone
                    else:
                        self._set(name, previous[name])
                except Exception as other:  # such as too little memory for the previous hash
                    error.add_note(f"option {name} keeps its new value: {other}")
            raise

    def set_option(self, name: str, value: Any) -> None:
        """Set an option by its canonical name (see :mod:`engine.options`), or a search parameter by its own.

        Raises :class:`OptionError`; the previous value then stays."""
        self._run(partial(self._set, name, value))

    def _set(self, name: str, value: Any) -> None:
        if name not in self._values:
            self._selector.pool.parameters.set(name, value)
            return
        option = find(name)
        value = option.checked(value)
        if not isinstance(option.effect, ReadBy):
            option.effect(self._selector, value)
        elif name == "UCI_Chess960":
            self._position["chess960"] = value or needs_chess960(self._position)
        self._values[name] = value

    # Searches

    def new_game(self) -> None:
        """Clear the transposition table and histories."""
        self._run(self._selector.clear)

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

        lines = 1 if multipv is None else _lines(multipv)
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
        """The move the engine would play on ``board``, None if the game is over. Uses the book, and the level set.

        ``on_report`` gets each report of the search. Raises the same exceptions as :meth:`analyse`."""

        def pass_on(info: Info) -> None:
            if on_report is not None and info.score is not None:
                on_report(analysis_of(info, board))

        limits = limits_on(board, limit, root_moves)
        board = board.copy(stack=board.halfmove_clock)  # the caller's may change meanwhile
        move = self._search(board, limits, pass_on if on_report else None, None).bestmove
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
        search with this engine, and dropping the stream. Raises the same exceptions as :meth:`analyse`.
        """
        return self._stream(Reports(), board, limit, multipv, root_moves)

    def _stream(
        self,
        reports: Reports,
        board: chess.Board,
        limit: AnyLimit | None = None,
        multipv: int | None = None,
        root_moves: RootMoves = None,
    ) -> Stream:
        lines = self._values["MultiPV"] if multipv is None else _lines(multipv)
        limits = replace(limits_on(board, limit, root_moves), analysis=True)
        position = position_of(board, self._values["UCI_Chess960"])
        signals, select = Signals(), self._selector.select

        def put(info: Info) -> None:
            if info.score is not None:
                reports.put(info)

        def feed() -> None:  # refers to no engine, so that it can be collected
            try:
                select(position, limits, put, lines, signals)
            finally:
                reports.put(None)

        return Stream(board, reports, self._calls.start(feed, signals), signals.stop)

    analysis = stream  # its name in python-chess

    def explain(
        self,
        board: chess.Board,
        move: chess.Move | None = None,
        limit: AnyLimit | None = None,
        *,
        signals: Signals | None = None,
    ) -> str:
        """Why ``move`` is bad, in a sentence or two of plain words; without a move, what the best one does.

        >>> import chess
        >>> from engine import Engine
        >>> board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3")
        >>> with Engine(hash=1) as engine:
        ...     print(engine.explain(board, board.parse_san("d6")))
        ...     board.push_san("d6")
        ...     print(engine.explain(board))
        Allows mate in one with 4.Qxf7#.
        Move.from_uci('d7d6')
        Qxf7# is mate.

        ``limit`` bounds each of the searches, four at most; the default is
        :data:`engine.api.explaining.EXPLAIN_NODES`. Each begins with a clear table, so that a limit of nodes or plies
        gives the same explanation each time. It says only what the lines show (see :mod:`engine.explanation`). Calls
        from several threads take turns. Raises the same exceptions as :meth:`analyse`, ValueError for an illegal move,
        and :class:`Stopped` when :meth:`stop` or ``signals`` end it, even before it begins.
        """
        from engine.api.explaining import EXPLAIN_NODES, claim_of
        from engine.explanation.effort import count_steps
        from engine.explanation.english import sentence

        check_board(board)
        board = board.copy()  # the caller's may change meanwhile
        if move is not None:
            check_moves([move])
            if not board.is_legal(move):
                raise ValueError(f"the move {move} is not legal here")
        signals = signals or Signals()

        def analyse(board: chess.Board, root_moves: RootMoves = None) -> Analysis:
            limits = limits_on(board, Limits(nodes=EXPLAIN_NODES) if limit is None else limit, root_moves)
            self._selector.clear()  # one move, one reason, whatever was searched before
            info = self._think(board, replace(limits, analysis=True), _ignore, 1, signals).info
            if signals.stopped:
                raise Stopped("the explanation was stopped")
            assert info is not None
            return analysis_of(info, board)

        def explain() -> str:
            with count_steps(signals):
                return sentence(claim_of(board, move, analyse, self.table_outcome))

        return self._run(explain, signals)

    def evaluate(self, positions: Positions) -> np.ndarray:
        """The static values of any number of FENs or boards: centipawns for the side to move, an int32 array.

        No move is searched. The centipawns are the evaluation's own; scores of searches are normalized. ``eval`` and
        :meth:`explain_evaluation` explain these values, from White's view. ``positions`` may also be an
        array that :meth:`pack` made. They must be legal as in :meth:`set_position`.

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

        return evaluate(self._selector.evaluation, positions)

    @staticmethod
    def pack(positions: Iterable[str | chess.Board]) -> np.ndarray:
        """FENs or boards as an array of :data:`engine.evaluation.batch.BOARD`, which :meth:`evaluate` takes several
        times as fast. Raises the same exceptions as :meth:`evaluate`."""
        from engine.api.batch import pack

        return pack(positions)

    def analyse_many(
        self,
        positions: Iterable[str | chess.Board],
        limit: AnyLimit,
        *,
        jobs: int | None = None,
        on_progress: Callable[[int], object] | None = None,
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
        processes; so do an error and Ctrl-C. ``on_progress`` gets the number of analyses after each. Raises the same
        exceptions as :meth:`analyse`, with the index (from 0) of a bad position, and RuntimeError if no process can be
        started or if one dies twice at the same position (with the end of its stderr). A frozen application does all
        the work in the calling process.
        """
        from engine.api.many import analyses

        self._refuse_closed()
        if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
            raise ValueError(f"jobs is a number of processes, 1 or more, not {quoted(jobs)}")
        options = {
            keyword: self._values[option.name] for keyword, option in KEYWORDS.items() if option.kind != "button"
        }
        return analyses(options, positions, limits_of(limit), jobs or os.cpu_count() or 1, on_progress)

    def stop(self) -> None:
        """End the work that runs, and that of calls that wait for their turn. A search then returns its result; an
        explanation and a bench raise :class:`Stopped`.

        May be called at any time and from any thread."""
        self._calls.stop()

    def ponderhit(self) -> None:
        """The opponent played the expected move: the clock of the search runs from now on."""
        self._calls.ponderhit()

    def table_outcome(self, board: chess.Board) -> int | None:
        """The tablebase result of ``board`` for its side to move: 2 a win, 1 a win that the 50-move rule prevents, 0 a
        draw, -1 and -2 the losses likewise; None if the tables do not have it, or may not be probed for it."""
        if board.occupied.bit_count() > self._values["SyzygyProbeLimit"]:
            return None
        position = new_position()
        put_board(position, board, board.chess960)
        probe = self._selector.tablebase.probe(position, self._values["Syzygy50MoveRule"])
        return None if probe is None else probe.outcome

    def search(
        self, board: chess.Board, limits: Limits, on_info: OnInfo | None = None, lines: int | None = None
    ) -> Info:
        """Search ``board`` and return the last complete report of the best line, in the engine's own records.

        ``lines`` overrides the option MultiPV. Raises :class:`PositionError`, ValueError if ``limits``
        would never end the search, and any error raised by ``on_info``, which ends the search."""
        if not isinstance(limits, Limits):
            raise TypeError(f"search takes engine.Limits, not {quoted(limits)}; analyse takes a chess.engine.Limit")
        info = self._search(board, replace(limits, analysis=True), on_info, lines).info
        assert info is not None
        return info

    def _search(self, board: chess.Board, limits: Limits, on_info: OnInfo | None, lines: int | None) -> Result:
        """Search ``board`` in this call's turn. Raises ValueError for limits that would never end the search."""
        check_board(board)
        clock = limits.wtime if board.turn == chess.WHITE else limits.btime
        bounds = (clock, limits.movetime, limits.depth, limits.nodes, limits.mate)
        if limits.infinite or limits.ponder or all(bound is None for bound in bounds):
            raise ValueError("a blocking search needs a limit for the side to move")
        signals = Signals()
        return self._run(partial(self._think, board, limits, on_info or _ignore, lines, signals), signals)

    def _think(
        self, board: chess.Board, limits: Limits, on_info: OnInfo, lines: int | None, signals: Signals
    ) -> Result:
        position = position_of(board, self._values["UCI_Chess960"])
        return self._selector.select(position, limits, on_info, lines or self._values["MultiPV"], signals)

    @property
    def searching(self) -> bool:
        """Whether a search runs, or waits for its turn."""
        return self._calls.busy

    def go(self, limits: Limits, on_info: OnInfo | None = None, signals: Signals | None = None) -> Result:
        """Search the engine's position, and return the result: under ``infinite`` and ``ponder`` not before
        :meth:`stop` or :meth:`ponderhit`, or one of ``signals``, which may come before the search begins.

        ``on_info`` is called in the search's thread: in a :class:`engine.search.threads.DeepThread`, this one."""
        signals, position = signals or Signals(), self._position
        arguments = (position, limits, on_info or _ignore, self._values["MultiPV"], signals)
        return self._run(partial(self._selector.select, *arguments), signals)

    def _run(self, work: Callable[[], T], signals: Signals | None = None) -> T:
        """Run ``work`` after earlier calls."""
        return self._calls.run(work, signals or Signals())

    def _refuse_closed(self) -> None:
        if self.closed:
            raise RuntimeError(CLOSED)

    def bench(
        self,
        depth: int | None = None,
        on_position: Callable[[int, int, str, int], None] | None = None,
        fens: Sequence[str] = (),
        *,
        limits: Limits | None = None,
        signals: Signals | None = None,
    ) -> tuple[int, float]:
        """Search ``fens``, else the benchmark's positions, to ``depth``, else :data:`bench.DEPTH`, or within other
        ``limits``; return nodes and milliseconds.

        ``on_position`` gets index (from 1), number of positions, FEN and nodes of each. Raises :class:`Stopped` when
        another thread ends it, or ``signals`` do, if given."""
        signals = signals or Signals()
        limits, fens = limits or Limits(depth=depth or bench.DEPTH), fens or bench.positions()

        def run() -> tuple[int, float]:
            total, milliseconds = 0, 0.0
            self._selector.clear()
            for index, fen in enumerate(fens, 1):
                arguments = (self._read(fen), limits, _ignore, self._values["MultiPV"], signals)
                begun = time.perf_counter()
                self._selector.select(*arguments)
                milliseconds += (time.perf_counter() - begun) * 1000
                if signals.stopped:
                    raise Stopped("the bench was stopped")
                total += self._selector.pool.nodes
                if on_position:
                    on_position(index, len(fens), fen, self._selector.pool.nodes)
            return total, milliseconds

        return self._run(run, signals)

    def close(self) -> None:
        """End the work that runs and the threads, and release memory, book and tables. Calls that wait for their turn,
        and later ones, raise RuntimeError, except that stopping and closing again do nothing. Raises RuntimeError in a
        callback of a search, which then continues."""
        if "_selector" in self.__dict__ and not self._calls.forked:
            self._calls.close(self._release)

    def _release(self) -> None:
        if "_selector" in self.__dict__:
            self._selector.close()
            for name in _RELEASED:
                del self.__dict__[name]

    quit = close  # its name in python-chess


def _ignore(info: Info) -> None:
    pass
