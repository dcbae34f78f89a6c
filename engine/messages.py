"""What goes into a search and what comes out of it: plain records, free of heavy imports.

The protocol layer builds a :class:`Limits` and prints :class:`Info` and :class:`Result`; the engine below
it speaks no protocol. Times are milliseconds, scores centipawns or moves to mate, depths plies.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple


class PositionError(ValueError):
    """A FEN, a position or a move that the rules do not allow; the message names what was wrong."""


class OptionError(ValueError):
    """An option that does not exist, or a value that it cannot take; the message names both."""


class Stopped(Exception):
    """Work was stopped before its end, and has no result."""


#: The greatest number among the limits: that of 64 bits.
MOST = 2**63 - 1


class Number(NamedTuple):
    """What a number among the limits may be: its ``unit``, and the ``least`` and the ``most`` of it."""

    unit: str
    least: int = -MOST
    most: int = MOST

    def nearest(self, number: int) -> int:
        """``number``, or the least or the most if it is beyond that."""
        return min(max(number, self.least), self.most)

    def fault(self, name: str, value: object) -> str:
        """Why the limit ``name`` cannot be ``value``, or nothing if it can."""
        return "" if type(value) is int and self.nearest(value) == value else self.refusal(name, value)

    def refusal(self, name: str, value: object, kind: str = "a whole number of") -> str:
        """That the limit ``name`` cannot be ``value``, and what it can be."""
        bound = "" if self.least == -MOST else f", {self.least} or more"
        if isinstance(value, int | float) and self.most < abs(value) < inf:
            bound = f", at most {self.most}" if value > 0 else f", at least {self.least}"
        is_endless = isinstance(value, int) and value.bit_length() > 128
        return f"{name} takes {kind} {self.unit}{bound}, not {'a longer one' if is_endless else repr(value)}"


#: The limits that are numbers.
NUMBERS = {
    "wtime": Number("milliseconds"),
    "btime": Number("milliseconds"),
    "winc": Number("milliseconds", 0),
    "binc": Number("milliseconds", 0),
    "movestogo": Number("moves", 0),
    "movetime": Number("milliseconds", 0),
    "depth": Number("plies", 1),
    "nodes": Number("nodes", 1),
    "mate": Number("moves", 1),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one search; with nothing set it is infinite.

    Raises ValueError, which names the field and the value, for a number that is none of :data:`NUMBERS`.
    """

    wtime: int | None = None
    """Milliseconds on White's clock, None for no clock. A GUI can send 0 or less; the engine then moves at once."""

    btime: int | None = None
    """Milliseconds on Black's clock, likewise."""

    winc: int = 0
    """Milliseconds that White gains with each move."""

    binc: int = 0
    """Milliseconds that Black gains with each move."""

    movestogo: int | None = None
    """Moves to the next time control; 0 and None are the rest of the game."""

    movetime: int | None = None
    """Milliseconds that the search may take, None for no limit."""

    depth: int | None = None
    """Plies of the last iteration, None for no limit."""

    nodes: int | None = None
    """Nodes that the search may visit, None for no limit."""

    mate: int | None = None
    """End with a mate in this many moves, None to search on."""

    infinite: bool = False
    """Search until stopped."""

    ponder: bool = False
    """Think on the opponent's time, without end until ``ponderhit``."""

    analysis: bool = False
    """The search is for people to look at, and no move of a game is due: leave books alone."""

    searchmoves: tuple[str, ...] = ()
    """The only root moves to search, in UCI notation; empty for all."""

    def __post_init__(self) -> None:
        for name, number in NUMBERS.items():
            value = getattr(self, name)
            if value is None and name not in ("winc", "binc"):
                continue
            if fault := number.fault(name, value):
                raise ValueError(f"the limit {fault}")


@dataclass(frozen=True, slots=True)
class Score:
    """A score from the view of the side to move: ``cp`` centipawns, or ``mate`` in moves (negative: being mated)."""

    cp: int | None = None
    mate: int | None = None
    bound: str = ""  # "", "lowerbound" or "upperbound"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of a report, for :class:`Info` and :class:`engine.Analysis` alike."""

    depth: int = 0
    """Plies of the iteration."""

    seldepth: int = 0
    """Plies of the longest line that was searched."""

    multipv: int = 1
    """Rank of the line, 1 for the best."""

    nodes: int = 0
    """Nodes visited so far, by all threads."""

    nps: int = 0
    """Nodes per second."""

    hashfull: int = 0
    """Thousandths of the transposition table in use."""

    tbhits: int = 0
    """Positions found in endgame tables."""


@dataclass(frozen=True, slots=True)
class Info(Figures):
    """One report of a running search."""

    score: Score | None = None
    """The value of the line, None in reports without a line."""

    time: int = 0
    """Milliseconds since the search began."""

    pv: tuple[str, ...] = ()
    """The principal variation, moves in UCI notation."""

    currmove: str = ""
    """The root move under search in UCI notation, empty if not reported."""

    currmovenumber: int = 0
    """Its number, from 1 on; 0 if not reported."""

    text: str = ""
    """A remark for people."""

    wdl: tuple[int, int, int] | None = None
    """The chances to win, draw and lose in thousandths, None if not reported."""

    final: bool = False
    """The report is about the whole search, and its :class:`Result` follows at once."""


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
