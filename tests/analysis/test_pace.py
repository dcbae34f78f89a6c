"""How a game's time is shared out."""

import pytest
from chess.engine import Limit

from engine.analysis.pace import Pace


@pytest.mark.parametrize("limit", [Limit(time=60), Limit(nodes=100_000)], ids=["time", "nodes"])
def test_a_game_takes_no_more_than_it_has(limit):
    positions = 80
    pace = Pace.of(limit, positions if limit.time else 1)
    whole = pace.amount * positions
    assert positions * (pace.first() + pace.glance()) <= 0.63 * whole
    assert positions * pace.first() + pace.pool(positions) <= 0.91 * whole
    for suspects in (1, 7, 40, 80):
        left = pool = pace.pool(positions)
        for taken in range(suspects):
            left -= pace.look(left, suspects - taken)
        assert pool - left <= max(pool, suspects * pace.first() * 0.51)
        assert pace.look(pool, suspects) >= 0.79 * pace.first()
    assert pace.look(pool, 7) > 2 * pace.first()
    assert pace.look(pool, 40, 4) == pytest.approx(4 * pace.look(pool, 40), abs=4)
    assert pace.look(-5, 1) >= 1
    assert pace.third() == 10 * pace.amount > pace.look(pool, 1, 4)


def test_limits_are_of_the_kind_that_was_asked_for():
    assert Pace.of(Limit(time=60), 60).limit(500) == Limit(time=0.5)
    assert Pace.of(Limit(nodes=1000)).limit(500) == Limit(nodes=500)
    plies = Pace.of(Limit(depth=10))
    assert (plies.first(), plies.glance(), plies.look(0, 3), plies.third()) == (10, 8, 13, 16)
    assert Pace.of(Limit(depth=1)).glance() == 1
