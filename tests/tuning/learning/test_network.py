"""The network's own kernel against torch's operations, and its integers against its real numbers."""

from functools import partial

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from engine.board.setup import new_position
from engine.evaluation.nnue import plain
from engine.evaluation.nnue.features import bucket_of
from engine.evaluation.nnue.file import MAX_PIECES, read_net, write_net
from engine.evaluation.nnue.shape import QA, SCALE
from tests.tuning.lines import evaluation_line, random_games
from tuning.data.features import NO_FEATURE, list_board
from tuning.data.marlinformat import unpack
from tuning.data.positions import read_text

torch = pytest.importorskip("torch")

SCALES = np.array([300.0])

from tuning.learning import cpu, gpu  # noqa: E402
from tuning.learning.network import Network  # noqa: E402
from tuning.learning.recipe import by_pieces  # noqa: E402

SEARCH_ALONE = by_pieces("0")


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    file = tmp_path_factory.mktemp("network") / "games.tsv"
    file.write_text("".join(map(evaluation_line, random_games(10, seed=5))))
    made = read_text(file, Progress(console=Console(quiet=True))).boards
    made["extra"] = 0
    return made


def seen(boards):
    """Features and buckets as the kernel lists them, which is held against the engine's own in test_features."""
    features = np.full((len(boards), 2, MAX_PIECES), NO_FEATURE, np.int16)
    buckets = np.empty(len(boards), np.int64)
    scratch = np.empty((2, MAX_PIECES), np.int64)
    for number in range(len(boards)):
        buckets[number] = bucket_of(list_board(boards[number], *scratch, features[number]))
    return torch.from_numpy(features), torch.from_numpy(buckets)


def bytes_of(boards):
    return torch.from_numpy(boards.view(np.uint8).reshape(-1, 32))


def test_gpu_unpacks_boards_like_the_kernel(boards):
    features, buckets = seen(boards)
    weights = torch.arange(33) / 40
    batch = gpu.unpack_boards(bytes_of(boards), torch.tensor([300.0]), weights)
    assert torch.equal(batch.features, features)
    assert torch.equal(batch.buckets, buckets)
    score, result = boards["score"] / 300, boards["result"] / 2
    for number, board in enumerate(boards):
        by_score, by_result = 1 / (1 + np.exp(-score[number])), result[number]
        if board["side_en_passant"] >> 7:
            by_score, by_result = 1 - by_score, 1 - by_result
        weight = int(board["occupancy"]).bit_count() / 40
        wanted = (1 - weight) * by_score + weight * by_result
        assert batch.expected[number].item() == pytest.approx(wanted, abs=1e-6)


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
    gradients, losses = [], []
    how = (network, SCALES, 1.7, by_pieces("20:0.25,28:0.1"))
    for step in (cpu.CpuStep(*how), gpu.GpuStep(*how, "cpu")):
        (batch,) = step.batches(boards, len(boards), (1, 2, 3))
        losses.append(float(step.set_gradients(batch, exponent)))
        gradients.append([weights.grad.numpy().copy() for weights in network.parameters()])
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    for ours, theirs in zip(*gradients, strict=True):
        assert np.abs(theirs).max() > 0
        assert np.abs(ours - theirs).max() < 1e-3 * np.abs(theirs).max()


@pytest.mark.parametrize("step", [cpu.CpuStep, partial(gpu.GpuStep, device="cpu")], ids=["cpu", "gpu"])
def test_a_loss_alone_changes_nothing(boards, network, step):
    step = step(network, SCALES, 1.0, SEARCH_ALONE)
    before = [array.copy() for array in network.integers()]
    whole = step.squared_error(boards)
    halves = [step.squared_error(part) for part in np.array_split(boards, 2)]
    assert whole == pytest.approx(sum(halves))
    assert all(np.array_equal(*pair) for pair in zip(before, network.integers(), strict=True))


@pytest.mark.parametrize("step", [cpu.CpuStep, partial(gpu.GpuStep, device="cpu")], ids=["cpu", "gpu"])
def test_batches_hold_every_position_in_another_order(boards, network, step):
    step = step(network, SCALES, 1.0, SEARCH_ALONE)
    orders = []
    for seed in (1, 2):
        parts = list(step.batches(boards, 100, (seed, 0, 0)))
        assert {len(part) for part in parts} <= {len(boards) // len(parts), len(boards) // len(parts) + 1}
        orders.append([float(step.set_gradients(part, 2.0)) for part in parts])
        assert sum(orders[-1]) == pytest.approx(step.squared_error(boards), rel=1e-4)
    assert orders[0] != orders[1]


def test_columns_that_fire_are_counted(boards, network):
    features = seen(boards)[0].numpy()
    weights, biases, *_ = network.integers()
    sums = np.concatenate([weights, np.zeros_like(weights[:1])])[features].sum(2) + biases
    fired = cpu.fired(boards, weights, biases)
    assert fired == pytest.approx((sums > 0).mean((0, 1)))
    assert 0 < fired.mean() < 1


def test_begins_wider_where_a_narrower_one_ended(network, boards, tmp_path):
    """It says the same, and all of its columns learn."""
    write_net(tmp_path / "net.nnue", network.quantized({}))
    wider = Network(64)
    wider.take(read_net(tmp_path / "net.nnue"))
    step = cpu.CpuStep(wider, SCALES, 1.0, SEARCH_ALONE)
    assert step.squared_error(boards) == pytest.approx(
        cpu.CpuStep(network, SCALES, 1.0, SEARCH_ALONE).squared_error(boards)
    )
    step.set_gradients(boards, 2.0)
    assert (wider.output.grad.abs().sum(dim=(0, 1)) > 0).all()
    assert len(np.unique(wider.integers()[0], axis=1)[0]) == 64


def test_clipping_keeps_weights_within_their_integers(network):
    with torch.no_grad():
        network.transformer[5, 5], network.output[1, 1, 1], network.skip[7] = -3.0, 3.0, 3.0
    network.clip()
    assert np.abs(network.integers()[0]).max() <= round(1.98 * QA)
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
    write_net(tmp_path / "net.nnue", network.quantized({"note": "made up"}))
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
