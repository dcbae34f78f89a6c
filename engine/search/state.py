"""The records that a search works on: one :data:`WORKER` for each thread, one :data:`CONTROL` for all.

Nothing else holds state. A worker is about 0.6 MB, its frames touched only as deep as the search goes.
"""

from engine.board.position import MOVE_LIST, POSITION
from engine.evaluation.material import ACCUMULATOR
from engine.jit import record_at, record_type, structure
from engine.search.scores import MAX_PLY
from engine.search.transposition import PROBE, TABLE

#: Quiet moves and captures searched at one node, to be rewarded or punished when it is decided.
MAX_TRIED = 64

#: What the whole search shares: when to stop. ``deadline`` is in clock ticks.
CONTROL = structure(("stop", "i8"), ("deadline", "i8"), ("has_deadline", "i8"))

#: Where the staged generation of moves at one node stands (see movepick).
PICKER = structure(
    ("stage", "i8"),
    ("table_move", "i8"),
    ("cursor", "i8"),
    ("end", "i8"),
    ("skip_quiets", "i8"),
    ("bad_end", "i8"),  # losing captures wait at the front of the list
)

#: One ply of the line under search.
FRAME = structure(
    ("accumulator", ACCUMULATOR),
    ("probe", PROBE),
    ("picker", PICKER),
    ("static_eval", "i8"),
    ("move", "i8"),  # the move made here; 0 for the null move
    ("killer", "i8", (2,)),
    ("pv_length", "i8"),
    ("quiet_count", "i8"),
    ("noisy_count", "i8"),
    ("quiets", "i4", (MAX_TRIED,)),
    ("noisies", "i4", (MAX_TRIED,)),
    ("pv", "i4", (MAX_PLY + 2,)),  # the principal variation from this ply on
    ("moves", MOVE_LIST),
)

#: A root move and what the search spent on it.
ROOT_MOVE = structure(("move", "i8"), ("nodes", "i8"))

#: Everything one thread owns.
WORKER = structure(
    ("position", POSITION),
    ("table", TABLE),
    ("control_address", "u8"),
    ("node_limit", "i8"),
    ("nodes", "i8"),
    ("seldepth", "i8"),
    ("aborted", "i8"),
    ("is_main", "i8"),  # the main thread watches the clock
    ("root_score", "i8"),  # of the best root move so far
    ("root_count", "i8"),
    ("root", ROOT_MOVE, (256,)),
    ("history", "i4", (2, 64, 64)),  # [color][from][to] butterfly history of quiet moves
    ("capture_history", "i4", (16, 64, 8)),  # [piece][to][captured type]
    ("stack", FRAME, (MAX_PLY + 8,)),  # [ply]
)

WORKER_T = record_type(WORKER)

control_at = record_at(CONTROL)
