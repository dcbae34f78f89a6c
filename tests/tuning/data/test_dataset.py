"""What weights are learned from: quiet positions, their expected scores, and the games held out."""

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress
from scipy.special import expit

from engine.evaluation.choice import choose
from tests.tuning.lines import evaluation_line, random_games, training_line
from tuning.common.errors import SetupError
from tuning.data.dataset import REFERENCE, Quiet, make_source, read_sources
from tuning.data.marlinformat import IN_CHECK, NOISY_MOVE
from tuning.data.positions import plies, read_text
from tuning.data.values import values_of
from tuning.data.viriformat import Positions

SILENT = Progress(console=Console(quiet=True))
ALL = Quiet(first_ply=0, decided=100)


@pytest.fixture(scope="module")
def positions(tmp_path_factory):
    file = tmp_path_factory.mktemp("dataset") / "games.tsv"
    file.write_text("".join(map(evaluation_line, random_games(20))))
    return read_text(file, SILENT)


def test_quiet_positions_only(positions):
    source = make_source("games", positions, Quiet(first_ply=12, decided=1.5), 0.0, 0.2)
    assert 0 < len(source.boards) < len(positions)
    assert not (source.boards["extra"] & (IN_CHECK | NOISY_MOVE)).any()
    assert plies(source.boards).min() == 12
    assert np.abs(source.boards["score"]).max() <= 1.5 * source.scale


def test_no_game_is_on_both_sides(positions):
    source = make_source("games", positions, ALL, 0.0, 0.3)
    quiet = (positions.boards["extra"] & (IN_CHECK | NOISY_MOVE)) == 0
    games = positions.games[quiet]
    assert len(games) == len(source.held_out)
    learned, judged = set(games[~source.held_out]), set(games[source.held_out])
    assert learned
    assert judged
    assert not learned & judged


def test_the_same_games_are_held_out_of_a_file_that_has_grown(positions):
    whole = make_source("games", positions, ALL, 0.0, 0.3)
    part = positions.games < 10
    short = make_source("games", Positions(positions.boards[part], positions.games[part]), Quiet(12, 100), 0.5, 0.3)
    first = whole.held_out[plies(whole.boards) >= 12][: len(short.held_out)]
    assert np.array_equal(short.held_out, first)


@pytest.mark.parametrize("unit", [0.5, 1.0, 2.08])
def test_scale_is_found(positions, unit):
    boards = positions.boards.copy()
    boards["score"] = np.clip(unit * values_of(choose("Classical", ""), boards), -9000, 9000)
    source = make_source("rescaled", Positions(boards, positions.games), ALL, 0.0, 0.1)
    assert source.scale == pytest.approx(unit * REFERENCE, rel=0.02)
    assert source.expected == pytest.approx(expit(source.boards["score"] / source.scale), abs=1e-6)


def test_the_scale_does_not_depend_on_the_results(positions):
    lost = positions.boards.copy()
    lost["result"] = 0
    first, second = (
        make_source("games", Positions(boards, positions.games), ALL, 0.0, 0.1) for boards in (positions.boards, lost)
    )
    assert first.scale == second.scale


def test_results_are_mixed_in(positions):
    pure, mixed, results = (make_source("games", positions, ALL, weight, 0.3) for weight in (0.0, 0.25, 1.0))
    assert results.expected.tolist() == (results.boards["result"] / 2).tolist()
    assert mixed.expected == pytest.approx(0.75 * pure.expected + 0.25 * results.expected, abs=1e-6)


def test_what_cannot_be_learned_from(positions, tmp_path):
    with pytest.raises(SetupError, match="no quiet position"):
        make_source("games", positions, Quiet(1000, 1), 0.0, 0.1)
    with pytest.raises(SetupError, match="two files are called"):
        read_sources([tmp_path / "a" / "x.tsv", tmp_path / "b" / "x.tsv"], tmp_path, ALL, 0.0, 0.1, SILENT)


def test_sources_in_different_forms_agree(tmp_path):
    files = []
    for name, form in (("white.tsv", evaluation_line), ("mover.tsv", training_line)):
        files.append(tmp_path / name)
        files[-1].write_text("".join(map(form, random_games(10))))
    sources = read_sources(files, tmp_path, ALL, 0.0, 0.3, SILENT)
    assert sources[0].scale == pytest.approx(sources[1].scale, rel=0.05)
