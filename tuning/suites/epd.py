"""Test suites in EPD: what each position asks for, read from ``bm am dm c0 c8 c9 id``.

Suites use the opcodes loosely (``bm #3`` for a mate, points in comments, whole puzzle lines in ``c0``), so
the operations are split here and only the moves are left to python-chess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import chess

from tuning.common.errors import SetupError
from tuning.common.files import quoted, text_of

_OPERATION = re.compile(r'\s*(\w+)((?:\s*"[^"]*"|[^;"])*);?')
_POINTS = re.compile(r"([^\s,=]+(?:=[QRBN])?[+#]?)=(\d+)")


@dataclass(frozen=True, slots=True)
class Task:
    """One position and what counts as solving it. Moves are UCI text.

    ``best``: one of these; ``avoid``: none of these; ``mate``: a mate in so many moves announced (negative:
    being mated); ``points``: what each move is worth (the highest solves it); ``line``: the whole solution,
    every other move ours.
    """

    name: str
    fen: str
    best: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    mate: int | None = None
    points: tuple[tuple[str, int], ...] = ()
    line: tuple[str, ...] = ()

    @property
    def top(self) -> int:
        """The most points that this position gives."""
        return max((points for _, points in self.points), default=0)


def load_suite(path: Path) -> list[Task]:
    """Read a suite. Raises :class:`SetupError` that names file and line for a task that makes no sense."""
    text = text_of(path, "suite")
    tasks = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            try:
                tasks.append(parse_task(line, f"{path.stem}.{number}"))
            except ValueError as error:
                raise SetupError(f"{path}:{number}: {error}") from None
    if not tasks:
        raise SetupError(f"suite {path}: no positions in it")
    return tasks


def parse_task(line: str, name: str) -> Task:
    """Read one EPD line; ``name`` serves if it has no ``id``. Raises ``ValueError`` that says what is wrong."""
    fields = line.split(None, 4)
    if len(fields) < 4:
        raise ValueError(f"{quoted(line)} is not a position")
    board = chess.Board()
    try:
        board.set_epd(" ".join(fields[:4]))
    except ValueError as error:
        raise ValueError(f"{' '.join(fields[:4])!r} is not a position ({error})") from None
    if board.status() != chess.STATUS_VALID:
        raise ValueError(f"{board.fen()!r} is not a legal position ({board.status()!r})")
    rest = re.sub(r"^\d+\s+\d+\s+", "", fields[4]) if len(fields) == 5 else ""
    operations = {match[1]: match[2].strip().strip('"').strip() for match in _OPERATION.finditer(rest)}
    best, mate = operations.get("bm", ""), operations.get("dm")
    if best.startswith("#"):
        best, mate = "", best[1:]
    task = Task(
        name=operations.get("id", name),
        fen=board.fen(),
        best=tuple(_move(board, san) for san in best.split()),
        avoid=tuple(_move(board, san) for san in operations.get("am", "").split()),
        mate=_number(mate, "dm") if mate else None,
        points=_points(board, operations),
        line=_line(board, operations.get("c0", "")),
    )
    if not (task.best or task.avoid or task.mate is not None or task.points or task.line):
        raise ValueError(f"{line.strip()!r} has nothing to solve (no bm, am, dm, points or line)")
    return task


def _move(board: chess.Board, text: str) -> str:
    text = text.rstrip("!?,")
    try:
        return board.parse_san(text).uci()
    except ValueError:
        pass
    try:
        return board.parse_uci(text).uci()
    except ValueError:
        raise ValueError(f"{text!r} is not a legal move in {board.fen()!r}") from None


def _number(text: str, operation: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{operation}: {text!r} is not a whole number") from None


def _points(board: chess.Board, operations: dict[str, str]) -> tuple[tuple[str, int], ...]:
    """Points as the Strategic Test Suite gives them: ``c8`` beside ``c9``, or ``c0 "f5=10, Bf2=3"``."""
    if "c8" in operations and "c9" in operations:
        moves, points = operations["c9"].split(), operations["c8"].split()
        if len(moves) != len(points):
            raise ValueError(f"c9 names {len(moves)} moves but c8 gives points for {len(points)}")
        return tuple((_move(board, move), _number(value, "c8")) for move, value in zip(moves, points, strict=True))
    try:
        return tuple((_move(board, match[1]), int(match[2])) for match in _POINTS.finditer(operations.get("c0", "")))
    except ValueError:
        return ()  # A comment that only looks like points.


def _line(board: chess.Board, text: str) -> tuple[str, ...]:
    """The puzzle line in ``c0``, if it is one: nothing but legal moves in UCI."""
    walk = board.copy(stack=False)
    moves = text.split()
    for move in moves:
        try:
            walk.push_uci(move)
        except ValueError:
            return ()
    return tuple(moves)
