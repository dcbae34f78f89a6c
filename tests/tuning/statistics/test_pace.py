"""How fast one side searches: found again from times that vary, and left open where there are none."""

import math
import random

import pytest

from tuning.statistics.elo import expected_score
from tuning.statistics.pace import Pace, log_pace, pace, points_for_time


def _logs(pairs: int, ratio: float, seed: int) -> list[float]:
    """Pairs in which a node of the first side takes ``ratio`` times as long, while the machine's own speed varies."""
    source = random.Random(seed)
    logs = []
    for _ in range(pairs):
        nodes = source.randint(500, 1500), source.randint(500, 1500)
        seconds = nodes[0] * ratio * source.lognormvariate(0, 0.05), nodes[1] * source.lognormvariate(0, 0.05)
        log = log_pace(nodes, seconds)
        assert log is not None
        logs.append(log)
    return logs


def test_times_are_for_a_node() -> None:
    assert log_pace((1000, 500), (2.0, 1.0)) == 0
    assert log_pace((1000, 1000), (2.0, 1.0)) == pytest.approx(math.log(2))
    assert log_pace((500, 1000), (1.0, 1.0)) == pytest.approx(math.log(2))


@pytest.mark.parametrize(("nodes", "seconds"), [((10, 10), (0, 0)), ((10, 0), (1.0, 1.0)), ((10, 10), (1.0, 0.0))])
def test_log_pace_needs_times(nodes: tuple[int, int], seconds: tuple[float, float]) -> None:
    assert log_pace(nodes, seconds) is None


def test_too_few_pairs_give_no_estimate() -> None:
    assert pace([0.0] * 9) is None
    assert pace([0.0] * 10) == Pace(1.0, 0.0)


def test_time_is_worth_the_points_of_its_elo() -> None:
    assert points_for_time(None, 100) == 0
    assert points_for_time(math.log(2), 0) == 0
    assert points_for_time(math.log(2) / 4, 80) == pytest.approx(2 * (expected_score(20) - 0.5), rel=1e-2)
    assert points_for_time(9.0, 100) < 2 * (expected_score(50) - 0.5)  # it was paused, not slow
    assert points_for_time(-0.1, 20) == -points_for_time(0.1, 20)


def test_outliers_are_clipped() -> None:
    logs = _logs(300, 1.04, 1)
    calm, held_up = pace(logs), pace([*logs[:-2], 6.0, -5.0])
    assert held_up.ratio == pytest.approx(calm.ratio, abs=0.003)
    assert held_up.error == pytest.approx(calm.error, rel=0.2)
