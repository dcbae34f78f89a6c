"""Lazy SMP: the data that the threads of a search share besides the transposition table, and their vote on the move."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

from engine.board.aliases import Position
from engine.board.types import WHITE
from engine.messages import Limits, Signals
from engine.search.deepening import UNLIMITED
from engine.search.scores import DECIDED, MAX_PLY
from engine.search.tablebase import TablebaseAccess
from engine.search.transposition import TranspositionTable
from engine.search.worker import RootLine, Worker


@dataclass(frozen=True, slots=True)
class SearchTask:
    """A search that ``limits`` or ``signals`` end."""

    position: Position
    moves: list[int]  # those to search at the root, at least one
    table: TranspositionTable
    limits: Limits
    multipv: int = 1  # the number of lines to find
    tablebase: TablebaseAccess | None = None
    overhead: int = 0  # milliseconds that the clock loses outside the engine
    signals: Signals = field(default_factory=Signals)
    began: float = field(default_factory=perf_counter)  # when the clock started, in seconds

    @property
    def max_depth(self) -> int:
        return MAX_PLY if self.limits.depth is None else min(self.limits.depth, MAX_PLY)

    @property
    def white_to_move(self) -> bool:
        return int(self.position["side"]) == WHITE

    def prepare(self, worker: Worker, threads: int) -> None:
        """Make ``worker``, one of ``threads``, ready to search."""
        nodes = self.limits.nodes
        share = UNLIMITED if nodes is None else max(1, nodes // threads)
        worker.prepare(self.position, self.moves, self.table, share, self.tablebase)


def vote(lines: Sequence[RootLine]) -> RootLine:
    """The best of the threads' lines by votes, weighted with depth and score; a proved win or loss outranks them."""
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
