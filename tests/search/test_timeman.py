"""The time for one move never exceeds what the clock has left, whatever the GUI sends."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Limits
from engine.search import timeman
from engine.search.parameters import Parameters
from engine.search.timeman import MIN_TIME_MS, Budget, NodeClock, pace_of
from tests.search.conftest import Bare
from tests.search.conversation import wait_until

CLOCKS = st.none() | st.integers(-1000, 10_000_000)
INCREMENTS = st.integers(0, 100_000)
LIMITS = st.builds(
    Limits,
    wtime=CLOCKS,
    btime=CLOCKS,
    winc=INCREMENTS,
    binc=INCREMENTS,
    movestogo=st.none() | st.integers(0, 200),
    movetime=st.none() | st.integers(0, 1_000_000),
    depth=st.none() | st.integers(1, 20),
    nodes=st.none() | st.integers(1, 1000),
)
OVERHEADS = st.integers(0, 5000)
PARAMETERS = Parameters()


def plan(limits: Limits, white_to_move: bool, overhead: int) -> Budget:
    """The budget by the engine's own parameters."""
    return timeman.plan(limits, white_to_move, overhead, PARAMETERS)


@given(LIMITS, st.booleans(), OVERHEADS)
def test_a_budget_never_exceeds_what_is_left(limits: Limits, white: bool, overhead: int) -> None:
    budget = plan(limits, white, overhead)
    left = limits.wtime if white else limits.btime
    if left is None and limits.movetime is None:
        assert budget == Budget(None, None)
        return
    assert MIN_TIME_MS <= budget.optimum <= budget.maximum
    if left is not None:
        assert budget.maximum <= max(left - overhead, MIN_TIME_MS)
    if limits.movetime is not None:
        assert budget.maximum <= max(limits.movetime, MIN_TIME_MS)


@given(LIMITS, st.booleans(), OVERHEADS, CLOCKS, INCREMENTS)
def test_the_opponents_clock_does_not_matter(limits, white, overhead, clock, increment):
    other = replace(limits, **({"btime": clock, "binc": increment} if white else {"wtime": clock, "winc": increment}))
    assert plan(other, white, overhead) == plan(limits, white, overhead)


@given(LIMITS, OVERHEADS)
def test_both_sides_are_treated_alike(limits: Limits, overhead: int) -> None:
    swapped = replace(limits, wtime=limits.btime, btime=limits.wtime, winc=limits.binc, binc=limits.winc)
    assert plan(swapped, True, overhead) == plan(limits, False, overhead)


@given(LIMITS, OVERHEADS, st.integers(0, 10**6))
def test_more_time_never_means_less(limits: Limits, overhead: int, more: int) -> None:
    if limits.wtime is None:
        return
    before = plan(limits, True, overhead)
    after = plan(replace(limits, wtime=limits.wtime + more), True, overhead)
    assert after.optimum >= before.optimum
    assert after.maximum >= before.maximum


def test_last_move_before_time_control_may_use_most_time() -> None:
    maximum = plan(Limits(wtime=60_000, movestogo=1), True, 30).maximum
    assert 30_000 < maximum <= 60_000 - 30
    assert plan(Limits(wtime=2000, movestogo=40), True, 100).optimum == pytest.approx(25)
    assert 900 <= plan(Limits(movetime=1000), True, 30).maximum <= 1000


@pytest.mark.parametrize(
    ("clock", "increment", "lost", "moves"),
    [(60_000, 0, 100, 110), (10_000, 0, 20, 180), (3000, 0, 20, 108), (3000, 1, 20, 107), (1000, 0, 5, 155)],
)
def test_sudden_death_outlasts_the_overhead_of_many_moves(clock, increment, lost, moves):
    """``lost`` goes with every move; every tenth takes the maximum."""
    left = float(clock)
    for move in range(moves):
        budget = plan(Limits(wtime=int(left), winc=increment), True, 100)
        left -= (budget.optimum if move % 10 else budget.maximum) + lost
        assert left > 0
        left += increment


@given(clock=st.integers(1000, 10**7), moves=st.integers(2, 100), overhead=st.integers(0, 5000))
def test_overhead_of_later_moves_leaves_a_sensible_share(clock: int, moves: int, overhead: int) -> None:
    budget = plan(Limits(wtime=clock, movestogo=moves), True, overhead)
    assert budget.optimum >= 0.7 * min(clock / 2, clock - overhead) / moves


@given(
    share=st.integers(20, 5000),
    moves=st.integers(1, 100),
    overhead=st.integers(0, 5000),
    increment=st.sampled_from([0, 0, 10, 1000]),
    takes=st.lists(st.booleans(), min_size=1, max_size=5),
)
def test_clock_lasts_to_the_time_control_with_the_overhead(share, moves, overhead, increment, takes):
    """Whether moves take the optimum or the maximum, in any order. An overhead that is half of the time or more cannot
    be kept, but one of that size is survived, whatever was promised."""
    left = float(share * moves)
    lost = min(overhead, share / 2)
    for move, togo in enumerate(range(moves, 0, -1)):
        budget = plan(Limits(wtime=int(left), winc=increment, movestogo=togo), True, overhead)
        assert MIN_TIME_MS <= budget.optimum <= budget.maximum
        left -= (budget.maximum if takes[move % len(takes)] else budget.optimum) + lost
        assert left > -1e-6
        left += increment


def test_a_clock_of_nodes_keeps_its_own_count() -> None:
    clock = NodeClock()
    limits = Limits(wtime=10_000, btime=3_000, winc=100)
    assert clock.limits_for(limits, True) is limits  # time is time
    clock.rate = 20
    assert clock.limits_for(limits, True).wtime == 10_000
    clock.spend(40_000)  # two seconds
    assert clock.limits_for(replace(limits, wtime=77), True).wtime == 8_100
    clock.spend(1_000_000)
    assert clock.limits_for(limits, True).wtime == 0
    clock.reset()
    assert clock.limits_for(limits, True).wtime == 10_000
    untimed = Limits(depth=3)
    assert clock.limits_for(untimed, True) is untimed
    clock.spend(40_000)  # not on the clock
    assert clock.limits_for(limits, True).wtime == 10_000


def test_a_ponder_miss_costs_no_nodes(bare: Callable[..., Bare]) -> None:
    search = bare()
    search.pool.node_clock.rate = 1
    limits = Limits(wtime=1_000_000, btime=1_000_000)
    threading.Thread(target=lambda: (wait_until(lambda: search.pool.nodes > 0), search.signals.stop())).start()
    search.search(replace(limits, ponder=True))
    assert search.pool.node_clock.limits_for(limits, True).wtime == 1_000_000


def test_a_settled_choice_gets_less_time_and_a_doubtful_one_more() -> None:
    assert pace_of(PARAMETERS.record, share=0.95, stable=8, drop=0) < 0.8
    assert pace_of(PARAMETERS.record, share=0.3, stable=0, drop=10) > 1.5


@pytest.mark.parametrize("parameter", ["TimeEffort", "TimeStability", "TimeTrend"])
def test_each_rule_of_the_pace_can_be_switched_off(parameter: str) -> None:
    parameters = Parameters()
    changed = {"TimeEffort": (0.9, 1, 0), "TimeStability": (0.5, 0, 0), "TimeTrend": (0.5, 1, 40)}[parameter]
    assert pace_of(parameters.record, *changed) != pace_of(parameters.record, 0.5, 1, 0)
    parameters.set(parameter, 0)
    assert pace_of(parameters.record, *changed) == pace_of(parameters.record, 0.5, 1, 0)
