"""SPSA: it climbs a known hill, replays exactly, and plays within the parameters' ranges."""

import json
import math
import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.search.parameters import TUNABLES, Tunable
from tests.tuning.conftest import finished, run_tool
from tuning import spsa
from tuning.common.errors import SetupError
from tuning.common.results import read_events
from tuning.learning.spsa import Spsa, load_tunables, play
from tuning.matches.openings import RandomOpenings
from tuning.selfplay.batches import DuelPair, Matchup, PairBatch
from tuning.selfplay.duel import Duel, DuelRules
from tuning.statistics.elo import expected_score


class Row(NamedTuple):
    name: str
    default: int
    minimum: int
    maximum: int
    step: int


ROWS = (Row("A", 100, 0, 200, 10), Row("B", 50, 0, 100, 5), Row("C", 3, 1, 4, 1))


def elo_at(setting: dict[str, int]) -> float:
    """A hill with its top at A = 140, B = 30; C changes nothing."""
    return -(((setting["A"] - 140) / 4) ** 2) - ((setting["B"] - 30) / 2) ** 2


def climb(iterations: int, seed: int = 3, height: float = 1) -> Spsa:
    source = random.Random(seed)
    climber = Spsa(ROWS, iterations, rate=0.02, seed=seed)
    for iteration in range(iterations):
        plus, minus = climber.candidates(iteration)
        score = expected_score(height * (elo_at(plus) - elo_at(minus)))
        climber.update(iteration, sum(source.random() < score for _ in range(2)))
    return climber


def test_it_finds_the_top_of_a_noisy_hill():
    spsa = climb(3000)
    assert spsa.theta["A"] == pytest.approx(140, abs=10)
    assert spsa.theta["B"] == pytest.approx(30, abs=5)
    assert len(spsa.history["A"]) == 3000


def test_games_say_more_than_chance_only_where_there_is_a_hill():
    signal, error = climb(300).signal()
    assert signal > 1 + 5 * error
    plain = [climb(200, seed, height=0).signal()[0] for seed in range(30)]
    assert sum(plain) / 30 == pytest.approx(1, abs=3 * error / math.sqrt(30))
    assert math.isnan(Spsa(ROWS, 10).signal()[0])


def test_candidates_straddle_the_values_within_their_range():
    spsa = Spsa(ROWS, 1000)
    middles = {row.name: 0.0 for row in ROWS}
    for iteration in range(1000):
        pair = spsa.candidates(iteration)
        for row in ROWS:
            for setting in pair:
                assert row.minimum <= setting[row.name] <= row.maximum
                middles[row.name] += setting[row.name] / 2000
    assert middles["A"] == pytest.approx(100, abs=0.5)
    assert middles["B"] == pytest.approx(50, abs=0.5)


def test_parameters_are_tuned_except_switches(monkeypatch: pytest.MonkeyPatch):
    switch = Tunable("Idea", 0, 0, 1, 1)
    monkeypatch.setattr("engine.search.parameters.TUNABLES", (*TUNABLES, switch))
    tunables = load_tunables()
    assert len(tunables) > 10
    assert switch not in tunables  # it has no slope
    assert load_tunables(["Idea", tunables[1].name]) == [switch, tunables[1]]
    with pytest.raises(SetupError, match="no search parameter is called Nonsense"):
        load_tunables(["Nonsense"])


SHORT = ("--hash", "1", "--option", "EvalType=Material")


def _run(monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str]:
    """The exit code and what was printed."""
    return run_tool(monkeypatch, spsa.main, *words, "--scheduler", "here")


def _draw_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture of all parameters takes seconds; one test looks at it."""
    monkeypatch.setattr("tuning.common.plots.save", lambda figure, path: None)
    monkeypatch.setattr("tuning.learning.plots.trajectory_figure", lambda *values: None)


def test_it_learns_in_the_arena_and_resumes(monkeypatch, tmp_path):
    _draw_nothing(monkeypatch)
    whole, torn = tmp_path / "whole.jsonl", tmp_path / "torn.jsonl"
    words = ("--iterations", "8", "--rate", "0.1", "--json", str(whole))
    page = finished(_run(monkeypatch, "--nodes", "150", *SHORT, *words))
    assert "FutilityMargin" in page
    assert "TimeEffort" not in page  # it does nothing there
    events = list(read_events(whole))
    assert [data["iteration"] for kind, data in events if kind == "pair"] == list(range(8))
    assert any(data["points"] != 1 for kind, data in events if kind == "pair")
    values = events[-1][1]
    assert values != {tunable.name: float(tunable.default) for tunable in load_tunables(list(values))}
    torn.write_text("".join(whole.read_text().splitlines(keepends=True)[:4]) + '{"pair":{"iter')
    assert _run(monkeypatch, "--resume", str(torn))[0] == 0
    assert _untimed(torn) == _untimed(whole)
    for damage in ('{"pair":{"iteration":0}}', '{"pair":{"iteration":0,"points":"x"}}'):
        torn.write_text(whole.read_text().splitlines()[0] + f"\n{damage}\n")
        code, page = _run(monkeypatch, "--resume", str(torn))
        assert code == 2
        assert "torn.jsonl is damaged" in " ".join(page.split())


def _untimed(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """What a results file tells, without the times, which no run repeats."""
    events = list(read_events(path))
    for kind, data in events:
        if kind == "pair":
            assert abs(data.pop("log_pace")) < 10
    return events


def test_doubling_charges_for_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path, longer = tmp_path / "r.jsonl", tmp_path / "longer.jsonl"
    words = ("--only", "NoisySeeDepth", "FutilityMargin", "--iterations", "3", "--rate", "0.1")
    assert _run(monkeypatch, "--nodes", "150", *SHORT, *words, "--doubling", "100", "--json", str(path))[0] == 0
    assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    _draw_nothing(monkeypatch)
    begun = [json.loads(line) for line in path.read_text().splitlines()]
    pairs = [line["pair"] for line in begun if "pair" in line]

    def by_hand(doublings: float) -> dict[str, float]:
        learner = Spsa(load_tunables(words[1:3]), 3, 0.1)
        for pair in pairs:
            learner.update(pair["iteration"], pair["points"] - 2 * 100 * doublings / (1600 / math.log(10)))
        return learner.theta

    for pair in pairs:  # the same games, had the plus side's nodes taken so long
        pair["log_pace"] = math.log(1.2)
    longer.write_text("".join(f"{json.dumps(line)}\n" for line in begun if "values" not in line))
    assert _run(monkeypatch, "--resume", str(longer))[0] == 0
    values = dict(read_events(longer))["values"]
    assert values == pytest.approx(by_hand(math.log2(1.2))) != pytest.approx(by_hand(0))


def test_parameters_of_time_are_tuned_with_a_clock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _draw_nothing(monkeypatch)
    path = tmp_path / "clock.jsonl"
    words = ("--clock", "900+9", *SHORT, "--iterations", "2", "--json", str(path))
    page = finished(_run(monkeypatch, *words))
    assert "TimeMoves" in page
    assert "FutilityMargin" in page
    assert _run(monkeypatch, "--resume", str(path)) == (0, page)  # nothing is left to play


def test_the_points_are_those_of_the_plus_side() -> None:
    meeting = Matchup(rules=DuelRules(nodes=300, hash=1))
    plain, other = {"FutilityDepth": 8}, {"NoisySeeDepth": 0, "LateMovePruningDepth": 0, "ReverseFutilityDepth": 0}
    duel = Duel(meeting.rules, {}, {name: str(value) for name, value in other.items()})
    points: list[float] = []
    for number in range(6):
        opening = RandomOpenings(8, 1).opening(number)
        first, second = duel.play_pair(opening)
        points.append((first.result + 2 - second.result) / 2)
        for candidates, expected in (((plain, other), points[-1]), ((other, plain), 2 - points[-1])):
            learned = play(PairBatch(meeting, (DuelPair(number, opening, candidates),)), lambda item: None)
            assert (learned.iteration, learned.points) == (number, expected)
    assert any(value != 1 for value in points)
