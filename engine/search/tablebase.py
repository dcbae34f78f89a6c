"""Endgame tablebases inside the search: which nodes are probed, and what the answers are worth.

The search calls a prober of :mod:`engine.syzygy` by its address, so that it is compiled only if there are tables."""

from dataclasses import dataclass

from engine.board.aliases import Depth, Ply, Position, Score
from engine.board.position import POSITION_T, occupied_by_all
from engine.board.types import I64
from engine.jit import Record, function_at, inlined, int64, popcount, u8, uint64
from engine.search.scores import TB_WIN
from engine.search.transposition import BOUND_EXACT, BOUND_LOWER, BOUND_UPPER

#: Outcomes for the side to move. Cursed wins and blessed losses are draws by the 50-move rule.
LOSS, BLESSED_LOSS, DRAW, CURSED_WIN, WIN = range(-2, 3)

UNKNOWN = 3  # the prober's answer if a table is missing or damaged, or if the position is checkmate
EXTRA_DEPTH = 6  # plies added to the depth of an answer stored in the transposition table


class TablebaseRecord(Record):
    """A worker's access to the tablebases."""

    function: u8  # the address of the prober
    address: u8  # of the tables, its first argument
    pieces: int  # positions with more pieces are not probed; 0: none are
    depth: int  # the minimum depth for positions with exactly this many
    fifty: int  # 1: apply the 50-move rule
    hits: int  # answers in this search


_call = function_at(int64(uint64, POSITION_T))


@dataclass(frozen=True, slots=True)
class TablebaseAccess:
    """The tablebases of a search: the fields of :class:`TablebaseRecord` except ``hits``, and their ``owner``."""

    function: int
    address: int
    pieces: int
    depth: int
    fifty: bool
    owner: object = None


def install(record: TablebaseRecord, access: TablebaseAccess | None) -> None:
    """Give the tablebase ``record`` of a worker access to the tables of ``access``; None for no tables."""
    record["pieces"] = record["hits"] = 0
    if access is not None:
        record["function"], record["address"] = access.function, access.address
        record["pieces"], record["depth"], record["fifty"] = access.pieces, access.depth, access.fifty


@inlined
def probe_tablebase(tablebase: TablebaseRecord, position: Position, depth: Depth) -> int:
    """The outcome of a node searched ``depth`` plies deep, for the side to move: LOSS .. WIN, or UNKNOWN. WDL tables
    are exact only just after a capture or pawn move and without castling rights; other nodes are not probed."""
    if position.rule50 != 0 or position.castling != 0:
        return I64(UNKNOWN)
    pieces = popcount(occupied_by_all(position))
    if pieces > tablebase.pieces or (pieces == tablebase.pieces and depth < tablebase.depth):
        return I64(UNKNOWN)
    outcome: int = _call(tablebase.function, tablebase.address, position)
    if outcome == UNKNOWN:
        return outcome
    tablebase.hits += 1
    if tablebase.fifty == 0 and (outcome == CURSED_WIN or outcome == BLESSED_LOSS):
        outcome *= 2
    return outcome


@inlined
def tablebase_score(outcome: int, ply: Ply) -> Score:
    """The score of a node with this ``outcome``, ``ply`` plies below the root. Sooner wins score higher; a win that the
    50-move rule spoils is worth next to nothing."""
    if outcome == WIN:
        return TB_WIN - ply
    if outcome == LOSS:
        return ply - TB_WIN
    return outcome


@inlined
def tablebase_bound(outcome: int) -> int:
    """The bound of an ``outcome``: draws are exact, wins lower bounds (there may be a mate), losses upper bounds."""
    if outcome == WIN:
        return I64(BOUND_LOWER)
    if outcome == LOSS:
        return I64(BOUND_UPPER)
    return I64(BOUND_EXACT)
