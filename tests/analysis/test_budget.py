"""How a game's time is shared out."""

import pytest
from chess.engine import Limit

from engine.analysis.budget import AnalysisBudget


@pytest.mark.parametrize("limit", [Limit(time=60), Limit(nodes=100_000)], ids=["time", "nodes"])
def test_a_game_takes_no_more_than_it_has(limit):
    positions = 80
    budget = AnalysisBudget.of(limit, positions if limit.time else 1)
    whole = budget.amount * positions
    assert positions * (budget.first() + budget.glance()) <= 0.63 * whole
    assert positions * budget.first() + budget.pool(positions) <= 0.91 * whole
    for suspects in (1, 7, 40, 80):
        left = pool = budget.pool(positions)
        for taken in range(suspects):
            left -= budget.look(left, suspects - taken)
        assert pool - left <= max(pool, suspects * budget.first() * 0.51)
        assert budget.look(pool, suspects) >= 0.79 * budget.first()
    assert budget.look(pool, 7) > 2 * budget.first()
    assert budget.look(pool, 40, 4) == pytest.approx(4 * budget.look(pool, 40), abs=4)
    assert budget.look(-5, 1) >= 1
    assert budget.third() == 10 * budget.amount > budget.look(pool, 1, 4)


def test_limits_are_of_the_kind_that_was_asked_for():
    assert AnalysisBudget.of(Limit(time=60), 60).limit(500) == Limit(time=0.5)
    assert AnalysisBudget.of(Limit(nodes=1000)).limit(500) == Limit(nodes=500)
    plies = AnalysisBudget.of(Limit(depth=10))
    assert (plies.first(), plies.glance(), plies.look(0, 3), plies.third()) == (10, 8, 13, 16)
    assert AnalysisBudget.of(Limit(depth=1)).glance() == 1
