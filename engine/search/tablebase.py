"""Endgame tablebases inside the search: which nodes are probed, and what the answers are worth.

Win, draw or loss comes from a compiled prober of which the search knows no more than an address (see
:mod:`engine.syzygy`): without tables nobody waits for it to be compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numba import int64, uint64

from engine.board.aliases import Depth, Ply, Position, Score
from engine.board.position import POSITION_T, occupied_by_all
from engine.board.types import I64
from engine.jit import Record, function_at, helper, popcount, structure, u8
from engine.search.scores import TB_WIN
from engine.search.transposition import BOUND_EXACT, BOUND_LOWER, BOUND_UPPER

#: The outcomes, for the side to move. Cursed wins and blessed losses are draws by the 50-move rule.
LOSS, BLESSED_LOSS, DRAW, CURSED_WIN, WIN = range(-2, 3)

#: The prober's answer if it has none: a table is missing or damaged, or the position is a checkmate.
UNKNOWN = 3

#: In the transposition table an answer counts as so many plies deeper than the search that asked for it.
EXTRA_DEPTH = 6


class TablebaseRecord(Record):
    """What a worker knows of the tables."""

    function: u8  # the address of the prober
    address: u8  # of the tables, its first argument
    pieces: int  # positions with more pieces are not probed; 0: none are
    depth: int  # the minimum depth for positions with just as many
    fifty: int  # 1: the 50-move rule counts
    hits: int  # answers in this search


TABLEBASE = structure(TablebaseRecord)

_call = function_at(int64(uint64, POSITION_T))


@dataclass(frozen=True, slots=True)
class TablebaseAccess:
    """The tables that a search may probe: the fields of :data:`TABLEBASE` but for the count."""

    function: int
    address: int
    pieces: int
    depth: int
    fifty: bool


def install(record: Any, access: TablebaseAccess | None) -> None:
    """Have the TABLEBASE ``record`` of a worker reach the tables of ``access``; None for no tables."""
    record["pieces"] = record["hits"] = 0
    if access is not None:
        record["function"], record["address"] = access.function, access.address
        record["pieces"], record["depth"], record["fifty"] = access.pieces, access.depth, access.fifty


@helper
def probe_tablebase(tablebase: TablebaseRecord, position: Position, depth: Depth) -> int:
    """The outcome of a node searched ``depth`` plies deep, for the side to move: LOSS .. WIN, or UNKNOWN.

    The tables are right only just after a capture or pawn move and without castling rights, so other nodes do not ask.
    """
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


@helper
def tablebase_score(outcome: int, ply: Ply) -> Score:
    """The score of a node with this ``outcome``, ``ply`` plies below the root: the sooner a win is reached, the better;
    a win that the 50-move rule spoils is worth next to nothing."""
    if outcome == WIN:
        return TB_WIN - ply
    if outcome == LOSS:
        return ply - TB_WIN
    return outcome


@helper
def tablebase_bound(outcome: int) -> int:
    """What the score of an ``outcome`` says: a draw is exact, a win a lower bound (there may be a mate in sight), a
    loss an upper one."""
    if outcome == WIN:
        return I64(BOUND_LOWER)
    if outcome == LOSS:
        return I64(BOUND_UPPER)
    return I64(BOUND_EXACT)
