"""Endgame tables inside the search: which nodes are looked up, and what the answers are worth.

Win, draw or loss comes from a compiled prober of which the search knows no more than an address (see
:mod:`engine.syzygy`): nobody who has no tables waits for it to be compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numba import int64, uint64

from engine.board.position import POSITION_T, occupied_by_all
from engine.board.types import I64
from engine.jit import function_at, helper, popcount, structure
from engine.search.scores import DRAW, TABLE_WIN

#: The prober's answers go from -2 (loss) by 0 (draw) to 2 (win), with 1 and -1 for wins and losses that the 50-move
#: rule makes draws; this one says that the search has to find out.
UNKNOWN = 3

#: Plies that a table's answer counts as deeper, in the transposition table, than the search that asked for it.
EXTRA_DEPTH = 6

#: What a worker knows of the tables.
TABLES = structure(
    ("function", "u8"),  # the address of the prober
    ("address", "u8"),  # of the tables, its first argument
    ("men", "i8"),  # the most men with which positions are looked up; 0: none are
    ("depth", "i8"),  # the least depth at which those with the most men are
    ("fifty", "i8"),  # 1: the 50-move rule counts
    ("hits", "i8"),  # answers in this search
)

_call = function_at(int64(uint64, POSITION_T))


@dataclass(frozen=True, slots=True)
class Access:
    """The tables that a search may ask: the fields of :data:`TABLES` but for the count."""

    function: int
    address: int
    men: int
    depth: int
    fifty: bool


def install(record: Any, access: Access | None) -> None:
    """Have the TABLES ``record`` of a worker reach the tables of ``access``; None for no tables."""
    record["men"] = record["hits"] = 0
    if access is not None:
        record["function"], record["address"] = access.function, access.address
        record["men"], record["depth"], record["fifty"] = access.men, access.depth, access.fifty


@helper
def look_up(tables, position, depth):
    """What the tables say of a node searched ``depth`` plies deep, for the side to move: -2 .. 2, or UNKNOWN.

    They hold when the 50-move clock has just been set back and nobody may castle, so only such nodes ask.
    """
    if position.rule50 != 0 or position.castling != 0:
        return I64(UNKNOWN)
    men = popcount(occupied_by_all(position))
    if men > tables.men or (men == tables.men and depth < tables.depth):
        return I64(UNKNOWN)
    outcome = _call(tables.function, tables.address, position)
    if outcome == UNKNOWN:
        return outcome
    tables.hits += 1
    if tables.fifty == 0 and (outcome == 1 or outcome == -1):
        outcome *= 2
    return outcome


@helper
def outcome_score(outcome, ply):
    """The score of a node ``ply`` plies below the root with this ``outcome``: a win is the better the sooner it is
    reached, and a win that the 50-move rule spoils next to nothing."""
    if outcome > 1:
        return TABLE_WIN - ply
    if outcome < -1:
        return ply - TABLE_WIN
    return DRAW + outcome
