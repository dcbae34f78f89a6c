"""Screening: what each of many ideas is worth is found again from games in which all of them were mixed."""

import math
import random
from pathlib import Path

import pytest

from tests.tuning.conftest import finished, run_tool
from tuning.arena import main
from tuning.common.results import read_events
from tuning.selfplay.screening import Screening
from tuning.statistics.elo import ELO_PER_POINT

IDEAS = (("Good", 1), ("Bad", 2), ("Idle", 3), ("Fair", 4))
WORTH = {"Good": 40.0, "Bad": -30.0, "Idle": 0.0, "Fair": 15.0}


def _played(pairs: int, seed: int = 5) -> Screening:
    """A screening of so many pairs, whose games are won by chance and by what :data:`WORTH` says."""
    screening, source = Screening(IDEAS, 9), random.Random(seed)
    for number in range(pairs):
        first, second = screening.values(number)
        better = sum(WORTH[name] for name in first) - sum(WORTH[name] for name in second)
        chance = 0.5 + better / ELO_PER_POINT
        halves = sum(2 * (source.random() < chance) for _ in range(2))
        screening.add(number, halves)
    return screening


def test_ideas_are_assigned_evenly() -> None:
    screening = Screening(IDEAS, 3)
    firsts = dict.fromkeys(WORTH, 0)
    for number in range(400):
        first, second = screening.values(number)
        assert first.keys() | second.keys() == WORTH.keys()
        assert not first.keys() & second.keys()
        assert first.items() | second.items() == set(IDEAS)
        for name in first:
            firsts[name] += 1
    assert all(160 < count < 240 for count in firsts.values())


def test_the_plan_follows_from_the_seed() -> None:
    plans = [[Screening(IDEAS, seed).values(number) for number in range(50)] for seed in (3, 3, 4)]
    assert plans[0] == plans[1] != plans[2]


def test_it_finds_what_each_idea_is_worth() -> None:
    effects = _played(20_000).effects()
    assert [effect.idea[0] for effect in effects] == ["Good", "Fair", "Idle", "Bad"]
    for effect in effects:
        assert 2 < effect.error < 4  # of 40,000 games without draws
        assert abs(effect.elo - WORTH[effect.idea[0]]) < 1.5 * effect.error


def test_it_finds_what_each_idea_costs_in_time() -> None:
    costs = {"Good": 1.05, "Bad": 0.98, "Idle": 1.0, "Fair": 1.02}
    screening, source = Screening(IDEAS, 9), random.Random(6)
    for number in range(400):
        first, second = screening.values(number)
        log = sum(math.log(costs[name]) for name in first) - sum(math.log(costs[name]) for name in second)
        held_up = 7.0 if number == 123 else 0.0  # paused in the middle of a search
        screening.add(number, source.randrange(5), log + source.gauss(0, 0.05) + held_up)
    for effect in screening.effects():
        assert abs(effect.time.ratio - costs[effect.idea[0]]) < 1.5 * effect.time.error < 0.02


def test_too_few_pairs_give_no_estimate() -> None:
    assert _played(39).effects() == []
    assert len(_played(40).effects()) == 4


def _run(monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str]:
    quick = () if "--resume" in words else ("--each", "EvalType=Material", "--nodes", "100", "--hash", "1")
    return run_tool(monkeypatch, main, *quick, *words, "--scheduler", "here")


def test_the_arena_screens_and_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "screen.jsonl"
    ideas = ("--screen", "ReductionBase=20", "FutilityDepth=0")
    code, page = _run(monkeypatch, *ideas, "--games", "36", "--json", str(path))
    assert (code, "too few pairs" in page) == (0, True)
    page = finished(_run(monkeypatch, "--resume", str(path), "--games", "60"))
    assert "ReductionBase=20" in page
    assert "FutilityDepth=0" in page
    events = list(read_events(path))
    assert sorted(data["number"] for kind, data in events if kind == "pair") == list(range(30))
    effects = {effect["idea"][0]: effect for effect in dict(events)["summary"]["effects"]}
    assert effects.keys() == {"ReductionBase", "FutilityDepth"}
    assert all(effect["error"] > 0 for effect in effects.values())
    assert all(effect["time"]["ratio"] > 0 for effect in effects.values())
