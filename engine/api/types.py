"""Conversion between the engine's own records and python-chess's types: limits and moves in, scores and lines out.

The records of :mod:`engine.messages` follow the protocol, with text and milliseconds. A Python program wants
:class:`chess.Move`, :class:`chess.engine.PovScore` and seconds, as in python-chess."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from math import isfinite, nan
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias

import chess

from engine.api.calls import FORKED
from engine.messages import MAX_LIMIT, NUMBERS, Figures, Info, Limits, next_of, quoted
from engine.search.threads import ThreadTask

if TYPE_CHECKING:  # imports asyncio, which a game over UCI does not need
    from chess.engine import Limit, PovScore, PovWdl

    #: How long to search, in python-chess's record or the engine's.
    AnyLimit: TypeAlias = Limit | Limits

    #: The only moves to consider at the root; None for all.
    RootMoves: TypeAlias = Iterable[chess.Move] | None


@dataclass(frozen=True, slots=True)
class Analysis(Figures, Mapping[str, Any]):
    """One line of a search: the engine's move, the replies it expects, and their score.

    It is also a mapping of its fields, as in python-chess: ``info["score"]``, ``info.get("pv")``.

    ``score`` is a :class:`chess.engine.PovScore`, for any side: ``score.white()``, ``score.pov(chess.BLACK)``,
    ``score.relative``. So is ``wdl``, a PovWdl, the chances to win, draw and lose in thousandths; None if not computed.
    ``pv`` is the principal variation. ``bound`` is "lowerbound" or "upperbound" if the score is only that, else empty.
    ``time`` is in seconds. The other fields are those of :class:`engine.messages.Figures`."""

    score: PovScore
    pv: tuple[chess.Move, ...] = ()
    bound: str = ""
    time: float = 0.0
    wdl: PovWdl | None = None
    _board: chess.Board | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """The line for a reader: ``+0.31 d14 1. e4 e5 2. Nf3``, the score in pawns from White's view."""
        bound = {"lowerbound": " or better", "upperbound": " or worse"}.get(self.bound, "")
        moves = " ".join(map(str, self.pv)) if self._board is None else self._board.variation_san(self.pv)
        return f"{score_text(self.score)}{bound} d{self.depth} {moves}".rstrip()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))  # in notebooks

    @property
    def move(self) -> chess.Move | None:
        """The first move of the line; None if there is nothing to play."""
        return self.pv[0] if self.pv else None

    def __getitem__(self, name: str) -> Any:
        if name not in _SHOWN:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(_SHOWN)

    def __len__(self) -> int:
        return len(_SHOWN)


#: The fields of an :class:`Analysis` as a mapping.
_SHOWN = {each.name: each for each in fields(Analysis) if not each.name.startswith("_")}


def score_text(score: PovScore) -> str:
    """The score from White's view in pawns, or the moves to mate: ``+0.31``, ``-12.40``, ``#5``, ``#-2``.

    >>> from chess.engine import Cp, Mate, PovScore
    >>> score_text(PovScore(Cp(31), chess.WHITE)), score_text(PovScore(Mate(2), chess.BLACK))
    ('+0.31', '#-2')
    """
    white, black = score.white(), score.black()
    mate = white.mate()
    if mate is not None:
        return f"#{'-' if white < black else ''}{abs(mate)}"
    return f"{white.score(mate_score=0) / 100:+.2f}"


def check_board(board: object) -> None:
    """Raise TypeError, with a hint, unless ``board`` is a board of python-chess.

    >>> check_board("8/8/8/8/8/8/8/8 w - - 0 1")
    Traceback (most recent call last):
    TypeError: the position must be a chess.Board, not a str; for a FEN use chess.Board('8/8/8/8/8/8/8/8 w - - 0 1')
    """
    if isinstance(board, str):
        raise TypeError(f"the position must be a chess.Board, not a str; for a FEN use chess.Board({quoted(board)})")
    if not isinstance(board, chess.Board):
        raise TypeError(f"the position must be a chess.Board, not {quoted(board)}")


def check_moves(moves: Iterable[object]) -> None:
    """Raise TypeError, with a hint, unless ``moves`` are moves of python-chess.

    >>> check_moves(["e2e4"])
    Traceback (most recent call last):
    TypeError: a move must be a chess.Move, not 'e2e4'; use chess.Move.from_uci("e2e4") or board.parse_san("e4")
    """
    for move in moves:
        if not isinstance(move, chess.Move):
            hint = '; use chess.Move.from_uci("e2e4") or board.parse_san("e4")' if isinstance(move, str) else ""
            raise TypeError(f"a move must be a chess.Move, not {quoted(move)}{hint}")


def analysis_of(info: Info, board: chess.Board) -> Analysis:
    """A scored report about ``board`` in python-chess's types."""
    from chess.engine import Cp, Mate, PovScore, PovWdl, Wdl

    assert info.score is not None
    after = board.copy(stack=False)
    score = Cp(info.score.cp or 0) if info.score.mate is None else Mate(info.score.mate)
    return Analysis(
        score=PovScore(score, board.turn),
        pv=tuple(after.push_uci(text) for text in info.pv),
        bound=info.score.bound,
        time=info.time / 1000,
        wdl=PovWdl(Wdl(*info.wdl), board.turn) if info.wdl is not None else None,
        _board=board.copy(stack=False),
        **{figure.name: getattr(info, figure.name) for figure in fields(Figures)},
    )


#: The fields of python-chess's limit and their names in :class:`Limits`.
FIELDS = {
    "time": "movetime",
    "white_clock": "wtime",
    "black_clock": "btime",
    "white_inc": "winc",
    "black_inc": "binc",
    "remaining_moves": "movestogo",
    "depth": "depth",
    "nodes": "nodes",
    "mate": "mate",
}


def limits_of(limit: AnyLimit | None) -> Limits:
    """python-chess's limit (in seconds) as the engine's own (in milliseconds); None is a search without end.

    The engine's own :class:`Limits` pass unchanged. Raises ValueError, which names field and value, for an invalid
    number (see :data:`engine.messages.NUMBERS`), and TypeError for anything that is not a limit.

    >>> from chess.engine import Limit
    >>> limits_of(Limit(depth=0))
    Traceback (most recent call last):
    ValueError: the limit's depth takes a whole number of plies, 1 or more, not 0
    >>> limits_of(0.5)
    Traceback (most recent call last):
    TypeError: the limit must be a chess.engine.Limit, not 0.5; half a second is Limit(time=0.5)
    """
    if isinstance(limit, Limits):
        return limit
    if limit is None:
        return Limits(infinite=True)
    from chess.engine import Limit

    if not isinstance(limit, Limit):
        raise TypeError(
            f"the limit must be a chess.engine.Limit, not {quoted(limit)}; half a second is Limit(time=0.5)"
        )
    given = {name: getattr(limit, name) for name in FIELDS}
    numbers: dict[str, Any] = {FIELDS[name]: _number(name, value) for name, value in given.items() if value is not None}
    if numbers.keys() <= {"winc", "binc", "movestogo"}:
        raise ValueError("the limit has no bound: give a time, a depth or a number of nodes")
    return Limits(**numbers)


def limits_on(board: chess.Board, limit: AnyLimit | None, root_moves: RootMoves) -> Limits:
    """The engine's own limits. Raises ValueError for an illegal root move or none, TypeError for a wrong type."""
    check_board(board)
    moves = tuple(root_moves or ())
    if root_moves is not None and not moves:
        raise ValueError("root_moves is empty; None stands for all moves")
    check_moves(moves)
    for move in moves:
        if not board.is_legal(move):
            raise ValueError(f"the root move {move} is not legal here")
    limits = limits_of(limit)
    return replace(limits, searchmoves=tuple(move.uci() for move in moves)) if moves else limits


def _number(name: str, value: Any) -> int:
    """The engine's number for python-chess's limit ``name``; ValueError if it cannot be ``value``."""
    number = NUMBERS[FIELDS[name]]
    if number.unit != "milliseconds":
        if fault := number.fault(name, value):
            raise ValueError(f"the limit's {fault}")
        return int(value)
    exact = value * 1000 if isinstance(value, int | float) and not isinstance(value, bool) else nan
    whole = round(exact) if isinstance(exact, int) or isfinite(exact) else None
    if whole is None or number.nearest(whole) != whole:
        of_seconds = number._replace(unit="seconds", maximum=MAX_LIMIT // 1000)
        raise ValueError(f"the limit's {of_seconds.refusal(name, value, 'a number of')}")
    return whole


class Reports(SimpleQueue[Info | None]):
    """The reports of a search, and None at the end; its thread puts them."""


class Stream(Iterator[Analysis]):
    """The reports of a running search, one by one, as they come; it ends with the search.

    Leaving its context, :meth:`close` and dropping it end the search. :meth:`stop` asks for that from any thread and
    returns immediately; pending reports can still be read."""

    def __init__(self, board: chess.Board, reports: Reports, job: ThreadTask[Any], stop: Callable[[], None]) -> None:
        self._board, self._process = board.copy(stack=False), os.getpid()
        self._reports, self.job = reports, job  # the search holds only the queue, so that the stream can be dropped
        self.stop = partial(_stop, self._process, stop)  # asks the search to end
        weakref.finalize(self, self.stop).atexit = False

    def __next__(self) -> Analysis:
        if self._process != os.getpid():
            raise RuntimeError(FORKED)
        info = next_of(self._reports)
        if info is None:
            self._reports.put(None)  # for the next call, perhaps in another thread
            self.job.result()  # raises the error of the search
            raise StopIteration
        return analysis_of(info, self._board)

    def __repr__(self) -> str:
        return f"<Stream of {self._board.fen()}, {'ended' if self.job.finished else 'running'}>"

    def close(self) -> None:
        """End the search and discard unread reports."""
        if self._process != os.getpid():
            return
        self.stop()
        while next_of(self._reports) is not None:
            pass
        self._reports.put(None)
        self.job.wait()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _stop(process: int, stop: Callable[[], None]) -> None:
    """Call ``stop``, except in a fork of ``process``, where its locks may be held forever."""
    if process == os.getpid():
        stop()
