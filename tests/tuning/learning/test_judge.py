"""Evaluations beside the static values of another engine."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, logit

from tests.tuning.lines import evaluation_line, random_games
from tuning.data.dataset import REFERENCE
from tuning.learning import judge
from tuning.learning.judge import distances
from tuning.loss import main

STATIC = """
import sys
print("fen", file=open(sys.argv[1], "a"))
for line in map(str.strip, sys.stdin):
    if line == "uci":
        print("id name Static 1\\nuciok", flush=True)
    elif line == "isready":
        print("readyok", flush=True)
    elif line.startswith("position"):
        fen = line.removeprefix("position fen ")
        print(fen, file=open(sys.argv[1], "a"))
    elif line == "eval" and sys.argv[2] == "static":
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
    first = random.normal(0, 300, 2000)
    theirs = random.permutation(first)
    halfway = REFERENCE * logit((expit(first / REFERENCE) + expit(theirs / REFERENCE)) / 2)
    one, half, same = distances(np.stack((first, halfway, theirs)), 1.7 * theirs)
    assert one.slope is None
    assert one.squared == pytest.approx(np.mean((expit(theirs / REFERENCE) - expit(first / REFERENCE)) ** 2), rel=1e-4)
    assert half.squared == pytest.approx(one.squared / 4, rel=1e-3)
    assert half.slope == pytest.approx(0.5, abs=1e-3)
    assert (same.squared, same.slope) == (pytest.approx(0, abs=1e-6), pytest.approx(1, abs=1e-3))


def test_answers_of_the_judge_are_kept(texts, tmp_path, capsys):
    log = tmp_path / "log"
    words = ["--judge", f"{sys.executable} {tmp_path / 'judge.py'} {log} static", "--positions", "20"]
    pages = []
    for _ in range(2):
        assert main([str(texts), "Material", "Classical", *words]) == 0
        pages.append(capsys.readouterr().out)
    assert "over 20 quiet positions" in " ".join(pages[0].split())
    assert pages[0].splitlines()[-4:] == pages[1].splitlines()[-4:]
    asked = [line for line in log.read_text().splitlines() if line != "fen"]
    assert len(asked) == len(set(asked)) <= 20


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("{python} {script} {log} mute", "the judge gives no static evaluation of"),
        ("{python} -c 1", "the judge ended"),
        ("no-such-engine", "no program 'no-such-engine'"),
    ],
)
def test_judges_without_static_values_are_refused(texts, tmp_path, capsys, command, complaint):
    words = command.format(python=sys.executable, script=tmp_path / "judge.py", log=tmp_path / "log")
    assert main([str(texts), "Material", "--judge", words]) == 2
    assert complaint in " ".join(capsys.readouterr().out.split())
