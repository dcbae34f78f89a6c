"""One thread's search, seen from Python: the record, and the lines that compiled deepening reports."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.board.aliases import Position
from engine.board.setup import copy_position
from engine.evaluation.choice import Evaluation
from engine.jit import new_record
from engine.search.deepening import FAILED_LOW, ITERATION, OVER, REPORT_ALL, REPORT_NOTHING, begin_search, deepen
from engine.search.parameters import Parameters
from engine.search.scores import MAX_PLY
from engine.search.state import WORKER
from engine.search.tablebase import TablebaseAccess, install
from engine.search.transposition import TABLE, TranspositionTable

#: Fields that a worker learns, and keeps from move to move.
HISTORIES = (
    "history",
    "capture_history",
    "continuation",
    "pawn_correction",
    "nonpawn_correction",
    "continuation_correction",
)


@dataclass(slots=True)
class RootLine:
    """A line found by an iteration: score in centipawns, moves as the kernels encode them. ``bound`` is ``lowerbound``,
    ``upperbound``, or empty for an exact score; ``rank`` numbers the search's lines from 1."""

    depth: int = 0
    seldepth: int = 0
    score: int = 0
    moves: list[int] = field(default_factory=list)
    bound: str = ""
    rank: int = 1


def ranked(lines: list[RootLine], previous: list[RootLine]) -> list[RootLine]:
    """``lines``, then the ``previous`` ones with other first moves, up to the previous number, renumbered."""
    known = {line.moves[0] for line in lines}
    rest = [line for line in previous if line.moves[0] not in known]
    ranked = (lines + rest)[: len(previous)]
    for rank, line in enumerate(ranked, 1):
        line.rank = rank
    return ranked


class Worker:
    """A WORKER record, and its search."""

    def __init__(self, control_address: int, evaluation: Evaluation, parameters: Parameters) -> None:
        self.record: Any = new_record(WORKER)
        self.record["control_address"] = control_address
        # Kept because looking up a nested record is slow.
        self._position, self._tables = self.record["position"], (self.record["table"], self.record["tablebase"])
        self._root, self._progress = self.record["root"], self.record["deepening"]
        self.lines: list[RootLine] = []
        self.use(evaluation)
        self.set_parameters(parameters)

    def use(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation  # kept alive: the record has only its network's address
        evaluation.install(self.record["evaluator"])

    def set_parameters(self, parameters: Parameters) -> None:
        """Search with ``parameters``; later changes of them take effect with the next search."""
        self._parameters = parameters  # kept alive: the record has only their address
        self.record["params_address"] = parameters.address

    def touch(self) -> None:
        """Touch the whole record and the compiled code, so that no search waits for them. Forgets everything. Call it
        in the thread that will search, so that the memory is near its processor."""
        self.clear()
        self.record["stack"].view(np.uint8).fill(0)
        self.deepen_silently(1, 0)

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
        """Answers of the endgame tablebases in this search so far; readable from any thread."""
        return int(self._tables[1]["hits"])

    def prepare(
        self,
        position: Position,
        moves: list[int],
        table: TranspositionTable,
        node_limit: int,
        tablebase: TablebaseAccess | None = None,
    ) -> None:
        """Set up a search of ``position`` over the root ``moves``, which may probe ``tablebase``."""
        record = self.record
        copy_position(self._position, position)
        self._table = table  # kept alive: the record has only its address
        self.lines = []
        for name in TABLE.names or ():
            self._tables[0][name] = table.record[name]
        install(self._tables[1], tablebase)
        record["root_count"] = len(moves)
        self._root["move"][: len(moves)] = moves
        begin_search(record, node_limit)

    def deepen(
        self,
        first_depth: int,
        max_depth: int,
        multipv: int = 1,
        on_bound: Callable[[RootLine], None] | None = None,
        quiet_until: int = REPORT_ALL,
    ) -> Iterator[list[RootLine]]:
        """Search from ``first_depth`` to ``max_depth``; yield the lines after each iteration.

        There are ``multipv`` of them (at most one for each root move, fewer if the search ends in the first iteration),
        with different first moves, best first. The last ones may come from an aborted iteration that had found a better
        move. ``on_bound`` gets the line of a failed window. Before the clock reaches ``quiet_until`` ticks nothing is
        reported, unless the search ends."""
        record, progress = self.record, self._progress
        progress["depth"], progress["max_depth"] = first_depth, min(max_depth, MAX_PLY - 1)
        progress["multipv"] = min(multipv, int(record["root_count"]))
        while (event := deepen(record, quiet_until)) != OVER:
            if event == ITERATION:
                lines = enumerate(progress["lines"][: progress["multipv"]], 1)
                self.lines = [self._read(line, rank) for rank, line in lines if line["pv_length"]]
                yield self.lines
            elif on_bound is not None and (line := self._bound(event == FAILED_LOW)).moves:
                on_bound(line)

    def deepen_silently(self, first_depth: int, max_depth: int) -> None:
        """Search as :meth:`deepen` does, but in one compiled call; the result is in :attr:`lines`."""
        for _ in self.deepen(first_depth, max_depth, quiet_until=REPORT_NOTHING):
            pass

    @property
    def stable(self) -> int:
        """Iterations for which the best move has stayed the same."""
        return int(self._progress["stable"])

    @property
    def drop(self) -> int:
        """Centipawns by which the best line got worse in the last iteration."""
        return int(self._progress["drop"])

    def _bound(self, is_upper: bool) -> RootLine:
        """The line of a failed window, extended by the previous iteration's if that begins with it."""
        progress = self._progress
        previous = self.lines[0] if self.lines else RootLine()
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
    def _read(line: Any, rank: int = 1) -> RootLine:
        """The LINE record ``line`` for Python."""
        moves = line["pv"][: int(line["pv_length"])].tolist()
        bound = "lowerbound" if line["bound"] else ""
        return RootLine(int(line["depth"]), int(line["seldepth"]), int(line["score"]), moves, bound, rank)
