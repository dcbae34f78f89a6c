"""The engine as a Python object: positions, options, searches. It speaks no protocol.

A search runs in a thread of its own. :meth:`Engine.analyse`, :meth:`Engine.play` and :meth:`Engine.stream` take
and give python-chess's types; :meth:`Engine.start` and :meth:`Engine.search` the records of
:mod:`engine.messages`, as the protocol layer needs them.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, overload

import chess

from engine.api import bench
from engine.api.types import Analysis, Stream, analysis_of, check_board, check_moves, limits_of
from engine.board.fen import START_FEN, needs_chess960, set_fen, to_fen
from engine.board.notation import list_moves, play_moves, to_uci
from engine.board.perft import perft
from engine.board.setup import new_position
from engine.board.types import WHITE, square_name
from engine.evaluation.choice import Evaluation, choose
from engine.evaluation.nnue.file import NetError
from engine.jit.warmup import warm_up
from engine.messages import Info, Limits, OptionError, PositionError, Result
from engine.options import OPTIONS, by_keyword
from engine.play.book import Book
from engine.play.thinker import OnInfo, Thinker
from engine.search.threads import ParkedThread
from engine.search.transposition import TranspositionTable

if TYPE_CHECKING:
    from chess.engine import Limit

__all__ = ["Analysis", "Engine", "Info", "Limits", "OptionError", "PositionError", "Result", "Stream"]

#: Nodes of each search for an explanation without a limit.
EXPLAIN_NODES = 200_000

OnResult = Callable[[Result], None]

#: What an engine has no more once it is closed.
_GIVEN_BACK = ("_thinker", "_position", "_evaluation")

_CLOSED = "this engine is closed; create a new one"

#: The options that an engine's ``repr`` names in its own way.
_TOLD_APART = ("EvalType", "Hash", "Threads")


def _checked(name: str, value: Any) -> Any:
    """``value`` if the option ``name`` can take it, else :class:`OptionError`. Search parameters check themselves."""
    for option in OPTIONS:
        if option.name == name and option.kind == "button":
            return option.parse("" if value in (None, True) else str(value))
        if option.name == name:
            return option.parse(str(value))
    return value


def _limits(board: chess.Board, limit: Limit | Limits | None, root_moves: Iterable[chess.Move] | None) -> Limits:
    """The engine's own limits. Raises ValueError for a root move that is not legal, TypeError for what is no board, no
    limit or no move."""
    check_board(board)
    moves = tuple(root_moves or ())
    check_moves(moves)
    for move in moves:
        if not board.is_legal(move):
            raise ValueError(f"the root move {move} is not legal here")
    return limits_of(limit, moves)


def _evaluation(kind: str, file: str) -> Evaluation:
    """The evaluation, or :class:`OptionError`."""
    try:
        return choose(kind, file)
    except NetError as error:
        raise OptionError(str(error)) from None


def _usable_tables(path: str) -> str:
    """``path``, or :class:`OptionError` if none of its directories is there."""
    directories = [directory for directory in path.split(os.pathsep) if directory]
    if directories and not any(map(os.path.isdir, directories)):
        raise OptionError(f"SyzygyPath: no such directory: {path}")
    return path


def _usable_book(path: str) -> Book:
    """The book in ``path``, or :class:`OptionError`."""
    faults: list[str] = []
    book = Book(faults.append)
    book.open(path)
    if faults:
        raise OptionError(faults[0])
    return book


class Engine:
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
    the engine's own; :data:`engine.options.OPTIONS` has them all. ``report`` is told what takes long at a first start.
    Raises :class:`OptionError` for a value that cannot be used, such as a missing file. (Of several directories
    with tables one must exist; the others are named to ``report``.)

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

    def __init__(
        self,
        *,
        hash: int = 16,
        threads: int = 1,
        move_overhead: int = 100,
        chess960: bool = False,
        multipv: int = 1,
        eval_type: str = "NNUE",
        eval_file: str = "",
        report: Callable[[str], None] = lambda line: None,
        **options: Any,
    ) -> None:
        self._closed = False
        self._values: dict[str, Any] = {option.name: option.default for option in OPTIONS}
        for name, value in (
            ("Hash", hash),
            ("Threads", threads),
            ("Move Overhead", move_overhead),
            ("UCI_Chess960", chess960),
            ("MultiPV", multipv),
            ("EvalType", eval_type),
            ("EvalFile", eval_file),
        ):
            self._values[name] = _checked(name, value)
        self._evaluation = _evaluation(self._values["EvalType"], self._values["EvalFile"])
        warm_up(report)
        self._thinker = Thinker(self._values, self._evaluation, report)
        self._report = report
        self._searcher = ParkedThread("numbat-search")
        self._turn = threading.RLock()  # whoever waits for a search has the engine to itself
        self._position = new_position()
        self.set_position(None)
        self.configure(**options)
        self._rehearse()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What :meth:`close` has given back is missed here."""
            if name in _GIVEN_BACK:
                raise RuntimeError(_CLOSED)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        if self._closed:
            return "<Engine: closed>"
        values = self._values
        changed = [
            f"{option.name.replace(' ', '_').lower()}={values[option.name]!r}"
            for option in OPTIONS
            if option.name not in _TOLD_APART and values[option.name] != option.default
        ]
        threads = "1 thread" if values["Threads"] == 1 else f"{values['Threads']} threads"
        told = [values["EvalType"], f"hash {values['Hash']} MB", threads, *changed]
        return f"<Engine: {', '.join([*told, 'searching' if self.searching else 'idle'])}>"

    def _rehearse(self) -> None:
        """Search a little and forget it, so that the first real search does not pay for page faults and first calls."""
        self.start(Limits(depth=6), None, lambda result: None)
        self.wait()
        self.new_game()

    def __enter__(self) -> Engine:
        self._refuse_closed()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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

    def configure(self, **options: Any) -> None:
        """Set options by keyword, as the constructor takes them: all of them, or after an error none.

        >>> from engine import Engine
        >>> with Engine(hash=1) as engine:
        ...     engine.configure(threads=2, move_overhead=50)
        ...     engine.configure(threads=0)
        Traceback (most recent call last):
        engine.messages.OptionError: option Threads cannot be '0': it takes a whole number from 1 to 1024
        """
        values = {by_keyword(keyword).name: value for keyword, value in options.items()}
        for name, value in values.items():
            _checked(name, value)
        former: dict[str, Any] = {}
        try:
            for name, value in values.items():
                former[name] = self._values[name]
                self.set_option(name, value)
        except OptionError:
            for name, value in former.items():
                self.set_option(name, value)
            raise

    def set_option(self, name: str, value: Any) -> None:
        """Set an option by its canonical name (see :mod:`engine.options`), or a search parameter by its own.

        Ends a running search first. Raises :class:`OptionError`; the former value then stays. Raises as :meth:`start`.
        """
        self._refuse_closed()
        self._refuse_callbacks()
        value = _checked(name, value)
        self.stop()
        with self._turn:
            self.wait()
            if name in self._values:
                self._set_option(name, value)
                self._values[name] = value
            else:
                self._thinker.pool.parameters.set(name, value)

    def _set_option(self, name: str, value: Any) -> None:
        match name:
            case "Hash":
                if value != self._thinker.table.megabytes:
                    self._thinker.table = TranspositionTable(value)
            case "Clear Hash":
                self._thinker.table.clear()
            case "Threads":
                self._thinker.pool.resize(value)
            case "EvalType":
                self._evaluate_by(value, self._values["EvalFile"])
            case "EvalFile":
                self._evaluate_by(self._values["EvalType"], value)
            case "UCI_Chess960":
                self._position["chess960"] = value or needs_chess960(self._position)
            case "nodestime":
                self._thinker.pool.node_clock.rate = value
            case "SyzygyPath":
                self._thinker.tablebase.open(_usable_tables(value))
            case "BookFile":
                book = _usable_book(value)
                self._thinker.book.close()
                self._thinker.book = book

    def _evaluate_by(self, kind: str, file: str) -> None:
        """Change the evaluation; what was learned with another one is forgotten."""
        self._evaluation = _evaluation(kind, file)
        self._thinker.pool.use(self._evaluation)
        self.new_game()

    # Positions

    def set_position(self, fen: str | None, moves: Sequence[str] = ()) -> None:
        """Set the position: ``fen`` (None for the start position) and the ``moves`` played from it.

        Raises :class:`PositionError`, which names the fault; the former position then stays.
        """
        if fen is not None and not isinstance(fen, str):
            raise TypeError(f"a FEN is a str, not {fen!r}; set_board takes a chess.Board")
        self._set_position(START_FEN if fen is None else fen, moves, self._values["UCI_Chess960"])

    def set_board(self, board: chess.Board) -> None:
        """Set the position from a python-chess board with the moves played on it; its own mode says whether it is
        Chess960.

        Raises :class:`PositionError`, also for a board of another variant.
        """
        check_board(board)
        if board.uci_variant != "chess":
            raise PositionError(f"the variant {board.uci_variant} is not supported")
        fen = board.root().fen(en_passant="xfen")
        self._set_position(
            fen, [move.uci() for move in board.move_stack], self._values["UCI_Chess960"] or board.chess960
        )

    def _set_position(self, fen: str, moves: Sequence[str], chess960: bool) -> None:
        self._refuse_closed()
        position = new_position()
        set_fen(position, fen, chess960)
        play_moves(position, moves)
        self._position = position

    def new_game(self) -> None:
        """Forget what was learned from former games. Raises as :meth:`start`."""
        self._refuse_callbacks()
        self.stop()
        with self._turn:
            self.wait()
            self._thinker.table.clear()
            self._thinker.pool.clear()

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
        return self._evaluation.table(self._position)

    def perft(
        self, depth: int, threads: int = 1, on_move: Callable[[str, int], None] | None = None, stop: Any = None
    ) -> int:
        """Count the leaves of the tree of legal moves (see :func:`engine.board.perft.perft`)."""
        return perft(self._position, depth, threads, on_move, stop)

    # Searching

    @property
    def searching(self) -> bool:
        """Whether a search runs."""
        return self._searcher.busy

    def start(self, limits: Limits, on_info: OnInfo | None, on_result: OnResult, lines: int | None = None) -> None:
        """Begin a search and return at once; ends a running one first.

        ``lines`` overrides the option MultiPV. The callbacks run in threads of the search, ``on_result`` once and
        last: under ``infinite`` and ``ponder`` not before :meth:`stop` or :meth:`ponderhit`. Raises RuntimeError in a
        callback, whose search would have to end before the next can begin.
        """
        self._refuse_callbacks()
        with self._turn:
            self.stop()
            self.wait()
            self._thinker.pool.arm(limits, int(self._position["side"]) == WHITE, self._values["Move Overhead"])
            arguments = (
                self._position,
                limits,
                on_info or (lambda info: None),
                on_result,
                lines or self._values["MultiPV"],
            )
            self._searcher.run(partial(self._search, *arguments))

    def _refuse_closed(self) -> None:
        if self._closed:
            raise RuntimeError(_CLOSED)

    def _refuse_callbacks(self) -> None:
        if self._searcher.is_current or self._thinker.pool.is_current:
            raise RuntimeError("callbacks for reports cannot start another search or change the engine")

    def stop(self) -> None:
        """End the search, which then gives its result; harmless when none runs, and from any thread."""
        thinker = self.__dict__.get("_thinker")  # None when the engine is closed, or was never made
        if thinker is not None:
            thinker.pool.stop()

    def ponderhit(self) -> None:
        """The move pondered on was played: the clock runs from now on."""
        self._thinker.pool.ponderhit()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the search is over, at most ``timeout`` seconds; return whether it is."""
        return not self._searcher.is_current and self._searcher.wait(timeout)

    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: Limit | Limits,
        *,
        multipv: None = None,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> Analysis: ...

    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: Limit | Limits,
        *,
        multipv: int,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> list[Analysis]: ...

    def analyse(
        self,
        board: chess.Board,
        limit: Limit | Limits,
        *,
        multipv: int | None = None,
        root_moves: Iterable[chess.Move] | None = None,
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
        several threads take turns. Raises :class:`PositionError`, ValueError if ``limit`` would let the search run
        for ever or a root move is not legal, and RuntimeError in a callback of another search.
        """
        reports: dict[int, Info] = {}

        def keep(info: Info) -> None:
            if info.score is not None:
                reports[info.multipv] = info

        lines = _checked("MultiPV", 1 if multipv is None else multipv)
        reports[1] = self.search(board, _limits(board, limit, root_moves), keep, lines)
        found = [analysis_of(info, board) for _, info in sorted(reports.items())]
        return found[0] if multipv is None else found

    def play(
        self,
        board: chess.Board,
        limit: Limit | Limits,
        *,
        root_moves: Iterable[chess.Move] | None = None,
        on_report: Callable[[Analysis], None] | None = None,
    ) -> chess.Move | None:
        """The move the engine would play on ``board``, None if there is none; book and weakness count here.

        ``on_report`` is told what the search finds on the way. Raises as :meth:`analyse`.
        """

        def pass_on(info: Info) -> None:
            if on_report is not None and info.score is not None:
                on_report(analysis_of(info, board))

        move = self._run(board, _limits(board, limit, root_moves), pass_on, None).bestmove
        return None if move == "0000" else board.parse_uci(move)

    def stream(
        self,
        board: chess.Board,
        limit: Limit | Limits | None = None,
        *,
        multipv: int | None = None,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> Stream:
        """Search ``board`` and give each report as it comes; without a ``limit`` until it is told to end.

        >>> import chess
        >>> from engine import Engine
        >>> with Engine(hash=1) as engine, engine.stream(chess.Board()) as reports:
        ...     for report in reports:
        ...         if report.depth >= 5:
        ...             break
        >>> report.depth, len(report.pv) > 0
        (5, True)

        :meth:`Stream.stop`, :meth:`stop` from any thread, and the end of the ``with`` end the search; so does
        another search with this engine. Raises :class:`PositionError`.
        """
        lines = None if multipv is None else _checked("MultiPV", multipv)
        limits = replace(_limits(board, limit, root_moves), analysis=True)
        stream = Stream(board, self.stop)
        self._refuse_callbacks()
        with self._turn:
            self.set_board(board)
            self.start(limits, stream.put, lambda result: stream.put(None), lines)
        return stream

    def explain(self, board: chess.Board, move: chess.Move | None = None, limit: Limit | Limits | None = None) -> str:
        """Why ``move`` is bad, in a sentence or two of plain words; without a move, what the best one does.

        >>> import chess
        >>> from engine import Engine
        >>> board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3")
        >>> with Engine(hash=1) as engine:
        ...     print(engine.explain(board, board.parse_san("d6")))
        ...     board.push_san("d6")
        ...     print(engine.explain(board))
        Allows mate at once with Qxf7#.
        Move.from_uci('d7d6')
        Qxf7# is mate.

        ``limit`` bounds each of the two or three searches, :data:`EXPLAIN_NODES` without one. Only what the lines
        show is said (see :mod:`engine.explanation`). The engine's own position stays as it is. Raises ValueError for a
        move that is not legal, and as :meth:`analyse`.
        """
        from engine.api.explaining import what_for, why_bad

        bound = Limits(nodes=EXPLAIN_NODES) if limit is None else limit
        check_board(board)
        check_moves([move] if move is not None else [])
        if move is not None and not board.is_legal(move):
            raise ValueError(f"the move {move} is not legal here")
        former = self._position
        try:
            if move is None:
                return what_for(board, lambda position: self.analyse(position, bound))
            return why_bad(board, move, lambda position: self.analyse(position, bound), self.table_outcome)
        finally:
            self._position = former

    def table_outcome(self, board: chess.Board) -> int | None:
        """What the endgame tables say of ``board`` for its side to move: 2 a win, 1 one that the 50-move rule
        prevents, 0 a draw, and -1 and -2 the same lost; None if they say nothing."""
        verdict = self._thinker.tablebase.judge(board)
        return None if verdict is None else verdict.outcome

    def search(
        self, board: chess.Board, limits: Limits, on_info: OnInfo | None = None, lines: int | None = None
    ) -> Info:
        """Search ``board`` and return the last complete report of the best line, in the engine's own records.

        ``lines`` overrides the option MultiPV. Raises :class:`PositionError`, ValueError if ``limits`` would
        let the search run for ever, and what ``on_info`` raises, which ends the search.
        """
        if not isinstance(limits, Limits):
            raise TypeError(f"search takes engine.Limits, not {limits!r}; analyse takes a chess.engine.Limit")
        return self._run(board, replace(limits, analysis=True), on_info, lines).info or Info()

    def _run(self, board: chess.Board, limits: Limits, on_info: OnInfo | None, lines: int | None) -> Result:
        check_board(board)
        clock = limits.wtime if board.turn == chess.WHITE else limits.btime
        bounds = (clock, limits.movetime, limits.depth, limits.nodes, limits.mate)
        if limits.infinite or limits.ponder or all(bound is None for bound in bounds):
            raise ValueError("a blocking search needs a limit for the side to move")
        self._refuse_callbacks()
        results: list[Result] = []
        errors: list[BaseException] = []

        def on_info_or_stop(info: Info) -> None:
            try:
                if on_info is not None and not errors:
                    on_info(info)
            except BaseException as error:
                errors.append(error)
                self.stop()

        with self._turn:
            self.set_board(board)
            try:
                self.start(limits, on_info_or_stop, results.append, lines)
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
            try:
                self.start(Limits(depth=depth), None, lambda result: None)
                self.wait()
            finally:
                self.stop()
            milliseconds += (time.perf_counter() - begun) * 1000
            total += self._thinker.pool.nodes
            if on_position:
                on_position(index, len(fens), fen, self._thinker.pool.nodes)
        return total, milliseconds

    def close(self) -> None:
        """End the search, if one runs, and the threads, and give memory, book and tables back. Whatever is asked of the
        engine later raises RuntimeError, but to stop, to wait and to close again are harmless."""
        if self._closed:
            return
        self.stop()
        with self._turn:
            self.wait()
            self._closed = True
            self._searcher.end()
            self._thinker.pool.close()
            self._thinker.book.close()
            self._thinker.tablebase.close()
            for name in _GIVEN_BACK:
                del self.__dict__[name]

    def _search(self, position: Any, limits: Limits, on_info: OnInfo, on_result: OnResult, lines: int) -> None:
        """The search thread. Nobody changes ``position`` any more; whatever happens, there is a result.

        The helpers may still be on their way out when the result is told: who waits for the search waits for them too.
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
            self._thinker.pool.rest()
