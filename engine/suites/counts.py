"""Perft files: reads published leaf counts and compares them with Numbat's."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import chess
from rich.progress import Progress

from engine import Engine
from engine.commandline import DONE, FAILED
from engine.messages import PERFT, counted, nodes_per_second, quoted
from engine.reading import ReadError, read_lines, read_position
from engine.reading.positions import raise_fault

_COUNT = re.compile(r"D(\d{1,2})[\s=]+(\d{1,18})\s*")


@dataclass(frozen=True, slots=True)
class Counts:
    """A position and its leaves by depth in plies; ``line`` is its line in the file."""

    line: int
    board: chess.Board
    leaves: dict[int, int] = field(default_factory=dict)


def read_counts(
    path: str | os.PathLike[str],
    report: Callable[[str], None] = print,
    on_fault: Callable[[ReadError], object] = raise_fault,
) -> list[Counts]:
    """Read lines ``FEN ;D1 20 ;D2 400``, Chess960 included, or lines ``epd FEN`` followed by lines ``perft 1 20``.
    Repairs are reported. ``on_fault`` gets a :class:`ReadError`, which names file and line, for each position that is
    not read, and by default raises it. Raises ReadError for a file that cannot be read."""
    found: list[Counts] = []

    def warn(number: int, text: str) -> None:
        report(f"{path}:{number}: {text}")

    number = 0
    faulty = False  # the last position is
    for number, text in read_lines(path, warn):
        line = text.strip()
        if not line or line.startswith(("#", "id ")) or (faulty and line.startswith("perft ")):
            continue
        try:
            if line.startswith("perft ") and found:
                _add_counts(found[-1], [f"D{line.removeprefix('perft ')}"])
            else:
                faulty = True
                found.append(_read(line, number, partial(warn, number)))
                faulty = False
        except ValueError as error:
            on_fault(ReadError(f"{path}:{number}: {error}"))
    for empty in [counts for counts in found if not counts.leaves]:
        on_fault(ReadError(f"{path}:{empty.line}: no counts such as 'D1 20' after the position"))
        found.remove(empty)
    if not number:
        raise ReadError(f"{path} has no positions")
    return found


def _read(line: str, number: int, report: Callable[[str], None]) -> Counts:
    fen, *texts = re.split(r"\s*;\s*|\s+(?=D\d)", line.removeprefix("epd ").strip())
    position = read_position(fen, chess960=True)  # the counts tell what the rights mean
    position.board.chess960 = position.board.has_chess960_castling_rights()
    if position.rest:
        raise ValueError(f"{quoted(position.rest)} is not a count such as 'D1 20'")
    for repair in position.repairs:
        report(repair)
    counts = Counts(number, position.board)
    _add_counts(counts, texts)
    return counts


def _add_counts(counts: Counts, texts: Sequence[str]) -> None:
    for text in filter(None, texts):
        count = _COUNT.fullmatch(text)
        if count is None:
            raise ValueError(f"{quoted(text)} is not a count such as 'D1 20'")
        if fault := PERFT.fault("D", int(count[1])):
            raise ValueError(fault)
        counts.leaves[int(count[1])] = int(count[2])


class CountCheck:
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
                found = counted(leaves, "leaf", "leaves")
                yield f"wrong  line {counts.line}  {name}: {found} at depth {depth}, not {expected}"
                yield from (f"  {move}: {share}" for move, share in shares.items())
                return
        self.right += 1
        yield f"ok     line {counts.line}  {name}"

    def summary(self) -> str:
        speed = nodes_per_second(self.leaves, 1000 * self._seconds)
        return f"{self.right} ok, {self.wrong} wrong; {counted(self.leaves, 'leaf', 'leaves')}, {speed} per second"


def compare(positions: Sequence[Counts], comparison: CountCheck, bar: Progress) -> int:
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
