"""Mate scores count from the root in the search, from the node in the table, and in moves for people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Score
from engine.search.scores import (
    DECIDED,
    INFINITY,
    MATE,
    MATE_BOUND,
    MAX_PLY,
    NONE,
    TB_WIN,
    from_table,
    mated_in,
    to_message,
    to_table,
)

PLIES = st.integers(0, MAX_PLY // 3)


@given(st.integers(-DECIDED, DECIDED), PLIES)
def test_centipawns_are_stored_as_they_are(score: int, ply: int) -> None:
    assert to_table(score, ply) == score
    assert from_table(score, ply, 99) == score


@given(PLIES, PLIES, PLIES)
def test_a_mate_keeps_its_distance_from_the_node(distance: int, stored_at: int, found_at: int) -> None:
    for sign in (1, -1):
        stored = to_table(sign * mated_in(stored_at + distance), stored_at)
        assert from_table(stored, found_at, 0) == sign * mated_in(found_at + distance)


@pytest.mark.parametrize(
    ("rule50", "plies", "is_mate"), [(0, 80, True), (60, 40, True), (60, 41, False), (99, 1, True), (99, 3, False)]
)
def test_a_mate_after_the_clock_has_run_out_is_none(rule50: int, plies: int, is_mate: bool) -> None:
    for sign in (1, -1):
        score = from_table(sign * (MATE - plies), 0, rule50)
        assert score == sign * (MATE - plies if is_mate else DECIDED)


def test_the_scale_has_its_order_and_fits_16_bits() -> None:
    assert 0 < DECIDED < TB_WIN - MAX_PLY < TB_WIN < MATE_BOUND
    assert MATE_BOUND < MATE - MAX_PLY + 1 <= -mated_in(MAX_PLY - 1) < MATE < INFINITY < NONE < 2**15


@pytest.mark.parametrize(
    ("plies", "moves"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (7, 4), (99, 50), (MAX_PLY - 1, MAX_PLY // 2)]
)
def test_mates_are_reported_in_moves(plies: int, moves: int) -> None:
    assert to_message(MATE - plies) == Score(mate=moves)
    assert to_message(mated_in(plies)) == Score(mate=-moves)
    assert to_message(mated_in(0)) == Score(mate=0)


@given(st.integers(-MATE_BOUND, MATE_BOUND), st.sampled_from(["", "lowerbound", "upperbound"]))
def test_other_scores_are_in_centipawns(score: int, bound: str) -> None:
    assert to_message(score, bound) == Score(cp=score, bound=bound)
