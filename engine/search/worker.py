"""One thread's search: iterative deepening over the compiled kernels, one call for each window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.board.setup import copy_position
from engine.jit import new_record
from engine.search.alphabeta import search_root
from engine.search.scores import INFINITY, MATE_BOUND, MAX_PLY
from engine.search.state import WORKER
from engine.search.transposition import TranspositionTable
from engine.search.tunables import TUNABLES

#: More nodes than any search visits.
UNLIMITED = 1 << 62


@dataclass(slots=True)
class Line:
    """What an iteration found: score in centipawns, moves as the kernels encode them."""

    depth: int = 0
    seldepth: int = 0
    score: int = 0
    moves: list[int] = field(default_factory=list)


class Worker:
    """A WORKER record and the loop that deepens it."""

    def __init__(self, control_address: int, is_main: bool) -> None:
        self.record: Any = new_record(WORKER)
        self.record["control_address"] = control_address
        self.record["is_main"] = is_main

    @property
    def nodes(self) -> int:
        """Nodes visited in this search so far; readable from any thread."""
        return int(self.record["nodes"])

    def clear(self) -> None:
        """Forget all histories, as before a new game."""
        for name in ("history", "capture_history"):
            self.record[name].fill(0)

    def prepare(self, position: Any, moves: list[int], table: TranspositionTable, node_limit: int) -> None:
        """Set up a search of ``position`` over the root ``moves``."""
        record = self.record
        copy_position(record["position"], position)
        for name in table.record.dtype.names:
            record["table"][name] = table.record[name]
        record["node_limit"] = node_limit
        record["nodes"] = 0
        record["seldepth"] = 0
        record["aborted"] = 0
        record["root_count"] = len(moves)
        record["root"]["move"][: len(moves)] = moves
        record["root"]["nodes"][: len(moves)] = 0
        record["stack"]["killer"].fill(0)

    def deepen(self, first: int, last: int, on_bound: Callable[[Line, str], None] | None = None) -> Iterator[Line]:
        """Search deeper and deeper from depth ``first`` to ``last``; yield the line after each iteration.

        The last line may come from an iteration that was broken off, when that had found a better move. Ends
        early when the search is aborted.
        """
        line = Line()
        for depth in range(first, min(last, MAX_PLY - 1) + 1):
            found = self._iterate(depth, line, on_bound)
            if found is not None:
                line = found
                yield line
            if self.record["aborted"]:
                return

    def _iterate(self, depth: int, previous: Line, on_bound: Callable[[Line, str], None] | None) -> Line | None:
        """One iteration within aspiration windows: a narrow window around the last score cuts off more, and
        where the score falls outside, it is widened and the search repeated."""
        record = self.record
        record["seldepth"] = 0
        delta = int(TUNABLES["AspirationStart"])
        alpha, beta = -INFINITY, INFINITY
        if depth >= 5 and abs(previous.score) < MATE_BOUND:
            alpha, beta = previous.score - delta, previous.score + delta
        best = previous
        while True:
            score = int(search_root(record, alpha, beta, depth))
            moves = self._root_line()
            if record["aborted"]:
                if moves:
                    best = Line(depth, int(record["seldepth"]), int(record["root_score"]), moves)
                return best if best.moves[:1] != previous.moves[:1] else None
            line = Line(depth, int(record["seldepth"]), score, moves or previous.moves)
            if alpha < score < beta:
                return line
            if score <= alpha:
                bound = "upperbound"
                beta = (alpha + beta) // 2
                alpha = max(score - delta, -INFINITY)
            else:
                bound = "lowerbound"
                best = line
                beta = min(score + delta, INFINITY)
            if on_bound is not None and line.moves:
                on_bound(line, bound)
            delta += delta // 2

    def _root_line(self) -> list[int]:
        frame = self.record["stack"][0]
        return frame["pv"][: int(frame["pv_length"])].tolist()
