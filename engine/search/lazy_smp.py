"""Lazy SMP: the data that the threads of a search share besides the transposition table, and their vote on the move."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from engine.board.aliases import Position
from engine.search.scores import DECIDED
from engine.search.tablebase import TablebaseAccess
from engine.search.threads import Signal
from engine.search.transposition import TranspositionTable
from engine.search.worker import RootLine, Worker


@dataclass(frozen=True, slots=True)
class Task:
    """The arguments of :meth:`Worker.prepare` for every thread of a search, and the last depth."""

    position: Position
    moves: list[int]
    table: TranspositionTable
    node_limit: int
    tablebase: TablebaseAccess | None
    last: int

    def prepare(self, worker: Worker) -> None:
        """Make ``worker`` ready to search."""
        worker.prepare(self.position, self.moves, self.table, self.node_limit, self.tablebase)


class HelperLatch:
    """Counts the helpers that work on one search. Once closed, it admits no more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._closed = False
        #: Set when it is closed and the last helper has left.
        self.gone = Signal()

    def enter(self) -> bool:
        """Whether the helper is admitted; if so, it must call :meth:`leave` when done."""
        with self._lock:
            if not self._closed:
                self._inside += 1
            return not self._closed

    def leave(self) -> None:
        """A helper has left."""
        with self._lock:
            self._inside -= 1
            if self._closed and self._inside == 0:
                self.gone.set()

    def close(self) -> None:
        """Stop accepting helpers."""
        with self._lock:
            self._closed = True
            if self._inside == 0:
                self.gone.set()


def vote(lines: Sequence[RootLine]) -> RootLine:
    """The best of the lines that the threads ended with.

    Each thread votes for its move with its depth and score; a proved win or loss outranks all votes.
    """
    if not lines:
        return RootLine()
    if proved := [line for line in lines if abs(line.score) > DECIDED and not line.bound]:
        return max(proved, key=lambda line: line.score)
    lowest = min(line.score for line in lines)
    votes: dict[int, int] = {}
    for line in lines:
        votes[line.moves[0]] = votes.get(line.moves[0], 0) + (line.score - lowest + 10) * line.depth
    best = lines[0]
    for line in lines[1:]:
        is_win = best.score > DECIDED or line.score > DECIDED  # a bound only
        if not is_win and votes[line.moves[0]] > votes[best.moves[0]]:
            best = line
    return best
