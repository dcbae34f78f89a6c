"""The records that a search works on: one :data:`WORKER` for each thread, one :data:`CONTROL` for all.

Nothing else holds state. A worker takes about 4.3 MB, three huge pages where the system has such.
"""

from engine.board.aliases import Frame, Params, Ply, Worker
from engine.board.position import MOVE_LIST, POSITION
from engine.board.types import U64
from engine.evaluation.evaluator import EVALUATOR
from engine.jit import helper, record_at, record_type, structure
from engine.search.scores import MAX_PLY
from engine.search.tablebase import TABLEBASE
from engine.search.transposition import PROBE, TABLE
from engine.search.tunables import TUNABLES

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

#: What the whole search shares: when to stop. ``deadline`` is in clock ticks, :data:`NEVER` for none. Each is one
#: aligned word of its own, so that a thread reads either the old value or the new one, on every processor.
CONTROL = structure(("stop", "i8"), ("deadline", "i8"))

#: Where the deadline lies, in bytes.
DEADLINE = U64(CONTROL.fields["deadline"][1])  # type: ignore[index]

#: How far the staged generation of moves at one node has come (see movepick).
PICKER = structure(
    ("stage", "i8"),
    ("tt_move", "i8"),
    ("cursor", "i8"),
    ("end", "i8"),
    ("skip_quiets", "i8"),
    ("history", "i8"),  # of the quiet move picked last
    ("bad_end", "i8"),  # losing captures wait at the front of the list
)

#: One ply of the line under search.
FRAME = structure(
    ("probe", PROBE),
    ("picker", PICKER),
    ("static_eval", "i8"),
    ("raw_eval", "i8"),  # the static evaluation before its correction
    ("move", "i8"),  # the move made here; 0 for the null move
    ("quiet", "i8"),  # 1: it is neither a capture nor a promotion
    ("continuation_index", "i8"),  # its piece and target as an index of continuation histories; 0 for the null move
    ("excluded", "i8"),  # the move left out of a singular search, else 0
    ("double_extensions", "i8"),  # moves of the line that leads here that were extended by two plies
    ("reduction", "i8"),  # plies by which the move under search was reduced
    ("move_count", "i8"),  # the number of the move under search, from 1 on
    ("cutoff_count", "i8"),  # nodes of this ply that failed high since the ply two above was entered
    ("killer", "i8", (2,)),
    ("threats", "u8"),  # squares the other side attacks
    ("checking", "u8", (6,)),  # [type] squares from which it attacks the other king
    ("pv_length", "i8"),
    ("quiet_count", "i8"),
    ("noisy_count", "i8"),
    ("quiets", "i4", (MAX_TRIED,)),
    ("noisies", "i4", (MAX_TRIED,)),
    ("pv", "i4", (MAX_PLY + 2,)),  # the principal variation from this ply on
    ("moves", MOVE_LIST),
)

#: The best line that an iteration has found so far; without moves when there is none.
LINE = structure(
    ("score", "i8"),
    ("is_bound", "i8"),  # the score only bounds the value from below
    ("seldepth", "i8"),
    ("pv_length", "i8"),
    ("pv", "i4", (MAX_PLY + 2,)),
)

#: How far an iteration and its aspiration windows have come (see deepening).
ITERATION = structure(
    ("outcome", "i8"),  # of the window searched last
    ("alpha", "i8"),  # the window to search next
    ("beta", "i8"),
    ("delta", "i8"),  # centipawns by which it is widened next
    ("fail_high_reduction", "i8"),  # plies less to search, after windows that failed high
    ("former_move", "i8"),  # what the iteration before it chose, 0 for none
    ("score", "i8"),  # of the window searched last
    ("line", LINE),
)

#: A root move and what the search spent on it.
ROOT_MOVE = structure(("move", "i8"), ("nodes", "i8"))

#: Everything one thread owns.
WORKER = structure(
    ("evaluator", EVALUATOR),
    ("position", POSITION),
    ("table", TABLE),
    ("tablebase", TABLEBASE),
    ("params_address", "u8"),  # of a TUNABLES record
    ("control_address", "u8"),
    ("node_limit", "i8"),
    ("nodes", "i8"),
    ("seldepth", "i8"),
    ("aborted", "i8"),
    ("root_score", "i8"),  # of the best root move so far
    ("current_move", "i8"),  # the root move under search, for reports, and its number
    ("current_number", "i8"),
    ("pv_index", "i8"),  # root moves before it have their lines already (several lines wanted)
    ("root_count", "i8"),
    ("root", ROOT_MOVE, (256,)),
    ("root_depth", "i8"),
    ("iteration", ITERATION),
    ("null_move_min_ply", "i8"),  # null moves are tried from this ply on only, while one is verified
    (
        "history",
        "i2",
        (2, 2, 2, 64, 64),
    ),  # [color][from is attacked][to is attacked][from][to] butterfly history of quiets
    ("capture_history", "i2", (16, 64, 8)),  # [piece][to][captured type]
    ("continuation", "i2", (PIECE_TO, PIECE_TO)),  # [earlier piece, to][piece, to]
    ("pawn_correction", "i2", (2, CORRECTIONS)),  # [color][pawn key]
    ("nonpawn_correction", "i2", (2, 2, CORRECTIONS)),  # [color][whose pieces][key of its pieces]
    ("continuation_correction", "i2", (2, PIECE_TO)),  # [color][last piece, to]
    ("stack", FRAME, (STACK_BASE + MAX_PLY + 8,)),  # [STACK_BASE + ply]
)

WORKER_T = record_type(WORKER)

_params_at = record_at(TUNABLES)


@helper
def params_of(worker: Worker) -> Params:
    """The search parameters that ``worker`` plays with."""
    return _params_at(worker.params_address, 0)


@helper
def frame_at(worker: Worker, ply: Ply) -> Frame:
    """The frame of ``ply``, from -STACK_BASE on."""
    return worker.stack[U64(ply + STACK_BASE)]
