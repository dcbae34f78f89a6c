"""One thread's search, as Python sees it: the record, and the lines that compiled deepening reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.board.setup import copy_position
from engine.evaluation.choice import Evaluation
from engine.jit import new_record
from engine.search.deepening import ALWAYS, FAILED_LOW, ITERATION, OVER, begin_search, deepen
from engine.search.scores import MAX_PLY
from engine.search.state import NEVER, WORKER
from engine.search.tablebase import TablebaseAccess, install
from engine.search.transposition import TABLE, TranspositionTable
from engine.search.tunables import Parameters

#: What a worker has learned and keeps from move to move.
HISTORIES = (
    "history",
    "capture_history",
    "continuation",
    "pawn_correction",
    "nonpawn_correction",
    "continuation_correction",
)


@dataclass(slots=True)
class Line:
    """What an iteration found: score in centipawns, moves as the kernels encode them.

    ``bound`` is ``lowerbound`` or ``upperbound`` if the score only bounds the value, else empty; ``rank`` numbers the
    lines of one search from 1.
    """

    depth: int = 0
    seldepth: int = 0
    score: int = 0
    moves: list[int] = field(default_factory=list)
    bound: str = ""
    rank: int = 1


def ranked(lines: list[Line], previous: list[Line]) -> list[Line]:
    """``lines``, then of the ``previous`` ones those with other first moves, as many as there were, renumbered."""
    known = {line.moves[0] for line in lines}
    rest = [line for line in previous if line.moves and line.moves[0] not in known]
    ranked = (lines + rest)[: len(previous)]
    for rank, line in enumerate(ranked, 1):
        line.rank = rank
    return ranked


class Worker:
    """A WORKER record, and how it is searched."""

    def __init__(self, control_address: int, evaluation: Evaluation, parameters: Parameters) -> None:
        self.record: Any = new_record(WORKER)
        self.record["control_address"] = control_address
        # Its parts: a record takes long to find a record inside it.
        self._position, self._tables = self.record["position"], (self.record["table"], self.record["tablebase"])
        self._root, self._progress = self.record["root"], self.record["deepening"]
        self.lines: list[Line] = []
        self.use(evaluation)
        self.set_parameters(parameters)

    def use(self, evaluation: Evaluation) -> None:
        """Evaluate by ``evaluation``."""
        self._evaluation = evaluation  # the record holds no more than its network's address
        evaluation.install(self.record["evaluator"])

    def set_parameters(self, parameters: Parameters) -> None:
        """Search by ``parameters``; changes of them count from the next search on."""
        self._parameters = parameters  # the record holds no more than their address
        self.record["params_address"] = parameters.address

    def touch(self) -> None:
        """Have memory for the whole record and the compiled code, so that no search waits for them. Forgets everything.

        If the thread that will search calls it, the memory is near its processor.
        """
        self.clear()
        self.record["stack"].view(np.uint8).fill(0)
        self.deepen_quietly(1, 0)

    @property
    def nodes(self) -> int:
        """Nodes visited in this search so far; readable from any thread."""
        return int(self.record["nodes"])

    def share_of(self, move: int) -> float:
        """The share of this search's nodes that went into the root ``move``."""
        root = self._root[: int(self.record["root_count"])]
        return float(root["nodes"][root["move"] == move].sum()) / max(self.nodes, 1)

    def clear(self) -> None:
        """Forget all histories, as before a new game."""
        for name in HISTORIES:
            self.record[name].fill(0)

    @property
    def table_hits(self) -> int:
        """Answers of the endgame tables in this search so far; readable from any thread."""
        return int(self._tables[1]["hits"])

    def prepare(
        self,
        position: Any,
        moves: list[int],
        table: TranspositionTable,
        node_limit: int,
        tablebase: TablebaseAccess | None = None,
    ) -> None:
        """Set up a search of ``position`` over the root ``moves``, which may probe ``tablebase``."""
        record = self.record
        copy_position(self._position, position)
        self._table = table  # the record holds no more than its address
        self.lines = []
        for name in TABLE.names or ():
            self._tables[0][name] = table.record[name]
        install(self._tables[1], tablebase)
        record["root_count"] = len(moves)
        self._root["move"][: len(moves)] = moves
        begin_search(record, node_limit)

    def deepen(
        self,
        first: int,
        last: int,
        count: int = 1,
        on_bound: Callable[[Line], None] | None = None,
        quiet_until: int = NEVER,
    ) -> Iterator[list[Line]]:
        """Search deeper and deeper from depth ``first`` to ``last``; yield the lines after each iteration.

        There are ``count`` of them (or one for each root move), with different first moves, best first. The
        last ones may come from an aborted iteration that had found a better move. ``on_bound`` gets what is known when
        a window fails. Until the clock shows ``quiet_until`` ticks nothing is reported, unless the search ends.
        """
        record, progress = self.record, self._progress
        progress["depth"], progress["last"] = first, min(last, MAX_PLY - 1)
        progress["wanted"] = min(count, int(record["root_count"]))
        while (event := deepen(record, quiet_until)) != OVER:
            if event == ITERATION:
                self.lines = [
                    self._read(line, rank) for rank, line in enumerate(progress["lines"][: progress["wanted"]], 1)
                ]
                yield self.lines
            elif on_bound is not None and (line := self._bound(event == FAILED_LOW)).moves:
                on_bound(line)

    def deepen_quietly(self, first: int, last: int) -> None:
        """Search as :meth:`deepen` does, in one compiled call; :attr:`lines` has the result."""
        for _ in self.deepen(first, last, quiet_until=ALWAYS):
            pass

    @property
    def stable(self) -> int:
        """Iterations for which the best move has stayed the same."""
        return int(self._progress["stable"])

    @property
    def drop(self) -> int:
        """Centipawns that the best line lost in the last iteration."""
        return int(self._progress["drop"])

    def _bound(self, is_upper: bool) -> Line:
        """The line of a window that failed. One without an answer yet goes on as the previous iteration's."""
        progress = self._progress
        previous = self.lines[0] if self.lines else Line()
        depth, score = int(progress["depth"]), int(progress["score"])
        if is_upper:
            return replace(
                previous, depth=depth, seldepth=int(self.record["seldepth"]), score=score, bound="upperbound"
            )
        line = self._read(progress["line"])
        if previous.moves[: len(line.moves)] == line.moves:
            line.moves = previous.moves
        return line

    @staticmethod
    def _read(line: Any, rank: int = 1) -> Line:
        """The LINE record ``line`` for Python."""
        moves = line["pv"][: int(line["pv_length"])].tolist()
        bound = "lowerbound" if line["bound"] else ""
        return Line(int(line["depth"]), int(line["seldepth"]), int(line["score"]), moves, bound, rank)
