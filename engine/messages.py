"""Limits, reports and results of a search, and errors: plain records without heavy imports.

Times are milliseconds, scores centipawns or moves to mate, depths plies."""

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from queue import Empty, SimpleQueue
from typing import NamedTuple, TypeVar

_Event = TypeVar("_Event")

#: Seconds between checks for Ctrl-C on Windows, where it does not end a wait.
_INTERRUPT_CHECK_SECONDS = 0.5


class PositionError(ValueError):
    """An illegal position or move, or an invalid FEN; the message names the fault."""


class OptionError(ValueError):
    """An unknown option, or an invalid value; the message names both."""


class Stopped(Exception):
    """The work was stopped before its end and has no result."""


class ThreadError(RuntimeError):
    """The system refuses another thread."""

    def __str__(self) -> str:
        return "the system refuses another thread"


#: A warning on castling rights that make a position one of Chess960.
CHESS960 = "read as Chess960: a king or rook with castling rights is not on its standard square"

_MAX_QUOTED_CHARACTERS = 100  # characters of an input that a message quotes


def quoted(value: object) -> str:
    """``value`` as Python writes it, shortened if it is long."""
    if isinstance(value, str):
        return repr(value if len(value) <= _MAX_QUOTED_CHARACTERS else f"{value[:_MAX_QUOTED_CHARACTERS]}...")
    if isinstance(value, int) and value.bit_length() > 128:  # Python does not convert all of them
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= _MAX_QUOTED_CHARACTERS else f"{text[:_MAX_QUOTED_CHARACTERS]}..."


def counted(number: int, noun: str, plural: str = "", form: str = "") -> str:
    """``1 move``, ``2 moves``: the number in ``form``, with its noun or ``plural``."""
    return f"{number:{form}} {noun if number == 1 else plural or noun + 's'}"


MAX_LIMIT = 2**63 - 1  # the maximum of every limit: 64 bits, signed


class Number(NamedTuple):
    """The unit and range of a limit."""

    unit: str
    minimum: int = -MAX_LIMIT
    maximum: int = MAX_LIMIT

    def nearest(self, number: int) -> int:
        return min(max(number, self.minimum), self.maximum)

    def fault(self, name: str, value: object) -> str:
        """Why the limit ``name`` cannot be ``value``; empty if it can."""
        return "" if type(value) is int and self.nearest(value) == value else self.refusal(name, value)

    def refusal(self, name: str, value: object, kind: str = "a whole number of") -> str:
        """A message that the limit ``name`` cannot be ``value``, with the valid range."""
        bound = "" if self.minimum == -MAX_LIMIT else f", {self.minimum} or more"
        if isinstance(value, int | float) and self.maximum < abs(value) < inf:
            bound = f", at most {self.maximum}" if value > 0 else f", at least {self.minimum}"
        return f"{name} takes {kind} {self.unit}{bound}, not {quoted(value)}"


#: The numeric limits.
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

PERFT = Number("plies", 0, 20)  # the depth of a perft: no machine finishes a greater one


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one search; without any it is infinite. Raises ValueError, which names the field and the value, for
    a number outside the range in :data:`NUMBERS`."""

    wtime: int | None = None
    """Milliseconds on White's clock, None for no clock. GUIs may send 0 or less; the engine then moves immediately."""

    btime: int | None = None  # milliseconds on Black's clock, likewise
    winc: int = 0  # White's increment per move in milliseconds
    binc: int = 0  # Black's increment per move in milliseconds
    movestogo: int | None = None  # moves to the next time control; 0 and None mean the rest of the game
    movetime: int | None = None  # maximum milliseconds for the search, None for no limit
    depth: int | None = None  # plies of the last iteration, None for no limit
    nodes: int | None = None  # maximum nodes, None for no limit
    mate: int | None = None  # stop at a mate in this many moves or fewer, None to search on
    infinite: bool = False  # search until stopped
    ponder: bool = False  # think on the opponent's time, without limit until ``ponderhit``
    analysis: bool = False  # analyse rather than play: no book, full strength, all moves that keep a tablebase result
    searchmoves: tuple[str, ...] = ()  # the only root moves to search, in UCI notation; empty for all

    def __post_init__(self) -> None:
        for name, number in NUMBERS.items():
            value = getattr(self, name)
            if value is None and name not in ("winc", "binc"):
                continue
            if fault := number.fault(name, value):
                raise ValueError(f"the limit {fault}")


class Signals:
    """``stop`` and ``ponderhit`` for one piece of work, from any thread or finalizer, even before the work begins."""

    def __init__(self) -> None:
        self.stopped = False
        self.hit = False
        #: Called after each change, by the thread that makes it; set by what runs the work.
        self.on_change: Callable[[], object] = lambda: None
        self._changes: SimpleQueue[None] = SimpleQueue()  # may be used in a finalizer, unlike an event

    def stop(self) -> None:
        self.stopped = True
        self.on_change()
        self._changes.put(None)

    def ponderhit(self) -> None:
        """The opponent played the expected move."""
        self.hit = True
        self.on_change()
        self._changes.put(None)

    def wait(self, limits: Limits) -> None:
        """Wait until a search with ``limits`` may answer: under ``infinite`` and ``ponder`` not before a signal."""
        while not self.stopped and (limits.infinite or (limits.ponder and not self.hit)):
            self._changes.get()


@dataclass(frozen=True, slots=True)
class Score:
    """A score from the view of the side to move: ``cp`` centipawns, or ``mate`` in moves (negative: being mated)."""

    cp: int | None = None
    mate: int | None = None
    bound: str = ""  # "", "lowerbound" or "upperbound"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of a report that :class:`Info` and :class:`engine.Analysis` share."""

    depth: int = 0  # plies of the iteration
    seldepth: int = 0  # plies of the longest line searched
    multipv: int = 1  # rank of the line, 1 for the best
    nodes: int = 0  # nodes visited so far, by all threads
    nps: int = 0  # nodes per second
    hashfull: int = 0  # thousandths of the transposition table in use
    tbhits: int = 0  # positions found in endgame tablebases


@dataclass(frozen=True, slots=True)
class Info(Figures):
    """One report of a running search."""

    score: Score | None = None  # the score of the line, None in reports without a line
    time: int = 0  # milliseconds since the search began
    pv: tuple[str, ...] = ()  # the principal variation in UCI notation
    currmove: str = ""  # the root move being searched, in UCI notation; empty if not reported
    currmovenumber: int = 0  # its number, from 1; 0 if not reported
    wdl: tuple[int, int, int] | None = None  # the chances to win, draw and lose, in thousandths; None if not reported
    final: bool = False  # the report covers the whole search; its :class:`Result` follows


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a search: ``bestmove`` in UCI notation (``0000`` if there is no legal move), the expected reply
    ``ponder`` (empty if unknown), and the last full :class:`Info`."""

    bestmove: str = "0000"
    ponder: str = ""
    info: Info | None = None


def nodes_per_second(nodes: int, milliseconds: float) -> int:
    """The speed, counting at least one millisecond."""
    return int(nodes * 1000 / max(1.0, milliseconds))


def next_of(events: SimpleQueue[_Event]) -> _Event:
    """Wait for the next event; Ctrl-C is noticed meanwhile, on Windows after a while."""
    while True:
        with suppress(Empty):
            return events.get(timeout=_INTERRUPT_CHECK_SECONDS if sys.platform == "win32" else None)
