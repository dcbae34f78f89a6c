"""The records that a search works on: one :data:`WORKER` for each thread, one :data:`CONTROL` for all.

Nothing else holds state. A worker takes about 4.3 MB, three huge pages where the system has such.
"""

from typing import Annotated

from engine.board.aliases import MoveList, Ply, Position
from engine.board.types import MAX_MOVES, U64
from engine.evaluation.records import Evaluator
from engine.jit import Array, Record, helper, i2, i4, record_at, record_type, structure, u8
from engine.search.scores import MAX_PLY
from engine.search.tablebase import TablebaseRecord
from engine.search.transposition import Probe, TableRecord
from engine.search.tunables import Params

#: How many quiet moves, and how many captures, of a node are kept for the histories.
MAX_TRIED = 64

#: The number of pairs (piece, target square), by which continuation histories are indexed.
PIECE_TO = 16 * 64

#: Entries of a correction history for each colour (a power of two).
CORRECTIONS = 16_384

#: Frames below the root, so that histories can look back from it.
STACK_BASE = 6

#: The deadline of a search that has none, as in a new record.
NEVER = 0


class Control(Record):
    """What the whole search shares: when to stop. ``deadline`` is in clock ticks, :data:`NEVER` for none.

    Each is one aligned word, so that a thread reads either the old value or the new one, on every processor.
    """

    stop: int
    deadline: int


CONTROL = structure(Control)

#: Where the deadline lies, in bytes.
DEADLINE = U64(CONTROL.fields["deadline"][1])  # type: ignore[index]


class Picker(Record):
    """How far the staged generation of moves at one node has come (see movepick)."""

    stage: int
    tt_move: int
    cursor: int
    end: int
    skip_quiets: int
    history: int  # of the quiet move picked last
    bad_end: int  # losing captures wait at the front of the list


PICKER = structure(Picker)


class Frame(Record):
    """One ply of the line under search."""

    probe: Probe
    picker: Picker
    static_eval: int
    raw_eval: int  # the static evaluation before its correction
    move: int  # the move made here; 0 for the null move
    quiet: int  # 1: it is neither a capture nor a promotion
    continuation_index: int  # its piece and target as an index of continuation histories; 0 for the null move
    excluded: int  # the move left out of a singular search, else 0
    double_extensions: int  # moves of the line that leads here that were extended by two plies
    reduction: int  # plies by which the move under search was reduced
    move_count: int  # the number of the move under search, from 1 on
    cutoff_count: int  # nodes of this ply that failed high since the ply two above was entered
    killer: Annotated[Array[int], (2,)]
    threats: u8  # squares the other side attacks
    checking: Annotated[Array[u8], (6,)]  # [type] squares from which it attacks the other king
    pv_length: int
    quiet_count: int
    noisy_count: int
    quiets: Annotated[Array[i4], (MAX_TRIED,)]
    noisies: Annotated[Array[i4], (MAX_TRIED,)]
    pv: Annotated[Array[i4], (MAX_PLY + 2,)]  # the principal variation from this ply on
    moves: MoveList


FRAME = structure(Frame)


class Line(Record):
    """A line that an iteration found; without moves when there is none. ``bound`` is 0 unless the score is one."""

    depth: int
    seldepth: int
    score: int
    bound: int
    pv_length: int
    pv: Annotated[Array[i4], (MAX_PLY + 2,)]


LINE = structure(Line)


class Deepening(Record):
    """How far iterative deepening has come: the iteration, its aspiration window, and the lines (see deepening)."""

    depth: int  # of the iteration under search
    last: int  # the last iteration wanted
    wanted: int  # the number of lines
    found: int  # lines of this iteration so far
    has_news: int  # 1: the lines have changed since the last return to the caller
    stable: int  # iterations for which the best move has stayed the same
    drop: int  # centipawns that the best line lost in the last iteration
    outcome: int  # of the window searched last, and its score
    score: int
    alpha: int  # the window to search next
    beta: int
    delta: int  # centipawns by which it is widened next
    fail_high_reduction: int  # plies less to search, after windows that failed high
    line: Line  # the best one in the windows of this line so far
    lines: Annotated[Array[Line], (MAX_MOVES,)]  # [rank] of the last iteration, best first
    new_lines: Annotated[Array[Line], (MAX_MOVES,)]  # [rank] of this iteration


DEEPENING = structure(Deepening)


class RootMove(Record):
    """A root move and what the search spent on it."""

    move: int
    nodes: int


ROOT_MOVE = structure(RootMove)


class Worker(Record):
    """Everything one thread owns."""

    evaluator: Evaluator
    position: Position
    table: TableRecord
    tablebase: TablebaseRecord
    params_address: u8  # of a TUNABLES record
    control_address: u8
    node_limit: int
    nodes: int
    seldepth: int
    aborted: int
    root_score: int  # of the best root move so far
    current_move: int  # the root move under search, for reports, and its number
    current_number: int
    pv_index: int  # root moves before it have their lines already (several lines wanted)
    root_count: int
    root: Annotated[Array[RootMove], (MAX_MOVES,)]
    root_depth: int
    null_move_min_ply: int  # null moves are tried from this ply on only, while one is verified
    history: Annotated[
        Array[i2], (2, 2, 2, 64, 64)
    ]  # [color][from is attacked][to is attacked][from][to] butterfly history of quiets
    capture_history: Annotated[Array[Array[Array[i2]]], (16, 64, 8)]  # [piece][to][captured type]
    continuation: Annotated[Array[Array[i2]], (PIECE_TO, PIECE_TO)]  # [earlier piece, to][piece, to]
    pawn_correction: Annotated[Array[Array[i2]], (2, CORRECTIONS)]  # [color][pawn key]
    nonpawn_correction: Annotated[
        Array[Array[Array[i2]]], (2, 2, CORRECTIONS)
    ]  # [color][whose pieces][key of its pieces]
    continuation_correction: Annotated[Array[Array[i2]], (2, PIECE_TO)]  # [color][last piece, to]
    stack: Annotated[Array[Frame], (STACK_BASE + MAX_PLY + 8,)]  # [STACK_BASE + ply]
    deepening: Deepening


WORKER = structure(Worker)

WORKER_T = record_type(WORKER)

_params_at = record_at(Params)


@helper
def params_of(worker: Worker) -> Params:
    """The search parameters that ``worker`` plays with."""
    return _params_at(worker.params_address, 0)


@helper
def frame_at(worker: Worker, ply: Ply) -> Frame:
    """The frame of ``ply``, from -STACK_BASE on."""
    return worker.stack[U64(ply + STACK_BASE)]
