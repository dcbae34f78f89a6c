"""How a game's time is shared out."""

from itertools import pairwise

import pytest
from chess.engine import Limit

from engine.analysis.budget import SUSPECT_ROUND, AnalysisBudget


@pytest.mark.parametrize("limit", [Limit(time=60), Limit(nodes=100_000)], ids=["time", "nodes"])
def test_comparisons_double_and_a_move_takes_no_more_than_ten_positions(limit):
    budget = AnalysisBudget.of(limit, 80 if limit.time else 1)
    assert budget.first_amount == budget.amount // 2
    rounds = budget.rounds
    assert [after / before for before, after in pairwise(rounds)] == pytest.approx([2] * (len(rounds) - 1), abs=0.1)
    assert 5 * budget.amount < 2 * sum(rounds) <= 10 * budget.amount == budget.max_amount
    assert len(rounds) - SUSPECT_ROUND >= 3


def test_limits_are_of_the_kind_that_was_asked_for():
    assert AnalysisBudget.of(Limit(time=60), 60).limit(500) == Limit(time=0.5)
    assert AnalysisBudget.of(Limit(nodes=1000)).limit(500, 7) == Limit(nodes=500, depth=7)
    plies = AnalysisBudget.of(Limit(depth=10))
    assert plies.first_amount == 10
    assert plies.limit(12, 11) == Limit(depth=11)
    assert plies.rounds == [9, 10, 11, 12, 13, 14, 15]
    assert AnalysisBudget.of(Limit(depth=1)).rounds[0] == 1
