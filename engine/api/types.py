"""Between the engine's own records and python-chess's types: limits and moves in, scores and lines out.

The records of :mod:`engine.messages` hold what the protocol says, in text and milliseconds. A Python program
wants :class:`chess.Move`, :class:`chess.engine.PovScore` and seconds, as python-chess has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING

import chess

from engine.messages import Info, Limits, Score

if TYPE_CHECKING:  # it brings asyncio with it, which a game over UCI has no use for
    from chess.engine import Limit, PovScore, PovWdl


@dataclass(frozen=True, slots=True)
class Analysis:
    """One line of a search: what the engine would play, what it expects in reply, and what that is worth.

    ``score`` knows whose view it is: ``score.white()``, ``score.pov(chess.BLACK)``, ``score.relative``. So does
    ``wdl``, the chances to win, draw and lose in thousandths; None if nobody has worked them out.
    ``pv`` is the principal variation, ``multipv`` its rank (1: the best). ``bound`` is "lowerbound" or
    "upperbound" if the score is only that, else empty. ``depth`` and ``seldepth`` are plies, ``time``
    seconds, ``hashfull`` thousandths of the transposition table.
    """

    score: PovScore
    pv: tuple[chess.Move, ...] = ()
    multipv: int = 1
    bound: str = ""
    depth: int = 0
    seldepth: int = 0
    nodes: int = 0
    nps: int = 0
    hashfull: int = 0
    tbhits: int = 0
    time: float = 0.0
    wdl: PovWdl | None = None

    @property
    def move(self) -> chess.Move | None:
        """The first move of the line; None if there is nothing to play."""
        return self.pv[0] if self.pv else None


def check_board(board: object) -> None:
    """Raise TypeError, which says what to pass, unless ``board`` is a board of python-chess.

    >>> check_board("8/8/8/8/8/8/8/8 w - - 0 1")
    Traceback (most recent call last):
    TypeError: the position must be a chess.Board, not a str; for a FEN use chess.Board("8/8/8/8/8/8/8/8 w - - 0 1")
    """
    if isinstance(board, str):
        raise TypeError(f'the position must be a chess.Board, not a str; for a FEN use chess.Board("{board}")')
    if not isinstance(board, chess.Board):
        raise TypeError(f"the position must be a chess.Board, not {board!r}")


def check_moves(moves: Iterable[object]) -> None:
    """Raise TypeError, which says what to pass, unless ``moves`` are moves of python-chess.

    >>> check_moves(["e2e4"])
    Traceback (most recent call last):
    TypeError: a move must be a chess.Move, not 'e2e4'; use chess.Move.from_uci("e2e4") or board.parse_san("e4")
    """
    for move in moves:
        if not isinstance(move, chess.Move):
            hint = '; use chess.Move.from_uci("e2e4") or board.parse_san("e4")' if isinstance(move, str) else ""
            raise TypeError(f"a move must be a chess.Move, not {move!r}{hint}")


def analysis_of(info: Info, board: chess.Board) -> Analysis:
    """A scored report about ``board`` in python-chess's types."""
    from chess.engine import PovWdl, Wdl

    assert info.score is not None
    return Analysis(
        score=pov_score(info.score, board.turn),
        pv=moves_of(info.pv, board),
        multipv=info.multipv,
        bound=info.score.bound,
        depth=info.depth,
        seldepth=info.seldepth,
        nodes=info.nodes,
        nps=info.nps,
        hashfull=info.hashfull,
        tbhits=info.tbhits,
        time=info.time / 1000,
        wdl=PovWdl(Wdl(*info.wdl), board.turn) if info.wdl is not None else None,
    )


def pov_score(score: Score, turn: chess.Color) -> PovScore:
    """``score``, given from the view of ``turn``, as python-chess has it."""
    from chess.engine import Cp, Mate, PovScore

    return PovScore(Cp(score.cp or 0) if score.mate is None else Mate(score.mate), turn)


def moves_of(texts: Iterable[str], board: chess.Board) -> tuple[chess.Move, ...]:
    """The moves that ``texts`` spell in UCI notation, played from ``board``."""
    board = board.copy(stack=False)
    return tuple(board.push_uci(text) for text in texts)


def limits_of(limit: Limit | Limits | None, root_moves: Iterable[chess.Move] | None = None) -> Limits:
    """python-chess's limit (in seconds) as the engine's own (in milliseconds); None is a search without end.

    An engine's own :class:`Limits` passes as it is. ``root_moves`` are the only moves to be looked at. Raises
    ValueError if a number of plies, nodes or moves is not whole, and TypeError for what is no limit at all.

    >>> limits_of(0.5)
    Traceback (most recent call last):
    TypeError: the limit must be a chess.engine.Limit, not 0.5; half a second is Limit(time=0.5)
    """
    moves = tuple(move.uci() for move in root_moves or ())
    if limit is not None and not isinstance(limit, Limits):
        from chess.engine import Limit

        if not isinstance(limit, Limit):
            raise TypeError(f"the limit must be a chess.engine.Limit, not {limit!r}; half a second is Limit(time=0.5)")
    if limit is not None:
        for name in ("depth", "nodes", "mate"):
            number = getattr(limit, name)
            if number is not None and not isinstance(number, int):
                raise ValueError(f"the limit's {name} is not a whole number: {number!r}")
    if isinstance(limit, Limits):
        from dataclasses import replace

        return replace(limit, searchmoves=moves) if moves else limit
    if limit is None:
        return Limits(infinite=True, searchmoves=moves)
    return Limits(
        wtime=_milliseconds(limit.white_clock),
        btime=_milliseconds(limit.black_clock),
        winc=_milliseconds(limit.white_inc) or 0,
        binc=_milliseconds(limit.black_inc) or 0,
        movestogo=limit.remaining_moves,
        movetime=_milliseconds(limit.time),
        depth=limit.depth,
        nodes=limit.nodes,
        mate=limit.mate,
        searchmoves=moves,
    )


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


class Stream(Iterator[Analysis]):
    """The reports of a running search, one by one, as they come; it ends with the search.

    As a context manager, and with :meth:`close`, it ends the search that feeds it. :meth:`stop` asks for that
    from any thread and returns at once; the reports that are there are still given.
    """

    def __init__(self, board: chess.Board, stop: Callable[[], None]) -> None:
        self._board = board.copy(stack=False)
        self._stop = stop
        self._reports: SimpleQueue[Info | None] = SimpleQueue()
        self._ended = False  # the search has, though not all its reports need have been read
        self._over = False

    def put(self, info: Info | None) -> None:
        """Take a report of the search, or None when it has ended; for the engine."""
        self._ended = self._ended or info is None
        if info is None or info.score is not None:
            self._reports.put(info)

    def __next__(self) -> Analysis:
        info = None if self._over else self._reports.get()
        if info is None:
            self._over = True
            raise StopIteration
        return analysis_of(info, self._board)

    def __repr__(self) -> str:
        return f"<Stream of {self._board.fen()}, {'ended' if self._ended else 'running'}>"

    def stop(self) -> None:
        """Ask the search to end."""
        if not self._ended:  # else it would end another search
            self._stop()

    def close(self) -> None:
        """End the search and drop what was not read."""
        self.stop()
        for _ in self:
            pass

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
