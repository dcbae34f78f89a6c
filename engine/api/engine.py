"""The engine as a Python object, with the types of python-chess.

:meth:`Engine.analyse`, :meth:`Engine.play` and :meth:`Engine.stream` take and give boards, moves and limits of
python-chess; :meth:`Engine.search` takes the limits of :mod:`engine.messages`. :mod:`engine.api.base` has the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, overload

import chess

from engine.api.base import EngineBase, checked
from engine.api.types import Analysis, Feed, Stream, analysis_of, check_board, check_moves, limits_of
from engine.messages import Info, Limits, OptionError, PositionError, Result, Stopped
from engine.play.thinker import OnInfo

if TYPE_CHECKING:
    from chess.engine import Limit

    from engine.explanation.effort import Effort

__all__ = ["Analysis", "Engine", "Info", "Limits", "OptionError", "PositionError", "Result", "Stopped", "Stream"]

#: Nodes of each search for an explanation without a limit.
EXPLAIN_NODES = 200_000


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


class Engine(EngineBase):
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

    _effort: Effort | None = None  # of the explanation that is being made

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

    def board(self) -> chess.Board:
        """The position as a python-chess board (without the moves that led to it)."""
        return chess.Board(self.fen(), chess960=bool(self._position["chess960"]))

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
        several threads take turns. Raises :class:`PositionError`, ValueError if ``limit`` cannot be or would let the
        search run for ever, or a root move is not legal, and RuntimeError in a callback of another search.
        """
        reports: dict[int, Info] = {}

        def keep(info: Info) -> None:
            if info.score is not None:
                reports[info.multipv] = info

        lines = checked("MultiPV", 1 if multipv is None else multipv)
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

        :meth:`Stream.stop`, :meth:`stop` from any thread, and the end of the ``with`` end the search; so do another
        search with this engine, and dropping the stream. Raises as :meth:`analyse`.
        """
        lines = None if multipv is None else checked("MultiPV", multipv)
        limits = replace(_limits(board, limit, root_moves), analysis=True)
        feed = Feed()
        stream = Stream(board, feed, partial(self._halt, limits))
        with self.turn():
            self.set_board(board)
            self._begin(limits, feed.put, feed.end, lines or self._values["MultiPV"])
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
        show is said (see :mod:`engine.explanation`). The engine's own position stays as it is. Calls from several
        threads take turns. Raises ValueError for a move that is not legal, :class:`Stopped` when another thread calls
        :meth:`stop` meanwhile, and as :meth:`analyse`.
        """
        from engine.api.explaining import what_for, why_bad
        from engine.explanation.effort import counted

        bound = Limits(nodes=EXPLAIN_NODES) if limit is None else limit
        check_board(board)
        check_moves([move] if move is not None else [])
        if move is not None and not board.is_legal(move):
            raise ValueError(f"the move {move} is not legal here")
        with self.turn(), counted() as effort:
            previous, self._effort = self._position, effort

            def look(position: chess.Board) -> Analysis:
                limits = _limits(position, bound, None)
                info = self.search(position, limits, lambda info: effort.check(), 1)
                effort.check()
                return analysis_of(info, position)

            try:
                if move is None:
                    return what_for(board, look, tables=self.table_outcome)
                return why_bad(board, move, look, self.table_outcome)
            finally:
                self._position, self._effort = previous, None

    def stop(self) -> None:
        """End the search, which then gives its result, or the explanation, which then has none; harmless when neither
        runs, and from any thread."""
        if effort := self._effort:
            effort.stop()
        super().stop()

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
        results: list[Result] = []
        errors: list[BaseException] = []

        def on_info_or_stop(info: Info) -> None:
            try:
                if on_info is not None and not errors:
                    on_info(info)
            except BaseException as error:
                errors.append(error)
                self._halt()

        with self.turn():
            self.set_board(board)
            self._search_now(limits, on_info_or_stop, results.append, lines or self._values["MultiPV"])
        if errors:
            raise errors[0]
        return results[0]
