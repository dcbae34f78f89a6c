"""Evaluations side by side."""

import math
import re

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from engine.board.setup import new_position
from engine.evaluation import material
from engine.evaluation.choice import choose
from tests.tuning.lines import evaluation_line, random_games
from tuning import datagen
from tuning.common.errors import SetupError
from tuning.data.dataset import QuietRules, common_scale, quiet_positions
from tuning.data.marlinformat import PACKED, unpack
from tuning.data.positions import read_text
from tuning.data.values import values_of
from tuning.data.viriformat import files_of, read_positions
from tuning.learning.logistic import logistic_loss
from tuning.loss import main


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    file = tmp_path_factory.mktemp("loss") / "games.tsv"
    file.write_text("".join(map(evaluation_line, random_games(4, seed=2))))
    return read_text(file, Progress(console=Console(quiet=True))).boards


def test_the_values_of_material_are_the_engines(boards):
    position = new_position()
    for packed, value in zip(boards, values_of(choose("Material", ""), boards), strict=True):
        assert unpack(position, packed)
        shares = [white - black for _, white, black in material.explain(position)]
        assert value == pytest.approx(sum(shares), abs=len(shares) + 1)  # each share is rounded


def test_illegal_positions_are_refused(boards):
    broken = boards.copy()
    broken[7] = np.zeros(1, PACKED)[0]
    with pytest.raises(SetupError, match=f"position 8 of {len(boards)} is not legal"):
        values_of(choose("Material", ""), broken)


def _own_games(folder, count):
    """Games of Classical with 100 nodes a move."""
    words = ["--nodes", "100", "--opening-nodes", "100", "--hash", "1", "--scheduler", "here"]
    assert datagen.main([str(folder), *words, "--games", str(count), "--option", "EvalType=Classical"]) == 0
    return folder


def test_evaluations_are_judged_by_scores_and_results(tmp_path, capsys):
    """The evaluation by which the games were scored predicts them best. Results against the definition: log-odds by the
    scale that suits best, the mean over quiet positions, errors over games."""
    games = _own_games(tmp_path / "games", 12)
    capsys.readouterr()
    assert main([str(games), "Material", "Classical"]) == 0
    said = capsys.readouterr().out
    positions = quiet_positions(read_positions(files_of(games)), QuietRules())
    count = int(re.search(r"expected score of (\d+) quiet positions of games", " ".join(said.split()))[1])
    kept = np.abs(positions.boards["score"].astype(float)) <= 6 * common_scale(positions.boards)
    assert len(positions) / 2 < count == kept.sum()  # without those that are decided
    rows = [line.split("│") for line in said.splitlines() if line.startswith("│")]
    even, material_, classical = rows[:3]
    assert float(classical[3]) < float(material_[3]) < float(even[3])
    assert float(classical[4].split("±")[0]) == pytest.approx(float(classical[3]) - float(material_[3]), abs=2e-6)
    assert not material_[4].strip()
    assert "results of 12 games" in said
    even, first, second = rows[3:]
    assert float(even[3]) == pytest.approx(math.log(2), abs=1e-6)
    boards, numbers = positions.boards[kept], positions.games[kept]
    losses = []
    for row, name in ((first, "Material"), (second, "Classical")):
        values = values_of(choose(name, ""), boards)
        best = min(range(20, 2000), key=lambda cp: logistic_loss(values / cp, boards["result"] / 2))
        assert float(row[2]) == pytest.approx(best, abs=1)
        chance = 1 / (1 + np.exp(-values / best))
        points = boards["result"] / 2
        losses.append(-(points * np.log(chance) + (1 - points) * np.log(1 - chance)))
        assert float(row[3]) == pytest.approx(losses[-1].mean(), abs=2e-4)
    apart = losses[1] - losses[0]
    more, error = map(float, second[4].split("±"))
    assert more == pytest.approx(apart.mean(), abs=4e-4)
    sums = [np.sum((apart - apart.mean())[numbers == game]) for game in np.unique(numbers)]
    assert error == pytest.approx(math.sqrt(sum(each**2 for each in sums)) / len(apart), rel=0.02)


def test_unusable_games_are_refused(tmp_path, capsys):
    assert main([str(tmp_path), "Material"]) == 2
    assert str(tmp_path) in capsys.readouterr().out.replace("\n", "")
