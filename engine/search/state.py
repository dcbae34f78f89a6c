"""The records of a search: one :data:`WORKER` for each thread, one :data:`CONTROL` for all.

They hold all of its state; a worker is backed by huge pages where the system has them."""

from typing import Annotated

from engine.board.aliases import MoveList, Ply, Position
from engine.board.types import MAX_MOVES, U64
from engine.evaluation.records import Evaluator
from engine.jit import Array, Record, i2, i4, inlined, record_at, record_type, structure, u8
from engine.search.parameters import ParametersRecord
from engine.search.scores import MAX_PLY
from engine.search.tablebase import TablebaseRecord
from engine.search.transposition import Probe, TableRecord

MAX_TRIED = 64  # maximum number of quiet moves, and of noisy ones, that a node keeps for history updates
PIECE_TO = 16 * 64  # the number of (piece, target square) pairs, the index of continuation histories
CORRECTIONS = 16_384  # entries of a correction history for each colour (a power of two)
STACK_BASE = 6  # frames below the root, so that histories can look back from it
NO_DEADLINE = 0  # the ``deadline`` of a search without one, as in a new record


class Control(Record):
    """Shared by the whole search: the ``stop`` flag, and the ``deadline`` in clock ticks, :data:`NO_DEADLINE` for none.
    Each is one aligned word, so a thread reads either the old value or the new one, on every processor."""

    stop: int
    deadline: int


CONTROL = structure(Control)

#: The byte offset of the deadline.
DEADLINE = U64(CONTROL.fields["deadline"][1])  # type: ignore[index]


class Picker(Record):
    """The state of staged move picking at one node (see movepick)."""

    stage: int
    tt_move: int
    cursor: int
    end: int
    skip_quiets: int
    history: int  # of the last quiet move picked
    bad_end: int  # losing captures are at the front of the list, up to here


class Frame(Record):
    """One ply of the current line."""

    probe: Probe
    picker: Picker
    static_eval: int
    raw_eval: int  # static evaluation before correction
    move: int  # the move made here; 0 for the null move
    quiet: int  # 1: it is neither a capture nor a promotion
    continuation_index: int  # its piece and target as an index of continuation histories; 0 for the null move
    excluded: int  # the move excluded from a singular search, else 0
    double_extensions: int  # moves on the path to this ply that were extended by two plies or more
    reduction: int  # plies by which the move under search was reduced
    move_count: int  # the number of the move under search, from 1 on
    cutoff_count: int  # fail-highs at this ply since the node two plies above was entered
    threats: u8  # squares attacked by the other side
    checking: Annotated[Array[u8], (6,)]  # [type] squares from which it attacks the other king
    pv_length: int
    quiet_count: int
    noisy_count: int
    quiets: Annotated[Array[i4], (MAX_TRIED,)]
    noisies: Annotated[Array[i4], (MAX_TRIED,)]
    pv: Annotated[Array[i4], (MAX_PLY + 2,)]  # the principal variation from this ply on
    moves: MoveList


class LineRecord(Record):
    """A line found by an iteration, empty if there is none. ``bound`` is 0 for an exact score."""

    depth: int
    seldepth: int
    score: int
    bound: int
    pv_length: int
    pv: Annotated[Array[i4], (MAX_PLY + 2,)]


class Deepening(Record):
    """The state of iterative deepening: the iteration, its aspiration window, and the lines (see deepening)."""

    depth: int  # of the iteration under search
    max_depth: int  # of the last iteration
    multipv: int  # the number of lines to find
    lines_found: int  # of this iteration so far
    lines_changed: int  # 1: the lines have changed since the last return to the caller
    stable: int  # iterations for which the best move has stayed the same
    drop: int  # centipawns by which the best line got worse in the last iteration
    outcome: int  # of the last window, and its score
    score: int
    alpha: int  # the window to search next
    beta: int
    delta: int  # centipawns by which to widen it next
    line: LineRecord  # the best so far in the windows of this line
    lines: Annotated[Array[LineRecord], (MAX_MOVES,)]  # [rank] of the last iteration, best first
    new_lines: Annotated[Array[LineRecord], (MAX_MOVES,)]  # [rank] of this iteration


class RootMove(Record):
    """A root move and the nodes spent on it."""

    move: int
    nodes: int


class WorkerRecord(Record):
    """Everything one thread owns."""

    evaluator: Evaluator
    position: Position
    table: TableRecord
    tablebase: TablebaseRecord
    params_address: u8  # of a PARAMETERS record
    control_address: u8
    tick_address: u8  # of a function that reports progress, 0 for none; it gets the current move and its number
    next_tick: int  # clock ticks of its next call, which it returns
    node_limit: int
    nodes: int
    quiescence_limit: int  # the nodes from which the quiescence search only stands pat
    seldepth: int
    aborted: int
    root_score: int  # of the best root move so far
    current_move: int  # the root move being searched, for reports, and its number
    current_number: int
    pv_index: int  # root moves before it already have their lines (MultiPV)
    root_count: int
    root_is_partial: int  # 1: there are other legal moves
    root: Annotated[Array[RootMove], (MAX_MOVES,)]
    root_depth: int
    null_move_min_ply: int  # no null moves before this ply, during a verification search
    history: Annotated[Array[i2], (2, 2, 2, 64, 64)]  # [color][from attacked][to attacked][from][to] butterfly history
    capture_history: Annotated[Array[Array[Array[i2]]], (16, 64, 8)]  # [piece][to][captured type]
    continuation: Annotated[Array[Array[i2]], (PIECE_TO, PIECE_TO)]  # [earlier piece, to][piece, to]
    pawn_correction: Annotated[Array[Array[i2]], (2, CORRECTIONS)]  # [color][pawn key]
    nonpawn_correction: Annotated[Array[Array[Array[i2]]], (2, 2, CORRECTIONS)]  # [color][whose pieces][their key]
    continuation_correction: Annotated[Array[Array[i2]], (2, PIECE_TO)]  # [color][last piece, to]
    stack: Annotated[Array[Frame], (STACK_BASE + MAX_PLY + 8,)]  # [STACK_BASE + ply]
    deepening: Deepening


WORKER = structure(WorkerRecord)
WORKER_T = record_type(WORKER)
_parameters_at = record_at(ParametersRecord)


@inlined
def params_of(worker: WorkerRecord) -> ParametersRecord:
    """The search parameters of ``worker``."""
    return _parameters_at(worker.params_address, 0)


@inlined
def frame_at(worker: WorkerRecord, ply: Ply) -> Frame:
    """The frame of ``ply``, from -STACK_BASE on."""
    return worker.stack[U64(ply + STACK_BASE)]
