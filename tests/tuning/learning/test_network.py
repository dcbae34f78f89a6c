"""The network's own kernel against torch's operations, and its integers against its real numbers."""

from __future__ import annotations

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from engine.board.setup import new_position
from engine.evaluation.nnue import plain
from engine.evaluation.nnue.file import read_net, write_net
from engine.evaluation.nnue.shape import QA, SCALE
from tests.tuning.lines import evaluation_line, random_games
from tuning.data.features import MOST_PIECES, list_features
from tuning.data.marlinformat import unpack
from tuning.data.positions import read_text
from tuning.data.targets import expected_scores

torch = pytest.importorskip("torch")

from tuning.learning import cpu  # noqa: E402
from tuning.learning.network import Network  # noqa: E402


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    file = tmp_path_factory.mktemp("network") / "games.tsv"
    file.write_text("".join(map(evaluation_line, random_games(10, seed=5))))
    made = read_text(file, Progress(console=Console(quiet=True))).boards
    made["extra"] = 0
    return made


def seen(boards):
    features = np.empty((len(boards), 2, MOST_PIECES), np.int16)
    buckets = np.empty(len(boards), np.int64)
    list_features(boards, features, buckets)
    return torch.from_numpy(features), torch.from_numpy(buckets)


@pytest.fixture
def network():
    """A network with weights of the size that training makes, and no two alike."""
    torch.manual_seed(3)
    made = Network(32)
    for weights in made.parameters():
        weights.data += 0.1 * torch.randn_like(weights)
    made.clip()
    return made


@pytest.mark.parametrize("exponent", [2.0, 2.5])
def test_the_kernel_does_what_torch_does(boards, network, exponent):
    transformer, biases, *_ = network.integers()
    rows = np.concatenate([transformer, np.zeros_like(transformer[:1])])[seen(boards)[0].numpy()].sum(2) + biases
    boards = boards[(rows != QA).all((1, 2))]  # just there the slope is 0 or 1, as rounding will have it
    assert len(boards) > 300
    scales, slope = np.array([300.0]), 1.7
    sums = [[np.zeros(tuple(weights.shape), np.float32) for weights in network.parameters()] for _ in range(cpu.PARTS)]
    ours = cpu.total_loss(boards, cpu.Target(scales, 0.25, slope, exponent), network.integers(), sums)

    expected = expected_scores(boards, scales, 0.25)
    expected = torch.from_numpy(np.where(boards["side_en_passant"] >> 7 == 1, 1 - expected, expected))
    loss = (torch.sigmoid(slope * network(*seen(boards))) - expected).abs().pow(exponent).sum()
    loss.backward()
    assert ours == pytest.approx(loss.item(), rel=1e-4)
    for weights, *parts in zip(network.parameters(), *sums, strict=True):
        theirs = weights.grad.numpy()
        assert np.abs(theirs).max() > 0
        assert np.abs(sum(parts) - theirs).max() < 1e-3 * np.abs(theirs).max()


def test_a_loss_alone_changes_nothing(boards, network):
    target = cpu.Target(np.array([300.0]), 0.0, 1.0, 2.0)
    integers = network.integers()
    before = [array.copy() for array in integers]
    whole = cpu.total_loss(boards, target, integers)
    halves = [cpu.total_loss(part, target, integers) for part in np.array_split(boards, 2)]
    assert whole == pytest.approx(sum(halves))
    assert all(np.array_equal(*pair) for pair in zip(before, integers, strict=True))


def test_begins_where_another_ended(network, tmp_path):
    write_net(tmp_path / "net.nnue", network.quantised({}))
    other = Network(32)
    other.take(read_net(tmp_path / "net.nnue"))
    for mine, theirs in zip(network.integers(), other.integers(), strict=True):
        assert np.array_equal(mine, theirs)


def test_clipping(network):
    with torch.no_grad():
        network.transformer[5, 5], network.output[1, 1, 1], network.skip[7] = -3.0, 3.0, 3.0
    network.clip()
    assert network.transformer[5, 5].item() == pytest.approx(-1.98)
    assert network.output[1, 1, 1].item() == pytest.approx(1.98)
    assert network.skip[7].item() == pytest.approx(3)


def test_begins_with_material(boards):
    """Without its hidden units the network is the linear evaluation, antisymmetric as that is."""
    network = Network(16)
    torch.nn.init.zeros_(network.output)
    features, buckets = seen(boards)
    ours = network(features, buckets).detach().numpy() * SCALE
    theirs = network(features.flip(1), buckets).detach().numpy() * SCALE
    assert ours == pytest.approx(-theirs, abs=1e-3)
    sign = np.where(boards["side_en_passant"] >> 7, -1, 1)
    assert np.corrcoef(ours * sign, boards["score"])[0, 1] > 0.95


def test_integers_stay_close_to_real_numbers(boards, network, tmp_path):
    """Within 4 centipawns for any position, 1 on average: what rounding down while adding up costs."""
    write_net(tmp_path / "net.nnue", network.quantised({"note": "made up"}))
    net = read_net(tmp_path / "net.nnue")
    assert net.training == {"note": "made up"}
    chosen = boards[::5]
    real = network(*seen(chosen)).detach().numpy() * SCALE
    position = new_position()
    whole = np.empty(len(chosen))
    for number, board in enumerate(chosen):
        assert unpack(position, board)
        whole[number] = sum(plain.plain_value(net, position))
    assert real.std() > 50
    assert np.abs(whole - real).max() < 4
    assert np.abs(whole - real).mean() < 1
