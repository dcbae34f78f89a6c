"""The engine as a Python object: positions, options, searches. It speaks no protocol.

A search runs in a thread of its own. :meth:`Engine.analyse`, :meth:`Engine.play` and :meth:`Engine.stream` take
and give python-chess's types; :meth:`Engine.start` and :meth:`Engine.search` the records of
:mod:`engine.messages`, as the protocol layer needs them.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

import chess

from engine import bench, strength, wdl
from engine.board.fen import START_FEN, needs_chess960, set_fen, to_fen
from engine.board.notation import find_move, list_moves, play_moves, to_uci
from engine.board.perft import perft
from engine.board.setup import new_position
from engine.board.types import WHITE, square_name
from engine.book import Book
from engine.chesstypes import Analysis, Stream, analysis_of, limits_of
from engine.evaluation.choice import Evaluation, choose
from engine.evaluation.nnue.file import NetError
from engine.jit.warmup import warm_up
from engine.messages import Info, Limits, OptionError, PositionError, Result, Score, nodes_per_second
from engine.options import OPTIONS, by_keyword
from engine.search import tunables
from engine.search.pool import Pool, start_thread
from engine.search.scores import DECIDED, MATE, MATE_BOUND, MAX_PLY, to_message
from engine.search.tables import Access
from engine.search.transposition import TranspositionTable
from engine.search.worker import Line
from engine.tablebase import DRAW, PATIENCE, Tablebase, Verdict

if TYPE_CHECKING:
    from chess.engine import Limit

__all__ = ["Analysis", "Engine", "Info", "Limits", "OptionError", "PositionError", "Result", "Stream"]

OnInfo = Callable[[Info], None]
OnResult = Callable[[Result], None]


#: Centipawns of a win that the tables know of and the search does not see the end of; mates are above it.
TABLE_WIN = 20_000

#: Plies that a book move is searched, for its score and the reply to expect.
BOOK_DEPTH = 8


def _checked(name: str, value: Any) -> Any:
    """``value`` if the option ``name`` can take it, else :class:`OptionError`. Search parameters check themselves."""
    for option in OPTIONS:
        if option.name == name and option.kind == "button":
            return option.parse("" if value in (None, True) else str(value))
        if option.name == name:
            return option.parse(str(value))
    return value


def _limits(board: chess.Board, limit: Limit | Limits | None, root_moves: Iterable[chess.Move] | None) -> Limits:
    """The engine's own limits. Raises ValueError for a root move that is not legal."""
    moves = tuple(root_moves or ())
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


def _told(score: int, bound: str, verdict: Verdict | None) -> Score:
    """The score to report: a mate that was seen, else what the tables know, else what the search believes."""
    if abs(score) > MATE_BOUND and (verdict is None or score * verdict.outcome > 0):
        return to_message(score, bound)
    if verdict is None and abs(score) > DECIDED:
        return Score(cp=TABLE_WIN if score > 0 else -TABLE_WIN, bound=bound)
    if verdict is None:
        return Score(cp=wdl.MODEL.shown(score), bound=bound)
    if abs(verdict.outcome) == 2:
        return Score(cp=TABLE_WIN if verdict.outcome > DRAW else -TABLE_WIN)
    return Score(cp=verdict.outcome)


def _chances(score: int, verdict: Verdict | None, move: int) -> tuple[int, int, int]:
    """The chances to report with ``score`` at a ``move`` of the game: certain where tables or a mate decide."""
    if verdict is not None:
        return (1000, 0, 0) if verdict.outcome == 2 else (0, 0, 1000) if verdict.outcome == -2 else (0, 1000, 0)
    return wdl.MODEL.chances(score, move)


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
        eval_type: str = "NNUE",
        eval_file: str = "",
        report: Callable[[str], None] = lambda line: None,
        **options: Any,
    ) -> None:
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
        self._table = TranspositionTable(self._values["Hash"])
        self._pool = Pool(self._values["Threads"], self._evaluation)
        self._tables = Tablebase(report)
        self._book = Book(report)
        self._chance = random.Random()  # of playing weaker: no two games alike
        self._thread: threading.Thread | None = None
        self._turn = threading.RLock()  # whoever waits for a search has the engine to itself
        self._position = new_position()
        self.set_position(None)
        self.configure(**options)
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
        """Set an option by its canonical name (see :mod:`engine.options`), or a search parameter, which all engines of
        a process share, by its own.

        Ends a running search first. Raises :class:`OptionError`; the former value then stays. Raises as :meth:`start`.
        """
        self._refuse_callbacks()
        value = _checked(name, value)
        self.stop()
        with self._turn:
            self.wait()
            if name in self._values:
                self._set_option(name, value)
                self._values[name] = value
            else:
                tunables.set_param(name, value)

    def _set_option(self, name: str, value: Any) -> None:
        match name:
            case "Hash":
                if value != self._table.megabytes:
                    self._table = TranspositionTable(value)
            case "Clear Hash":
                self._table.clear()
            case "Threads":
                self._pool.resize(value)
            case "EvalType":
                self._evaluate_by(value, self._values["EvalFile"])
            case "EvalFile":
                self._evaluate_by(self._values["EvalType"], value)
            case "UCI_Chess960":
                self._position["chess960"] = value or needs_chess960(self._position)
            case "nodestime":
                self._pool.node_clock.rate = value
            case "SyzygyPath":
                self._tables.open(value)
            case "BookFile":
                self._book.open(value)

    def _evaluate_by(self, kind: str, file: str) -> None:
        """Change the evaluation; what was learned with another one is forgotten."""
        self._evaluation = _evaluation(kind, file)
        self._pool.use(self._evaluation)
        self.new_game()

    # Positions

    def set_position(self, fen: str | None, moves: Sequence[str] = ()) -> None:
        """Set the position: ``fen`` (None for the start position) and the ``moves`` played from it.

        Raises :class:`PositionError`, which names the fault; the former position then stays.
        """
        self._set_position(START_FEN if fen is None else fen, moves, self._values["UCI_Chess960"])

    def set_board(self, board: chess.Board) -> None:
        """Set the position from a python-chess board with the moves played on it; its own mode says whether it is
        Chess960.

        Raises :class:`PositionError`, also for a board of another variant.
        """
        if board.uci_variant != "chess":
            raise PositionError(f"the variant {board.uci_variant} is not played here")
        fen = board.root().fen(en_passant="xfen")
        self._set_position(
            fen, [move.uci() for move in board.move_stack], self._values["UCI_Chess960"] or board.chess960
        )

    def _set_position(self, fen: str, moves: Sequence[str], chess960: bool) -> None:
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
        return self._thread is not None and self._thread.is_alive()

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
            self._pool.arm(limits, int(self._position["side"]) == WHITE, self._values["Move Overhead"])
            arguments = (
                self._position,
                limits,
                on_info or (lambda info: None),
                on_result,
                lines or self._values["MultiPV"],
            )
            self._thread = start_thread(self._search, *arguments)

    def _refuse_callbacks(self) -> None:
        if self._thread is threading.current_thread():
            raise RuntimeError("a search's reports cannot start another search or change the engine")

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

        There are fewer lines where there are fewer moves, and where the game is over one without moves. Calls from
        several threads take turns. Raises :class:`PositionError`, ValueError where ``limit`` would let the search run
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
        """The move the engine would play on ``board``, None where there is none; book and weakness count here.

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

    def search(
        self, board: chess.Board, limits: Limits, on_info: OnInfo | None = None, lines: int | None = None
    ) -> Info:
        """Search ``board`` and return the last complete report of the best line, in the engine's own records.

        ``lines`` overrides the option MultiPV. Raises :class:`PositionError`, ValueError where ``limits`` would
        let the search run for ever, and what ``on_info`` raises, which ends the search.
        """
        return self._run(board, replace(limits, analysis=True), on_info, lines).info or Info()

    def _run(self, board: chess.Board, limits: Limits, on_info: OnInfo | None, lines: int | None) -> Result:
        clock = limits.wtime if board.turn == chess.WHITE else limits.btime
        bounds = (clock, limits.movetime, limits.depth, limits.nodes, limits.mate)
        if limits.infinite or limits.ponder or all(bound is None for bound in bounds):
            raise ValueError("a search that is waited for needs a limit for the side to move")
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
            self.start(limits, on_info_or_stop, results.append, lines)
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
        """End the search, if one runs, and give book and tables back."""
        self.stop()
        self.wait()
        self._book.close()
        self._tables.close()

    def _search(self, position: Any, limits: Limits, on_info: OnInfo, on_result: OnResult, lines: int) -> None:
        """The search thread. Nobody changes ``position`` any more; whatever happens, there is a result."""
        try:
            result = self._think(position, limits, on_info, lines)
        except BaseException:
            moves = list_moves(position)
            on_result(Result(to_uci(moves[0], bool(position["chess960"])) if moves else "0000"))
            raise
        on_result(result)

    def _think(self, position: Any, limits: Limits, on_info: OnInfo, lines: int) -> Result:
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
        level = self._level(limits)
        verdict = None
        if book_move := self._from_book(position, limits, moves):
            moves, limits = [book_move], replace(limits, depth=min(limits.depth or BOOK_DEPTH, BOOK_DEPTH))
        elif level is not None:
            limits = replace(limits, nodes=min(level.nodes, limits.nodes or level.nodes))
        else:
            verdict = self._ask_tables(position, limits)
        if verdict is not None:
            advised = verdict.keeping if self._analyses(limits) else verdict.progress
            good = [find_move(position, move.uci()) for move in advised]
            good = [move for move in moves if move in good]
            moves, verdict = (good, verdict) if good else (moves, None)  # other moves may be asked for

        def on_line(line: Line) -> None:
            nonlocal last
            if line.rank > lines:  # searched to choose from, not to be shown
                return
            elapsed, nodes = self._pool.elapsed, self._pool.nodes
            info = Info(
                depth=line.depth,
                seldepth=line.seldepth,
                score=_told(line.score, line.bound, verdict),
                wdl=_chances(line.score, verdict, int(position["fullmove"])),
                nodes=nodes,
                nps=nodes_per_second(nodes, elapsed),
                hashfull=self._table.hashfull(),
                tbhits=self._pool.table_hits + (verdict.probes if verdict is not None else 0),
                time=int(elapsed),
                pv=tuple(to_uci(move, chess960) for move in line.moves),
                multipv=line.rank,
            )
            on_info(info)
            if line.rank == 1:
                last = info

        def on_tick(depth: int, move: int, number: int) -> None:
            elapsed, nodes = self._pool.elapsed, self._pool.nodes
            speed = nodes_per_second(nodes, elapsed)
            on_info(Info(depth=depth, currmove=to_uci(move, chess960), currmovenumber=number))
            on_info(Info(depth=depth, nodes=nodes, nps=speed, hashfull=self._table.hashfull(), time=int(elapsed)))

        count = max(lines, level.lines if level else 1)
        # Where tables chose the root moves, the search is for the way to mate; that the game is won is known.
        endgames = self._endgames() if verdict is None and level is None and not book_move else None
        line = self._pool.search(position, limits, moves, self._table, on_line, on_tick, count, endgames)
        if level is not None and not book_move:
            best, line = line, self._misjudge(line, level)
            if line is not best:
                on_line(replace(line, rank=1))
        reply = line.moves[1] if len(line.moves) > 1 else 0
        ponder = to_uci(reply, chess960) if reply else ""
        return Result(to_uci(line.moves[0], chess960), ponder, last)

    def _level(self, limits: Limits) -> strength.Level | None:
        """How weak to play; None for full strength."""
        if self._analyses(limits):
            return None
        if self._values["UCI_LimitStrength"]:
            return strength.level_of_elo(self._values["UCI_Elo"])
        return strength.level_of_skill(self._values["Skill Level"])

    def _misjudge(self, best: Line, level: strength.Level) -> Line:
        """The line that a player of this level takes for the best."""
        lines = [line for line in self._pool.workers[0].lines if line.moves]
        if len(lines) < 2:
            return best
        return lines[strength.choose([line.score for line in lines], level.noise, self._chance)]

    def _analyses(self, limits: Limits) -> bool:
        """Whether the search is for people to look at and no move of a game is due."""
        return limits.analysis or limits.infinite or limits.mate is not None or self._values["UCI_AnalyseMode"]

    def _from_book(self, position: Any, limits: Limits, moves: list[int]) -> int:
        """A book move among ``moves``, or 0."""
        values = self._values
        if not values["OwnBook"] or self._analyses(limits) or int(position["fullmove"]) > values["Book Depth"]:
            return 0
        board = chess.Board(to_fen(position), chess960=bool(position["chess960"]))
        move = self._book.move(board, values["Best Book Move"])
        found = find_move(position, move.uci()) if move is not None else 0
        return found if found in moves else 0

    def _endgames(self) -> Access | None:
        """The endgame tables as the search may ask them."""
        limit, depth = self._values["SyzygyProbeLimit"], self._values["SyzygyProbeDepth"]
        return self._tables.access(limit, depth, self._values["Syzygy50MoveRule"])

    def _ask_tables(self, position: Any, limits: Limits) -> Verdict | None:
        """What the endgame tables say of the root, if they may be asked."""
        men = sum(int(own).bit_count() for own in position["colors"])
        depth = limits.depth if limits.depth is not None else MAX_PLY
        if (
            men > min(self._tables.largest, self._values["SyzygyProbeLimit"])
            or depth < self._values["SyzygyProbeDepth"]
        ):
            return None
        keys = [*position["history"]["key"][: int(position["ply"])].tolist(), int(position["key"])]
        board = chess.Board(to_fen(position))
        return self._tables.judge(board, keys, self._values["Syzygy50MoveRule"], self._pool.patience(PATIENCE))
