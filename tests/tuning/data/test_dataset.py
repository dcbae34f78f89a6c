"""What weights are learned from: quiet positions, and the scale of their scores."""

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from engine.evaluation.choice import choose
from tests.tuning.lines import evaluation_line, random_games
from tuning.data.dataset import REFERENCE, QuietRules, common_scale, quiet_positions
from tuning.data.marlinformat import IN_CHECK, NOISY_MOVE
from tuning.data.positions import plies, read_text
from tuning.data.values import values_of


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """A function from the form of lines to twenty games written and read in it."""

    def read(form):
        file = tmp_path_factory.mktemp("dataset") / "games.tsv"
        file.write_text("".join(map(form, random_games(20))))
        return read_text(file, Progress(console=Console(quiet=True)))

    return read


def test_quiet_positions_only(read):
    every = read(evaluation_line)
    boards = quiet_positions(every, QuietRules(first_ply=12)).boards
    assert 0 < len(boards) < len(every)
    assert not (boards["extra"] & (IN_CHECK | NOISY_MOVE)).any()
    assert plies(boards).min() == 12


@pytest.mark.parametrize("unit", [0.5, 1.0, 2.08])
def test_scale_is_found(read, unit):
    boards = read(evaluation_line).boards
    boards["score"] = np.clip(unit * values_of(choose("Classical", ""), boards), -9000, 9000)
    assert common_scale(boards) == pytest.approx(unit * REFERENCE, rel=0.02)
