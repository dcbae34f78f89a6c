"""Endgame tablebases inside the search: which nodes ask, and what an answer is worth."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import int64, njit, uint64

from engine.board.fen import set_fen
from engine.board.position import POSITION_T
from engine.board.setup import new_position
from engine.board.types import I64
from engine.evaluation.evaluator import MAX_VALUE
from engine.jit import address_of, new_record, structure
from engine.search.scores import DECIDED, MATE_BOUND, MAX_PLY, TB_WIN, from_table, to_table
from engine.search.tablebase import UNKNOWN, TablebaseAccess, TablebaseRecord, install, probe_tablebase, tablebase_score

PLIES = st.integers(0, MAX_PLY // 3)

#: Four pieces, the clock at zero, no right to castle.
FOUR_PIECES = "8/8/8/3k4/8/8/PP6/K7 w - - 0 1"


@njit
def _settled(address, position):
    """A prober that always answers what its address says."""
    return I64(address) - 2


def answer(
    outcome: int, fen: str, depth: int = 1, pieces: int = 4, least: int = 1, fifty: bool = True
) -> tuple[int, int]:
    """The outcome that a node gets if the tables say ``outcome``, and the answers counted."""
    record: Any = new_record(structure(TablebaseRecord))
    function = address_of(_settled, int64(uint64, POSITION_T))
    install(record, TablebaseAccess(function, outcome + 2, pieces, least, fifty))
    position = new_position()
    set_fen(position, fen, False)
    return int(probe_tablebase(record, position, np.int64(depth))), int(record["hits"])


@pytest.mark.parametrize("outcome", range(-2, 3))
def test_an_answer_is_passed_on_and_counted(outcome: int) -> None:
    assert answer(outcome, FOUR_PIECES) == (outcome, 1)
    assert answer(outcome, FOUR_PIECES, depth=1, pieces=5, least=5) == (outcome, 1)  # fewer men: at any depth
    assert answer(UNKNOWN, FOUR_PIECES) == (UNKNOWN, 0)


@pytest.mark.parametrize(
    ("fen", "depth", "pieces", "least"),
    [
        (FOUR_PIECES.replace("0 1", "1 1"), 9, 4, 1),
        ("8/8/8/3k4/8/8/P7/R3K3 w Q - 0 1", 9, 4, 1),
        (FOUR_PIECES, 9, 3, 1),
        (FOUR_PIECES, 4, 4, 5),
    ],
    ids=["clock", "castling", "pieces", "depth"],
)
def test_nodes_that_do_not_probe(fen: str, depth: int, pieces: int, least: int) -> None:
    assert answer(2, fen, depth, pieces, least) == (UNKNOWN, 0)


def test_without_the_rule_a_spoilt_win_is_a_win() -> None:
    assert [answer(outcome, FOUR_PIECES, fifty=False)[0] for outcome in range(-2, 3)] == [-2, -2, 0, 2, 2]


@given(PLIES)
def test_scores_stand_between_mates_and_evaluations(ply: int) -> None:
    score = tablebase_score(2, ply)
    assert MAX_VALUE < DECIDED < score < MATE_BOUND
    assert tablebase_score(-2, ply) == -score
    assert tablebase_score(2, ply + 1) < score
    assert [tablebase_score(outcome, ply) for outcome in (-1, 0, 1)] == [-1, 0, 1]


@given(PLIES, PLIES)
def test_table_wins_are_stored_relative_to_the_node(ply: int, elsewhere: int) -> None:
    assert to_table(tablebase_score(2, ply), ply) == TB_WIN
    assert from_table(to_table(tablebase_score(-2, ply), ply), elsewhere, 0) == tablebase_score(-2, elsewhere)
