"""What goes into a search and what comes out of it: plain records, free of heavy imports.

The protocol layer builds a :class:`Limits` and prints :class:`Info` and :class:`Result`; the engine below
it speaks no protocol. Times are milliseconds, scores centipawns or moves to mate, depths plies.
"""

from __future__ import annotations

from dataclasses import dataclass


class PositionError(ValueError):
    """A FEN, a position or a move that the rules do not allow; the message names what was wrong."""


class OptionError(ValueError):
    """An option that does not exist, or a value that it cannot take; the message names both."""


class Stopped(Exception):
    """Work was stopped before its end, and has no result."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds one search. ``None`` means unbounded; with nothing set the search is infinite.

    Clock times may be zero or negative (a GUI can send that); the engine then moves at once. With ``analysis`` the
    search is for people to look at, and no move of a game is due: it leaves books alone.
    """

    wtime: int | None = None
    btime: int | None = None
    winc: int = 0
    binc: int = 0
    movestogo: int | None = None
    movetime: int | None = None
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    analysis: bool = False
    searchmoves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A score from the view of the side to move: ``cp`` centipawns, or ``mate`` in moves (negative: being mated)."""

    cp: int | None = None
    mate: int | None = None
    bound: str = ""  # "", "lowerbound" or "upperbound"


@dataclass(frozen=True, slots=True)
class Info:
    """One report of a running search. ``pv`` holds moves in UCI notation; ``wdl`` are the chances to win, draw and
    lose in thousandths; ``text`` is a remark for people."""

    depth: int = 0
    seldepth: int = 0
    multipv: int = 1
    score: Score | None = None
    nodes: int = 0
    nps: int = 0
    hashfull: int = 0
    tbhits: int = 0
    time: int = 0
    pv: tuple[str, ...] = ()
    currmove: str = ""
    currmovenumber: int = 0
    text: str = ""
    wdl: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a search: ``bestmove`` in UCI notation (``0000`` if there is no legal move) and what is
    expected in reply (empty when unknown), with the last full :class:`Info`."""

    bestmove: str = "0000"
    ponder: str = ""
    info: Info | None = None


def nodes_per_second(nodes: int, milliseconds: float) -> int:
    """Speed, with times too short to measure taken as one millisecond."""
    return int(nodes * 1000 / max(1.0, milliseconds))
