"""Reads the puzzles of EPD test suites from ``bm am dm c0 c8 c9 id``.

Suites use the opcodes loosely (``bm #3`` for a mate, points in comments, whole puzzle lines in ``c0``), so the
operations and moves are read by :mod:`engine.reading`, not by python-chess's EPD parser."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import chess

from engine.messages import counted, quoted
from engine.reading import ReadError, read_move, read_positions
from engine.reading.positions import ReadPosition, operations_of, raise_fault

_POINTS = re.compile(r"(?<![^\s,=])([^\s,=]+(?:=[QRBN])?[+#]?)=(\d+)")


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position and its solution; moves are UCI text."""

    name: str
    fen: str
    best: tuple[str, ...] = ()  # play one of these
    avoid: tuple[str, ...] = ()  # play none of these
    mate: int | None = None  # announce mate in at most this many moves; negative: being mated
    points: tuple[tuple[str, int], ...] = ()  # the value of each move; the highest solves it
    line: tuple[str, ...] = ()  # the whole solution; the solver plays every other move

    @property
    def top(self) -> int:
        """The maximum points of this position."""
        return max((points for _, points in self.points), default=0)


def load_suite(
    path: str | os.PathLike[str],
    report: Callable[[str], None] = print,
    on_fault: Callable[[ReadError], object] = raise_fault,
) -> list[Puzzle]:
    """Read a suite; repairs are reported. ``on_fault`` gets a :class:`ReadError`, which names file and line, for each
    invalid puzzle, and by default raises it. Raises ReadError for a file that cannot be read."""
    puzzles = []
    for number, found in read_positions(path, report, on_fault):
        try:
            puzzles.append(puzzle_of(found, f"{Path(path).stem}.{number}"))
        except ValueError as error:
            on_fault(ReadError(f"{path}:{number}: {error}"))
    return puzzles


def puzzle_of(found: ReadPosition, name: str) -> Puzzle:
    """The puzzle in a line of EPD, called ``name`` if it has no ``id``. Raises ValueError."""
    board, operations = found.board, operations_of(found.rest)
    if board.chess960:
        raise ValueError(f"'{board.fen()}' is a position of Chess960, which suites do not support")
    if not any(board.legal_moves):
        raise ValueError(f"'{board.fen()}' has no legal move")
    best, mate = operations.get("bm", ""), operations.get("dm")
    if best.startswith("#"):
        best, mate = "", best[1:]
    puzzle = Puzzle(
        name=operations.get("id", name),
        fen=board.fen(),
        best=tuple(_move(board, san) for san in best.split()),
        avoid=tuple(_move(board, san) for san in operations.get("am", "").split()),
        mate=_number(mate, "dm") if mate else None,
        points=_points(board, operations),
        line=_line(board, operations.get("c0", "")),
    )
    if not (puzzle.best or puzzle.avoid or puzzle.mate is not None or puzzle.points or puzzle.line):
        raise ValueError(f"{quoted(found.rest.strip())} has nothing to solve (no bm, am, dm, points or line)")
    return puzzle


def _move(board: chess.Board, text: str) -> str:
    return read_move(board, text.rstrip("!?,")).uci()


def _number(text: str, operation: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{operation}: {quoted(text)} is not a whole number") from None


def _points(board: chess.Board, operations: dict[str, str]) -> tuple[tuple[str, int], ...]:
    """Points as in the Strategic Test Suite: ``c8`` with ``c9``, or ``c0 "f5=10, Bf2=3"``."""
    if "c8" in operations and "c9" in operations:
        moves, points = operations["c9"].split(), operations["c8"].split()
        if len(moves) != len(points):
            raise ValueError(f"c9 names {counted(len(moves), 'move')} but c8 gives points for {len(points)}")
        return tuple((_move(board, move), _number(value, "c8")) for move, value in zip(moves, points, strict=True))
    try:
        return tuple((_move(board, match[1]), int(match[2])) for match in _POINTS.finditer(operations.get("c0", "")))
    except ValueError:
        return ()  # A comment that only looks like points.


def _line(board: chess.Board, text: str) -> tuple[str, ...]:
    """The puzzle line in ``c0``, if it consists of legal moves in UCI notation; else empty."""
    walk = board.copy(stack=False)
    moves = text.lower().split()
    for move in moves:
        try:
            walk.push_uci(move)
        except ValueError:
            return ()
    return tuple(moves)
