"""Perft files: reads published leaf counts and compares them with Numbat's."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import chess
from rich.progress import Progress

from engine import Engine
from engine.api.boards import check_supported
from engine.commandline import DONE, FAILED
from engine.messages import PERFT, nodes_per_second, quoted
from engine.reading import ReadError, read_lines, read_position

_COUNT = re.compile(r"D(\d{1,2})[\s=]+(\d{1,18})\s*")


@dataclass(frozen=True, slots=True)
class Counts:
    """A position and its leaves by depth in plies; ``line`` is its line in the file."""

    line: int
    board: chess.Board
    leaves: dict[int, int] = field(default_factory=dict)


def read_counts(path: str | os.PathLike[str], report: Callable[[str], None] = print) -> list[Counts]:
    """Read lines ``FEN ;D1 20 ;D2 400``, Chess960 included, or lines ``epd FEN`` followed by lines ``perft 1 20``.

    Repairs are reported. Raises :class:`ReadError`, which names file and line."""
    found: list[Counts] = []

    def remark(number: int, text: str) -> None:
        report(f"{path}:{number}: {text}")

    for number, line in read_lines(path, remark):
        try:
            _read(line.strip(), number, found, partial(remark, number))
        except ValueError as error:
            raise ReadError(f"{path}:{number}: {error}") from None
    empty = next((counts for counts in found if not counts.leaves), None)
    if empty:
        raise ReadError(f"{path}:{empty.line}: no counts such as 'D1 20' after the position")
    if not found:
        raise ReadError(f"{path} has no positions")
    return found


def _read(line: str, number: int, found: list[Counts], report: Callable[[str], None]) -> None:
    if not line or line.startswith(("#", "id ")):
        return
    if line.startswith("perft ") and found:
        texts = [f"D{line.removeprefix('perft ')}"]
    else:
        fen, *texts = re.split(r"\s*;\s*|\s+(?=D\d)", line.removeprefix("epd ").strip())
        position = read_position(fen, unreachable=True)
        check_supported(position.board)
        if position.rest:
            raise ValueError(f"{quoted(position.rest)} is not a count such as 'D1 20'")
        for repair in position.repairs:
            report(repair)
        found.append(Counts(number, position.board))
    for text in filter(None, texts):
        count = _COUNT.fullmatch(text)
        if count is None:
            raise ValueError(f"{quoted(text)} is not a count such as 'D1 20'")
        if fault := PERFT.fault("D", int(count[1])):
            raise ValueError(fault)
        found[-1].leaves[int(count[1])] = int(count[2])


class Comparison:
    """Compares positions with their counts; ``right`` and ``wrong`` count positions, ``leaves`` all leaves."""

    def __init__(self, engine: Engine, depth: int | None = None, threads: int = 1) -> None:
        self._engine, self._depth, self._threads = engine, depth, threads
        self.right = self.wrong = self.leaves = 0
        self._seconds = 0.0

    def lines(self, counts: Counts) -> Iterator[str]:
        """Count up to the maximum depth; yields a line for the position, and the divide of the first wrong depth."""
        name = counts.board.fen(en_passant="fen")
        least = min(counts.leaves)
        if self._depth is not None and least > self._depth:
            yield f"-      line {counts.line}  {name}: not compared, as its counts begin at depth {least}"
            return
        for depth, expected in sorted(counts.leaves.items()):
            if self._depth is not None and depth > self._depth:
                break
            shares: dict[str, int] = {}
            begun = perf_counter()
            self._engine.set_board(counts.board)
            leaves = self._engine.perft(depth, self._threads, shares.__setitem__)
            self._seconds += perf_counter() - begun
            self.leaves += leaves
            if leaves != expected:
                self.wrong += 1
                yield f"wrong  line {counts.line}  {name}: {leaves} leaves at depth {depth}, not {expected}"
                yield from (f"  {move}: {share}" for move, share in shares.items())
                return
        self.right += 1
        yield f"ok     line {counts.line}  {name}"

    def summary(self) -> str:
        """Positions, leaves and speed."""
        speed = nodes_per_second(self.leaves, 1000 * self._seconds)
        return f"{self.right} ok, {self.wrong} wrong; {self.leaves} leaves, {speed} per second"


def compare(positions: Sequence[Counts], comparison: Comparison, bar: Progress) -> int:
    """Print a line for each position and, also if interrupted, the summary; returns the exit code."""
    task = bar.add_task("", total=len(positions))
    try:
        for counts in positions:
            for line in comparison.lines(counts):
                bar.console.print(line, soft_wrap=True)
            bar.advance(task)
    finally:
        bar.console.print(comparison.summary(), soft_wrap=True)
    return FAILED if comparison.wrong else DONE
