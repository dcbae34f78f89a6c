"""The rating list: exact on noiseless results, honest about its errors, clear about what it cannot say."""

from itertools import combinations

import numpy as np
import pytest

from tuning.common.errors import SetupError
from tuning.statistics.elo import estimate, expected_score
from tuning.statistics.ratings import fit


def chances(elo: float, drawn: float) -> np.ndarray:
    """Loss, draw and win of the stronger player."""
    score = expected_score(elo)
    return np.array([1 - score - drawn / 2, drawn, score - drawn / 2])


def test_two_players_get_the_elo_and_error_of_their_match():
    counts = (200, 300, 500)
    first, second = fit(["a", "b"], {("a", "b"): counts}).ratings
    one = estimate(counts)
    assert first.elo - second.elo == pytest.approx(one.elo, abs=1e-3)
    assert 2 * first.error == 2 * second.error == pytest.approx(one.elo_error, rel=0.01)
    assert (first.points, second.points, first.games) == (650, 350, 1000)


def test_published_baseball_example():
    """Agresti, Categorical Data Analysis: American League 1987, seven teams, home advantage ignored.

    Published log-abilities relative to Baltimore: Milwaukee 1.58, Detroit 1.44, Toronto 1.29, New York 1.25,
    Boston 1.11, Cleveland 0.68.
    """
    teams = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
    wins = np.array([
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ])  # fmt: skip
    results = {
        (teams[i], teams[j]): (int(wins[j, i]), 0, int(wins[i, j])) for i, j in combinations(range(len(teams)), 2)
    }
    found = fit(teams, results)
    elos = {rating.name: rating.elo for rating in found.ratings}
    abilities = {name: (elo - elos["Baltimore"]) * np.log(10) / 400 for name, elo in elos.items()}
    published = {"Milwaukee": 1.58, "Detroit": 1.44, "Toronto": 1.29, "New York": 1.25, "Boston": 1.11}
    for team, ability in {**published, "Cleveland": 0.68, "Baltimore": 0.0}.items():
        assert abilities[team] == pytest.approx(ability, abs=0.006)


def test_error_bars_cover_the_truth():
    """Of many simulated tournaments, about 95% have a player's true rating inside its error bar."""
    source = np.random.default_rng(11)
    truth = {"a": 60.0, "b": 10.0, "c": -70.0}
    meetings = list(combinations(truth, 2))
    covered = total = 0
    for _ in range(40):
        results = {(x, y): source.multinomial(120, chances(truth[x] - truth[y], 0.4)) for x, y in meetings}
        for rating in fit(list(truth), results).ratings:
            covered += abs(rating.elo - truth[rating.name]) <= rating.error
            total += 1
    assert 0.91 <= covered / total <= 0.985


def test_clean_score_is_marked_as_softened():
    found = fit(["a", "b", "c"], {("a", "b"): (0, 0, 20), ("a", "c"): (0, 0, 20), ("b", "c"): (8, 4, 8)})
    assert found.softened
    assert found.ratings[0].name == "a"
    assert np.isfinite(found.ratings[0].elo)
    assert not fit(["a", "b"], {("a", "b"): (1, 0, 20)}).softened
    assert found.ratings[0].error is None  # a bound
    assert all(rating.error > 0 for rating in found.ratings[1:])
    assert set(found.superiority) == {("b", "c"), ("c", "b")}
    assert [rating.error for rating in fit(["a", "b"], {("a", "b"): (0, 0, 50)}).ratings] == [None, None]


def test_few_games_have_no_error_and_drawn_ones_neither():
    """One drawn game is no certainty."""
    for counts in ((0, 1, 0), (1, 0, 1), (5, 4, 10), (0, 100, 0)):
        found = fit(["a", "b"], {("a", "b"): counts})
        assert [rating.error for rating in found.ratings] == [None, None]
        assert not found.superiority
    assert all(rating.error for rating in fit(["a", "b"], {("a", "b"): (5, 5, 10)}).ratings)


def test_unconnected_players_are_refused():
    with pytest.raises(SetupError, match=r"not connected by games.*a, b \| c, d"):
        fit(["a", "b", "c", "d"], {("a", "b"): (1, 1, 1), ("c", "d"): (1, 1, 1)})


def test_superiority_is_certain_only_with_evidence():
    few = fit(["a", "b"], {("a", "b"): (10, 0, 13)})
    many = fit(["a", "b"], {("a", "b"): (100, 0, 200)})
    assert 0.5 < few.superiority["a", "b"] < 0.9
    assert many.superiority["a", "b"] > 0.999
    assert many.superiority["a", "b"] + many.superiority["b", "a"] == pytest.approx(1)
