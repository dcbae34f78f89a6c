"""Learning the classical evaluation: the features are the engine's, the gradient is right, known weights come back."""

import gzip
import json
import random

import numpy as np
import pytest
from rich.progress import Progress

from engine.board.fen import set_fen
from engine.board.setup import new_position
from engine.evaluation.classical import features, weights
from engine.evaluation.classical.explain import trace_of
from engine.evaluation.classical.scaling import SCALE_CLASSES, SCALE_UNIT
from tests.evaluation.test_classical import random_board
from tuning.data.marlinformat import PACKED
from tuning.data.positions import read_text
from tuning.data.shuffled import shuffled
from tuning.learning import texel
from tuning.learning.logistic import log_odds, logistic_loss
from tuning.learning.recipe import by_pieces
from tuning.texel import main


def white_value(fen):
    position = new_position()
    set_fen(position, fen, False)
    value = trace_of(position)[1]
    return value if fen.split()[1] == "w" else -value


@pytest.fixture(scope="module")
def games():
    """Boards, and the results that our own evaluation expects of them."""
    boards = [board for board in (random_board(seed) for seed in range(240)) if not board.is_check()]
    return [(board, white_value(board.fen())) for board in boards]


@pytest.fixture(scope="module")
def positions(games, tmp_path_factory):
    """A file of these positions, three a game."""
    choose = random.Random(7)
    file = tmp_path_factory.mktemp("positions") / "games.tsv.gz"
    with gzip.open(file, "wt") as out:
        for board, value in games:
            result = float(choose.random() < 1 / (1 + np.exp(-value / 200)))
            for ply in range(20, 23):
                out.write(f"{board.fen()}\t{value}\t{result}\t30\t{ply}\t-\n")
    return file


@pytest.fixture(scope="module")
def sample(positions):
    with Progress(disable=True) as progress:
        found = shuffled([positions], positions.parent / "cache", texel.QUIET, texel.HELD_OUT, progress)
    boards = found.learned()
    return texel.encode(boards, found.expected(boards, by_pieces("0")))


def own_weights():
    """The engine's, as the tuner holds them."""
    values, scale = weights.read_weights()
    return texel.Weights(values.astype(float), np.zeros((2, 6)), scale / SCALE_UNIT, np.array([0.4]))


def test_the_tuner_s_score_is_the_engine_s(games, positions):
    with Progress(disable=True) as progress:
        boards = read_text(positions, progress).boards[::3]
    sample = texel.encode(boards, np.zeros(len(boards), np.float32))
    scores = texel.scores(sample, own_weights())
    assert scores == pytest.approx([value for _, value in games], abs=1.01)
    assert len(np.unique(sample.classes)) > 5


def test_the_gradient_is_that_of_the_loss(sample):
    random = np.random.default_rng(3)
    loss = texel.Loss(sample, 1, decay=1e-3)
    base = own_weights()
    parameters = loss.pack(base) + random.normal(0, 0.02, loss.pack(base).shape)
    gradient = loss(parameters)[1]
    for _ in range(8):
        direction = random.normal(0, 1, parameters.shape)
        step = 1e-3
        difference = (loss(parameters + step * direction)[0] - loss(parameters - step * direction)[0]) / (2 * step)
        assert difference == pytest.approx(gradient @ direction, rel=0.02, abs=1e-4)


def test_known_weights_are_found_again(sample):
    truth = own_weights()
    found = texel.fit(sample, texel.initial_weights(1), decay=1e-7, iterations=150)
    best = logistic_loss(log_odds(sample.target), sample.target)
    start = texel.loss_of(sample, texel.initial_weights(1))
    assert texel.loss_of(sample, found) - best < 0.05 * (start - best)
    correlation = np.corrcoef(texel.scores(sample, found), texel.scores(sample, truth))[0, 1]
    assert correlation > 0.99


def test_normalized_weights_are_the_same_evaluation(sample):
    found = texel.fit(sample, texel.initial_weights(1), decay=1e-5, iterations=20)
    columns = sample.features[:, features.PIECE_SQUARE : features.PIECE_SQUARE + 384]
    visits = np.asarray(abs(columns).sum(axis=0)).reshape(6, 64)
    normal = texel.normalized(found, visits, 3900.0)
    assert texel.army(normal.material) == pytest.approx(3900)
    assert normal.material[:, 5].tolist() == [0, 0]
    assert texel.effective_material(normal, visits)[:, :5] == pytest.approx(normal.material[:, :5])
    ratio = texel.scores(sample, normal) * normal.slopes[0] - texel.scores(sample, found) * found.slopes[0]
    assert abs(ratio).max() < 0.05


def run(positions, output, *more):
    cache = str(output.parent / "cache")
    return main(["--positions", str(positions), "--cache", cache, "--output", str(output), "--iterations", "15", *more])


def test_the_command_writes_what_the_engine_loads(positions, tmp_path, capsys):
    output = tmp_path / "weights.json"
    assert run(positions, output) == 0
    report = capsys.readouterr().err
    assert "held out" in report
    values, scale = weights.read_weights(output)
    assert values.any()
    assert scale.shape == (SCALE_CLASSES,)
    recipe = json.loads(output.read_text())["recipe"]
    assert recipe["sources"][0]["name"] == "games.tsv.gz"
    assert str(positions.parent) not in output.read_text()
    assert recipe["loss"]["held out"] > recipe["loss"]["training"] - 0.05
    again = tmp_path / "again.json"
    assert run(positions, again) == 0
    assert again.read_text() == output.read_text()


def test_a_limit_is_one_for_each_source():
    boards = np.zeros(90, PACKED)
    boards["extra"], boards["score"] = [0] * 50 + [1] * 30 + [3] * 10, range(90)
    chosen, other = (texel.limit_positions(boards, 25, np.random.default_rng(seed)) for seed in (1, 2))
    assert np.bincount(chosen["extra"]).tolist() == [25, 25, 0, 10]
    assert len(np.unique(chosen["score"])) == 60
    assert not np.array_equal(chosen, other)


@pytest.mark.parametrize(("content", "complaint"), [("nonsense\n", "bad.tsv:1"), (None, "bad.tsv"), ("", "bad.tsv")])
def test_unusable_positions_are_refused_by_name(content, complaint, tmp_path, capsys):
    file, output = tmp_path / "bad.tsv", tmp_path / "weights.json"
    if content is not None:
        file.write_text(content)
    assert run(file, output) == 2
    assert complaint in capsys.readouterr().err
    assert not output.exists()
