"""A player's report: which differences it tells, and what it sums up."""

import re
from collections.abc import Callable
from math import comb
from random import Random
from typing import Any

import pytest

from engine.analysis.player import chance_of, report_of
from engine.analysis.report import PHASES


def played(rate: Callable[[int, int], float], random: Random, games: int = 40, **fields: Any) -> list[dict[str, Any]]:
    """Games of Ann with both colours, 30 moves each, as their pages show them; ``rate`` is the share of her bad moves,
    by the game's number and the ply. She has a winning position in every game and wins every other one."""
    found = []
    for number in range(games):
        side = number % 2
        plies = [{"bands": (90, 5, 5) if side == 0 else (5, 5, 90), "phase": ply // 21} for ply in range(61)]
        for ply in range(1, 61):
            if (1 + ply) % 2 == side and random.random() < rate(number, ply):
                plies[ply] |= {
                    "try": {},
                    "theme": random.choice(["hanging", "hanging", "fork"]),
                    "missed": ply % 3 == 0,
                }
        sides = [{"name": name, "moves": 30, "accuracy": "80.0%", "loss": "30"} for name in ("Ann", "Bob")]
        won = ("1-0", "0-1")[side] if number % 4 > 1 else "1/2-1/2"
        found.append({"sides": sides[:: 1 - 2 * side], "plies": plies, "first": [1, True], "result": won,
                      "date": f"2026.01.{games - number:02}", "opening": "C20 King's Pawn Game", **fields})  # fmt: skip
    return found


def test_report_starts_with_significant_differences() -> None:
    cases: list[tuple[Callable[[int, int], float], str]] = [
        (lambda number, ply: 0.2 if number % 2 else 0.08, "with Black are bad, but only .*% of those with White"),
        (lambda number, ply: 0.2 if ply > 41 else 0.08, "in the endgame are bad, but only .*% of those in the other"),
        (lambda number, ply: 0.2 if number < 20 else 0.08, "in the last 20 games are bad, but only .* in the first 20"),
        (lambda number, ply: 0.1, "No difference between kinds of moves is more than chance"),
    ]
    for rate, sentence in cases:
        report = report_of(played(rate, Random(1)), "Ann", PHASES)
        assert report
        assert re.search(sentence, report["differences"][0])
        assert len(report["differences"]) == 1
        assert ("There is no clear trend" in report["advice"][-1]) is ("last 20" not in sentence)


def test_report_has_few_false_differences() -> None:
    random, told = Random(2), 0
    for _ in range(50):
        report = report_of(played(lambda number, ply: 0.1, random, games=20), "Ann", PHASES)
        assert report
        told += "is more than chance" not in report["differences"][0]
    assert told <= 5


def test_significance_is_that_of_fisher_s_exact_test() -> None:
    """The probability, with these sums, of a table that is no likelier than this one."""
    random = Random(3)
    for _ in range(200):
        among, others = random.randint(1, 300), random.randint(1, 300)
        found = random.randint(0, among), random.randint(0, others)
        bad = sum(found)
        ways = [comb(among, one) * comb(others, bad - one) for one in range(bad + 1)]
        chance = sum(way for way in ways if way <= ways[found[0]]) / comb(among + others, bad)
        assert chance_of(found[0], among, found[1], others) == pytest.approx(chance, rel=1e-5)


def test_report_has_advice_and_tables() -> None:
    games = played(lambda number, ply: 0.1, Random(4))
    report = report_of(games, "Ann", PHASES)
    assert report
    tables = {table["title"]: table for table in report["tables"]}
    bad = [
        [number, ply] for number, game in enumerate(games) for ply, found in enumerate(game["plies"]) if "try" in found
    ]
    hanging = [[number, ply] for number, ply in bad if games[number]["plies"][ply]["theme"] == "hanging"]
    assert report["lessons"] == [{"name": "hanging piece", "places": hanging}, {"name": "", "places": bad}]
    assert report["advice"][:2] == [
        "Games with a winning position: 40; not won: 20.",
        f"The theme to train first: hanging piece, {len(hanging)} of {len(bad)} bad moves that have a theme.",
    ]
    won, missed = tables["Winning positions"], tables["Missed"]
    assert {row["name"]: row["cells"] for row in won["rows"]} == {"not won": ["10", "10"], "won": ["10", "10"]}
    assert all(games[game]["plies"][ply - 1]["bands"] for row in won["rows"] for game, ply in row["places"])
    assert missed["columns"] == ["White", "Black"]
    assert all(sum(map(int, row["cells"])) == len(row["places"]) for row in missed["rows"])
    assert [row["name"] for row in tables["Trend"]["rows"]] == ["first 20 games", "last 20 games"]
    assert {number for number, _ in tables["Trend"]["rows"][0]["places"]} <= set(
        range(20, 40)
    )  # the dates run backwards
    assert [row["cells"][0] for row in tables["Colour"]["rows"]] == ["15/20", "15/20"]
