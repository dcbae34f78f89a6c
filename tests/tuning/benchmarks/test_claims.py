"""What the judge of the benchmark asks of a sentence: that it is true of a longer search, give or take a little."""

import json
import sys

import pytest

from engine.explanation.verdicts import UNSURE_CP, compare
from tuning.benchmarks import marks
from tuning.benchmarks.claims import NOTHING, compares, said_cost
from tuning.benchmarks.explanations import report

SLACK = 0.05


@pytest.mark.parametrize(
    ("kind", "had", "has", "before", "after", "true"),
    [
        ("turned", 1, -1, 0.6, 0.4, True),
        ("turned", 1, -1, 0.45, 0.4, False),
        ("gone", 2, 0, 0.6, 0.3, True),
        ("gone", 2, 0, 0.9, 0.8, False),
        ("less", 3, 2, 0.6, 0.7, True),
        ("less", 3, 2, 0.9, 0.6, False),
        ("grown", -1, -2, 0.4, 0.3, True),
        ("grown", -1, -2, 0.5, 0.3, False),
        ("anyway", -3, -3, 0.1, 0.0, True),
        ("anyway", -3, -3, 0.2, 0.0, False),
        ("now", 0, -2, 0.9, 0.2, True),
        ("now", 0, -2, 0.5, 0.4, False),
        ("decided", 1, -3, 0.95, 0.02, True),
        ("decided", 1, -3, 0.5, 0.02, False),
        ("lost", 3, 0, 0.95, 0.7, True),
        ("open", 1, 0, 0.9, 0.7, True),
        ("open", 1, 0, 0.9, 0.8, False),
        ("either", 3, 2, 0.7, 0.7, True),
        ("either", 3, 2, 0.6, 0.7, False),
        ("worse", -1, -2, 0.4, 0.3, True),
        ("worse", -1, -2, 0.5, 0.3, False),
    ],
)
def test_comparisons_are_checked_at_both_positions(kind, had, has, before, after, true):
    assert compares(kind, had, has, before, after, SLACK) is true


@pytest.mark.parametrize(
    ("drop", "least", "most"),
    [(60, -NOTHING, 2 * UNSURE_CP), (120, -NOTHING, 20_000), (250, 105, 660), (600, 275, 20_000)],
)
def test_stated_costs_have_bounds(drop, least, most):
    said = said_cost(compare(0.6, 0.37, drop))
    assert said is not None
    assert said == (pytest.approx(least, abs=1), most)
    assert said_cost(compare(0.8, 0.5, 120)) is said_cost(compare(0.8, 0.7, 60)) is None


def test_marks_of_an_annotated_game_are_judged(tmp_path, capsys):
    games, known = tmp_path / "fool.pgn", tmp_path / "known.jsonl"
    games.write_text("1. f3 e5 2. g4 Qh4# 0-1\n", encoding="utf-8")
    words = [str(games), "--judge", f"{sys.executable} uci_main.py", "--nodes", "1000", "--judge-nodes", "1000"]
    assert marks.main([*words, "--known", str(known)]) == 0
    counts = dict(line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines() if line[-1:].isdigit())
    assert counts["?? marks"] == counts["?? confirmed"] == "1"
    assert {json.loads(line)["nodes"] for line in known.read_text("utf-8").splitlines()} == {1000}


def test_games_that_are_missing_are_named(tmp_path, capsys):
    assert marks.main([str(tmp_path / "none.pgn"), "--judge", sys.executable]) == 2
    assert "none.pgn: No such file" in capsys.readouterr().out


def test_marks_with_themes_and_true_ones_are_counted(capsys):
    said = [("fork", ""), ("mateIn2", "no mate in 2"), ("comparison", "")]
    report([dict(theme=theme, doubt=doubt, agrees=None, sample={"source": "??"}) for theme, doubt in said], 1)
    assert "??: 2 of 3 have a theme, 1 of 2 are borne out\n" in capsys.readouterr().out
