"""One thread's search: iterative deepening over the compiled kernels, one call for each aspiration window, or one for
all iterations when nobody has to be told of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.board.setup import copy_position
from engine.evaluation.choice import Evaluation
from engine.jit import new_record
from engine.search.alone import FOUND, deepen_alone
from engine.search.deepening import (
    ABORTED,
    ABORTED_WITH_MOVE,
    FAILED_LOW,
    FINISHED,
    UNLIMITED,
    begin_search,
    search_window,
)
from engine.search.scores import MAX_PLY
from engine.search.state import NEVER, WORKER
from engine.search.tablebase import TablebaseAccess, install
from engine.search.transposition import TranspositionTable
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


def ranked(lines: list[Line], former: list[Line]) -> list[Line]:
    """``lines``, then of the ``former`` ones those with other first moves, as many as there were, numbered anew."""
    known = {line.moves[0] for line in lines}
    rest = [line for line in former if line.moves and line.moves[0] not in known]
    ranked = (lines + rest)[: len(former)]
    for rank, line in enumerate(ranked, 1):
        line.rank = rank
    return ranked


class Worker:
    """A WORKER record and the loop that deepens it."""

    def __init__(self, control_address: int, evaluation: Evaluation, parameters: Parameters) -> None:
        self.record: Any = new_record(WORKER)
        self._found: Any = new_record(FOUND)
        self.record["control_address"] = control_address
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
        self.deepen_alone(1, 0)

    @property
    def nodes(self) -> int:
        """Nodes visited in this search so far; readable from any thread."""
        return int(self.record["nodes"])

    def share_of(self, move: int) -> float:
        """The share of this search's nodes that went into the root ``move``."""
        root = self.record["root"][: int(self.record["root_count"])]
        return float(root["nodes"][root["move"] == move].sum()) / max(self.nodes, 1)

    def clear(self) -> None:
        """Forget all histories, as before a new game."""
        for name in HISTORIES:
            self.record[name].fill(0)

    @property
    def table_hits(self) -> int:
        """Answers of the endgame tables in this search so far; readable from any thread."""
        return int(self.record["tablebase"]["hits"])

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
        copy_position(record["position"], position)
        self._table = table  # the record holds no more than its address
        self.lines = []
        for name in table.record.dtype.names:
            record["table"][name] = table.record[name]
        install(record["tablebase"], tablebase)
        record["root_count"] = len(moves)
        record["root"]["move"][: len(moves)] = moves
        begin_search(record, node_limit)

    def deepen(
        self, first: int, last: int, count: int = 1, on_bound: Callable[[Line], None] | None = None
    ) -> Iterator[list[Line]]:
        """Search deeper and deeper from depth ``first`` to ``last``; yield the lines after each iteration.

        There are ``count`` of them (or one for each root move), with different first moves, best first. The
        last ones may come from an iteration that was broken off, when that had found a better move. Ends early
        when the search is aborted. Called again after one :meth:`prepare`, it goes on from the lines there are.
        Depth 1 is finished whatever number of nodes is allowed, so that the move is a searched one.
        """
        record = self.record
        allowed = int(record["node_limit"])
        count = min(count, int(record["root_count"]))
        self.lines = self.lines or [Line() for _ in range(count)]
        for depth in range(first, min(last, MAX_PLY - 1) + 1):
            lines = []
            if depth == 1:
                record["node_limit"] = UNLIMITED
            for index, previous in enumerate(self.lines):
                record["pv_index"] = index
                line = self._iterate(depth, previous, on_bound if count == 1 else None)
                if line is not None:
                    line.rank = index + 1
                    lines.append(line)
                    self._bring_forward(line.moves[0], index)
                if record["aborted"]:
                    break
            if depth == 1:
                record["node_limit"] = min(allowed, int(record["node_limit"]))  # ponderhit may have set one
            if lines:
                lines.sort(key=lambda line: -line.score)
                self.lines = ranked(lines, self.lines)
                yield self.lines
            if record["aborted"]:
                return

    def deepen_alone(self, first: int, last: int, until: int = NEVER) -> tuple[int, int, int] | None:
        """Search as :meth:`deepen` does for one line, but tell nothing on the way; until the clock shows ``until``.

        At the end :attr:`lines` has what was found, if anything was. Returns the move and the score that the iteration
        before the last one had found, and for how many iterations that move had stayed the same then.
        """
        found = self._found
        deepen_alone(self.record, found, first, min(last, MAX_PLY - 1), until)
        if not found["depth"]:
            return None
        line = self._read(found["line"], int(found["depth"]), "" if found["outcome"] == FINISHED else "lowerbound")
        self.lines = [line]
        return int(found["former_move"]), int(found["former_score"]), int(found["stable"])

    def _bring_forward(self, move: int, index: int) -> None:
        """Put ``move`` at ``index`` of the root moves, where the search of the next line leaves it out."""
        root = self.record["root"]
        place = int(np.flatnonzero(root["move"][: int(self.record["root_count"])] == move)[0])
        chosen = root[place].copy()
        root[index + 1 : place + 1] = root[index:place].copy()
        root[index] = chosen

    def _iterate(self, depth: int, previous: Line, on_bound: Callable[[Line], None] | None) -> Line | None:
        """One iteration; None if it was broken off without another first move than ``previous`` has."""
        record = self.record
        former_move = previous.moves[0] if previous.moves else 0
        while True:
            outcome = search_window(record, depth, previous.score, former_move)
            if outcome == ABORTED:
                return None
            if outcome == FAILED_LOW:
                score, seldepth = int(record["iteration"]["score"]), int(record["seldepth"])
                line = replace(previous, depth=depth, seldepth=seldepth, score=score, bound="upperbound")
            else:
                line = self._read(record["iteration"]["line"], depth, "" if outcome == FINISHED else "lowerbound")
                if line.bound and previous.moves[: len(line.moves)] == line.moves:
                    line.moves = previous.moves  # a move that is better than expected has no answer yet
            if outcome in (FINISHED, ABORTED_WITH_MOVE):
                return line
            if on_bound is not None and line.moves:
                on_bound(line)

    @staticmethod
    def _read(line: Any, depth: int, bound: str) -> Line:
        """The LINE record ``line`` for Python."""
        moves = line["pv"][: int(line["pv_length"])].tolist()
        return Line(depth, int(line["seldepth"]), int(line["score"]), moves, bound)
