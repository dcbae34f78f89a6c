"""The network's own kernels against torch's operations, and its integers against its real numbers."""

from __future__ import annotations

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from engine.board.setup import new_position
from engine.evaluation.nnue import plain
from engine.evaluation.nnue.file import read_net, write_net
from engine.evaluation.nnue.shape import SCALE
from tests.tuning.lines import evaluation_line, random_games
from tuning.data.dataset import Sample, make_batch
from tuning.data.marlinformat import unpack
from tuning.data.positions import read_text

torch = pytest.importorskip("torch")

from tuning.learning import network as module  # noqa: E402
from tuning.learning.network import Network  # noqa: E402


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    file = tmp_path_factory.mktemp("network") / "games.tsv"
    file.write_text("".join(map(evaluation_line, random_games(10, seed=5))))
    boards = read_text(file, Progress(console=Console(quiet=True))).boards
    return Sample(boards, np.full(len(boards), 0.5, np.float32))


@pytest.fixture
def network():
    """A network with weights of the size that training makes, and no two alike."""
    torch.manual_seed(3)
    made = Network(32)
    for weights in made.parameters():
        weights.data += 0.1 * torch.randn_like(weights)
    made.clip()
    return made


def test_kernels_do_what_torch_does(sample, network):
    features, buckets, *_ = map(torch.from_numpy, make_batch(sample, np.arange(len(sample))))
    weight = torch.randn(len(sample))
    results = []
    for evaluate in (module._OnCpu.apply, module._by_torch):
        network.zero_grad()
        output = evaluate(features, buckets, *network.parameters())
        (output * weight).sum().backward()
        results.append((output.detach(), [parameter.grad.clone() for parameter in network.parameters()]))
    (ours, our_gradients), (theirs, their_gradients) = results
    assert torch.allclose(ours, theirs, atol=1e-5)
    for mine, other in zip(our_gradients, their_gradients, strict=True):
        assert torch.allclose(mine, other, atol=1e-4 * float(other.abs().max()))


def test_clipping(network):
    with torch.no_grad():
        network.transformer[5, 5], network.output[1, 1, 1], network.skip[7] = -3.0, 3.0, 3.0
    network.clip()
    assert network.transformer[5, 5].item() == pytest.approx(-1.98)
    assert network.output[1, 1, 1].item() == pytest.approx(1.98)
    assert network.skip[7].item() == pytest.approx(3)


def test_begins_with_material(sample):
    """Without its hidden units the network is the linear evaluation, antisymmetric as that is."""
    network = Network(16)
    torch.nn.init.zeros_(network.output)
    features, buckets, _ = make_batch(sample, np.arange(len(sample)))
    ours = network(torch.from_numpy(features), torch.from_numpy(buckets)).detach().numpy() * SCALE
    theirs = network(torch.from_numpy(features[:, ::-1].copy()), torch.from_numpy(buckets)).detach().numpy() * SCALE
    assert ours == pytest.approx(-theirs, abs=1e-3)
    sign = np.where(sample.boards["side_en_passant"] >> 7, -1, 1)
    assert np.corrcoef(ours * sign, sample.boards["score"])[0, 1] > 0.95


def test_integers_stay_close_to_real_numbers(sample, network, tmp_path):
    """Within 4 centipawns for any position, 1 on average: what rounding down while adding up costs."""
    write_net(tmp_path / "net.nnue", network.quantised({"note": "made up"}))
    net = read_net(tmp_path / "net.nnue")
    assert net.training == {"note": "made up"}
    chosen = np.arange(0, len(sample), 5)
    features, buckets, *_ = map(torch.from_numpy, make_batch(sample, chosen))
    real = network(features, buckets).detach().numpy() * SCALE
    position = new_position()
    whole = np.empty(len(chosen))
    for number, index in enumerate(chosen):
        assert unpack(position, sample.boards[index])
        whole[number] = sum(plain.plain_value(net, position))
    assert real.std() > 50
    assert np.abs(whole - real).max() < 4
    assert np.abs(whole - real).mean() < 1
