"""Mate proofs: whether the side to move mates, or is mated, within N moves against any defence.

``go mate`` runs them between the iterations of the search. The attacker needs one move that works, the defender one
that escapes; the last attacking move must give check. Proved positions are kept in a table, so that looking one move
deeper, or again, is cheap. Nothing is pruned: if no mate is found, there is none."""

from collections.abc import Callable
from typing import Annotated, Any

from engine.board.aliases import Depth, Flag, Ply, Position
from engine.board.make import make_move, unmake_move
from engine.board.movegen import ALL_MOVES, count_moves, generate_moves
from engine.board.notation import list_moves
from engine.board.setup import copy_position, new_position, play_move
from engine.board.types import I64, ONE, U64, ZERO
from engine.jit import Array, Record, int64, kernel, new_record, record_type, structure, u8
from engine.messages import Limits
from engine.search.lazy_smp import SearchTask
from engine.search.node import enter_node, is_draw, should_abort
from engine.search.scores import MATE, MATE_BOUND
from engine.search.state import WORKER_T, WorkerRecord, frame_at
from engine.search.worker import RootLine, Worker, ranked

_PROOF_ENTRIES = 1 << 20


class Proofs(Record):
    """Proved positions: the key with the answer in the lowest bit, indexed by key and number of plies."""

    key: Annotated[Array[u8], (_PROOF_ENTRIES,)]


PROOFS = structure(Proofs)
PROOFS_T = record_type(PROOFS)

_MASK = U64(_PROOF_ENTRIES - 1)
_SPREAD = U64(0x9E3779B97F4A7C15)


@kernel(int64(WORKER_T, PROOFS_T, int64, int64), deferred=True)
def is_mate(worker: WorkerRecord, proofs: Proofs, plies: Depth, ply: Ply) -> Flag:
    """1 when the attacker mates within ``plies`` plies of ``worker.position``, else 0. The attacker is to move if
    ``plies`` is odd. Meaningless once ``worker.aborted`` is set."""
    if should_abort(worker):
        return I64(0)
    enter_node(worker, ply)
    position = worker.position
    if plies == 0:
        return I64(1 if position.checkers != ZERO and count_moves(position) == 0 else 0)
    if is_draw(position, I64(0)):
        return I64(0)
    place = (position.key ^ U64(plies) * _SPREAD) >> U64(7) & _MASK
    known = proofs.key[place]
    if known >> ONE == (position.key ^ U64(plies)) >> ONE and position.rule50 + plies < 100:
        return I64(known & ONE)

    moves = frame_at(worker, ply).moves
    count = generate_moves(position, moves, I64(0), ALL_MOVES)
    attacks = plies & 1
    answer = I64(0)
    if attacks == 0:
        answer = I64(1 if count > 0 or position.checkers != ZERO else 0)
    # Checks first: the attacker's other moves rarely mate, and the defender has the fewest answers to them.
    for quiet in range(2 if attacks != 0 else 1):
        for index in range(count):
            move = I64(moves.move[index])
            make_move(position, move)
            gives_check = position.checkers != ZERO
            result = 1 - attacks
            if attacks == 0 or (gives_check == (quiet == 0) and (gives_check or plies > 1)):
                result = is_mate(worker, proofs, plies - 1, ply + 1)
            unmake_move(position, move)
            if worker.aborted != 0:
                return I64(0)
            if result == attacks:
                answer = I64(attacks)
                break
        if answer == attacks:
            break
    proofs.key[place] = (position.key ^ U64(plies)) & ~ONE | U64(answer)
    return answer


def proves_mate(line: RootLine, limits: Limits) -> bool:
    """Whether the score of ``line`` proves a mate, by either side, within the limit of ``go mate``."""
    if limits.mate is None or (line.bound and (line.bound == "lowerbound") != (line.score > 0)):
        return False
    return abs(line.score) > MATE_BOUND and MATE - abs(line.score) <= 2 * limits.mate


class Prover:
    """Proves a mate in 1, 2 .. ``longest`` moves by one of the root ``moves`` of ``position``, or against them all, on
    the record of the worker that is searching it."""

    def __init__(self, record: Any, position: Position, moves: list[int], longest: int) -> None:
        self._record, self._position, self._moves, self._longest = record, position, moves, longest
        self._proofs: Any = new_record(PROOFS)
        self._number = 1  # moves of the mate to prove next
        self._spent = 0  # nodes
        self._divisor = 4 ** max(1, longest - 3)

    @property
    def exhausted(self) -> bool:
        return self._number > self._longest

    def advance(self) -> tuple[int, list[int]]:
        """Continue, between two iterations, for a share of the nodes: a quarter for mates in up to four moves, and a
        quarter of that for each further move. Returns the plies to mate, positive for the side to move and negative
        against it, and the line; 0 until a mate is found."""
        record = self._record
        limit = int(record["node_limit"])
        plies, line = 0, list[int]()
        while not line and not self.exhausted:
            begun = int(record["nodes"])
            record["node_limit"] = min(limit, begun + begun // self._divisor - self._spent)
            for plies in (2 * self._number - 1, -2 * self._number):
                line = self._line(abs(plies))
                if line or record["aborted"]:
                    break
            self._spent += int(record["nodes"]) - begun
            if record["aborted"]:
                line = []
                break
            self._number += 1
        record["node_limit"] = limit
        record["aborted"] = 0  # the search checks its limits itself
        copy_position(record["position"], self._position)
        return plies if line else 0, line

    def _line(self, plies: int) -> list[int]:
        """A line to mate in ``plies`` against the longest defence, or an empty one. No shorter mate may exist."""
        line = []
        current, moves = new_position(), self._moves
        copy_position(current, self._position)
        for left in range(plies, 0, -1):
            chosen = None
            for move in moves:
                after = new_position()
                copy_position(after, current)
                play_move(after, move)
                mated = self._is_proved(after, left - 1)
                if left & 1 and mated:
                    chosen = move
                    break
                if left & 1 == 0:
                    if not mated:
                        return []
                    if chosen is None or left < 3 or not self._is_proved(after, left - 3):
                        chosen = move
            if chosen is None:
                return []
            line.append(chosen)
            play_move(current, chosen)
            moves = list_moves(current)
        return line

    def _is_proved(self, after: Any, plies: int) -> bool:
        copy_position(self._record["position"], after)
        return bool(is_mate(self._record, self._proofs, plies, 1))


class MateGoal:
    """Ends a search for ``go mate`` when a mate within the limit is proved, by its lines or by a :class:`Prover`.
    ``maximum`` is the time limit of the search, None without one."""

    def __init__(
        self, task: SearchTask, worker: Worker, maximum: float | None, on_line: Callable[[RootLine], None]
    ) -> None:
        self._limits, self._worker, self._on_line = task.limits, worker, on_line
        self._bounds: list[tuple[int, RootLine]] = []  # lines that prove a mate, with the nodes searched by then
        assert task.limits.mate is not None
        longest = min(task.limits.mate, (task.max_depth + 1) // 2)
        self._prover = Prover(worker.record, task.position, task.moves, longest)
        others = (task.limits.depth, task.limits.nodes, maximum)
        self._is_only_limit = others == (None,) * 3 and not task.limits.infinite

    def on_bound(self, line: RootLine) -> None:
        self._on_line(line)
        if proves_mate(line, self._limits):
            self._bounds.append((self._worker.nodes, line))

    def is_reached(self) -> bool:
        """Whether the search may end after this iteration. The prover continues for a while."""
        worker = self._worker
        if proves_mate(worker.lines[0], self._limits):
            return True
        if self._bounds and worker.nodes > 2 * self._bounds[0][0]:  # the exact score with the whole line takes too long
            return True
        plies, moves = self._prover.advance()
        if not moves:
            return self._prover.exhausted and self._is_only_limit
        score = MATE - plies if plies > 0 else -MATE - plies
        worker.lines = ranked([RootLine(worker.lines[0].depth, abs(plies), score, moves)], worker.lines)
        for line in worker.lines:
            self._on_line(line)
        return True

    def finish(self) -> None:
        """Make a bound that proves a mate the result, unless the last line proves it."""
        worker = self._worker
        if self._bounds and not proves_mate(worker.lines[0], self._limits):
            worker.lines = ranked([self._bounds[-1][1]], worker.lines)
            self._on_line(worker.lines[0])
