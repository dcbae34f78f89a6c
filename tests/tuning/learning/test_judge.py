"""Evaluations beside the static values of another engine."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from tests.tuning.lines import evaluation_line, random_games
from tuning.data.dataset import REFERENCE
from tuning.learning import judge
from tuning.learning.judge import distances, expected_scores, judged_scores
from tuning.loss import main

STATIC = """
import sys
for line in map(str.strip, sys.stdin):
    if line.startswith("position"):
        fen = line.removeprefix("position fen ")
    elif line == "eval":
        print(f"Final evaluation       {len(fen) / 100 - 0.5:+.2f} (white side) [with scaled NNUE, hybrid, ...]")
"""


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of positions, and a folder of its own for what is kept."""
    monkeypatch.setattr(judge, "cache_folder", lambda: tmp_path / "cache")
    (tmp_path / "judge.py").write_text(STATIC)
    file = tmp_path / "games.tsv"
    file.write_text("".join(map(evaluation_line, random_games(4, seed=2))))
    return file


def test_distance_and_slope_follow_their_definitions():
    random = np.random.default_rng(1)
    first, theirs = random.random((2, 2000))
    one, half, same = distances(np.stack((first, (first + theirs) / 2, theirs)), theirs, np.arange(2000))
    assert one.slope is None
    assert one.squared == pytest.approx(np.mean((theirs - first) ** 2))
    assert half.squared == pytest.approx(one.squared / 4)
    assert half.slope == pytest.approx(0.5)
    assert (same.squared, same.slope) == (0, pytest.approx(1))


def test_scales_make_no_difference():
    """An evaluation proportional to the judge's within each range of pieces is at no distance from it."""
    random = np.random.default_rng(3)
    theirs, pieces = random.normal(0, 300, 2000), random.integers(2, 33, 2000)
    judge = judged_scores(1.7 * theirs, theirs)
    assert judge == pytest.approx(expit(theirs / REFERENCE), abs=1e-3)
    stretched = theirs * np.where(pieces <= 10, 1.4, np.where(pieces <= 24, 1, 0.8))
    assert expected_scores(stretched[None], judge, pieces)[0] == pytest.approx(judge, abs=0.01)


def test_positions_that_games_repeat_count_once():
    random = np.random.default_rng(2)
    scores, wanted, games = random.random((2, 500)), random.random(500), np.arange(500)
    once = distances(scores, wanted, games)
    thrice = distances(np.tile(scores, 3), np.tile(wanted, 3), np.tile(games, 3))
    for before, after in zip(once, thrice, strict=True):
        assert (after.squared, after.error) == pytest.approx((before.squared, before.error))
        assert (after.slope, after.slope_error) == pytest.approx((before.slope, before.slope_error))


def test_evaluations_are_compared_with_a_judge(texts, tmp_path, capsys):
    """Also the scores, which are those of Material here, and the results; over all and by numbers of pieces."""
    words = ["--judge", f"{sys.executable} {tmp_path / 'judge.py'}", "--positions", "100"]
    assert main([str(texts), "Material", "Classical", *words]) == 0
    page = capsys.readouterr().out
    assert "over 100 quiet positions" in " ".join(page.split())
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in page.splitlines() if line.startswith("│")]
    groups = [rows[first : first + 4] for first in range(0, len(rows), 4)]
    assert [[row[1] for row in group] for group in groups] == [["Material", "Classical", "score", "result"]] * len(
        groups
    )
    counts = [int(group[0][0].split(": ")[1]) for group in groups]
    assert counts[0] == sum(counts[1:]) == 100
    assert len(counts) > 2
    first, second, *labels = groups[0]
    assert first[3] == ""
    assert all("±" in row[3] for row in (second, *labels))
    assert float(first[4]) > 0 < float(second[4])


@pytest.mark.parametrize(
    ("command", "complaint"),
    [("{python} -c 1", "gives 0 static values of"), ("no-such-engine", "no program 'no-such-engine'")],
)
def test_judges_without_static_values_are_refused(texts, capsys, command, complaint):
    assert main([str(texts), "Material", "--judge", command.format(python=sys.executable)]) == 2
    assert complaint in " ".join(capsys.readouterr().out.split())
