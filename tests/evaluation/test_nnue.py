"""The network: its file, its inference against the plain one, its sums along lines of moves."""

import random
from dataclasses import replace

import chess
import numpy as np
import pytest

from engine import Engine
from engine.board.fen import set_fen
from engine.board.notation import find_move
from engine.board.setup import new_position, play_move
from engine.board.types import WHITE
from engine.evaluation import evaluator
from engine.evaluation.choice import choose
from engine.evaluation.endgames import mop_up_value
from engine.evaluation.evaluator import evaluate, push_move, push_null, reset
from engine.evaluation.nnue.file import Net, NetError, read_net, write_net
from engine.evaluation.nnue.plain import features, plain_value
from engine.evaluation.nnue.shape import INPUTS, OUTPUT_BUCKETS, QA, QB, WEIGHT_LIMIT
from engine.jit import new_record
from engine.messages import OptionError
from tests.board.oracle import position_from
from tests.evaluation.test_material import KINDS, STARTS, random_game


def mop_up(position) -> int:
    """The value of a lone king for the side to move; the network has no part in it."""
    value = int(mop_up_value(position))
    return value if int(position["side"]) == WHITE else -value


def random_net(hidden: int, seed: int = 1) -> Net:
    """Weights as large as training allows, half of the activations within the clip."""
    draw = np.random.default_rng(seed)
    return Net(
        weights=draw.integers(-60, 61, (INPUTS, hidden)).astype(np.int16),
        biases=draw.integers(-100, 200, hidden).astype(np.int16),
        skip=draw.integers(-100_000, 100_000, INPUTS).astype(np.int32),
        output_weights=draw.integers(
            -int(WEIGHT_LIMIT * QB), int(WEIGHT_LIMIT * QB) + 1, (OUTPUT_BUCKETS, 2, hidden)
        ).astype(np.int16),
        output_biases=draw.integers(-QA * QB, QA * QB, OUTPUT_BUCKETS).astype(np.int32),
        training={"seed": seed},
    )


@pytest.fixture
def net_file(tmp_path):
    file = tmp_path / "random.nnue"
    write_net(file, random_net(32))
    return file


def follow(file):
    """An evaluator record that uses the network in ``file``, and the evaluation that keeps it alive."""
    evaluation = choose("NNUE", str(file))
    record = new_record(evaluator.EVALUATOR)
    evaluation.install(record)
    return record, evaluation


@pytest.mark.parametrize("hidden", [16, 48, 128, 512])
def test_the_kernel_agrees_with_the_plain_network(hidden, tmp_path):
    file = tmp_path / "net.nnue"
    write_net(file, random_net(hidden, hidden))
    record, evaluation = follow(file)
    for fen in [*STARTS, "8/8/4k3/8/8/2K5/8/8 b - - 0 1", "4k3/8/8/8/3Q4/8/8/K7 b - - 0 1"]:
        position = position_from(fen, chess960=True)
        reset(record, position)
        expected = mop_up(position) or sum(plain_value(evaluation.net, position))
        assert evaluation.value(position) == expected
        assert evaluate(record, position) == max(min(expected, evaluator.MAX_VALUE), -evaluator.MAX_VALUE), fen


def test_sums_along_random_lines_equal_those_made_anew(net_file):
    """Evaluated at random plies only, so that several moves are caught up with at once."""
    choose_one = random.Random(3)
    record, _kept = follow(net_file)
    fresh, _kept_too = follow(net_file)
    seen = dict.fromkeys(KINDS, 0)
    crossings = 0
    for start in STARTS * 4:
        reset(record, position_from(start, chess960=True))
        for position, move in random_game(start, choose_one, seen):
            if choose_one.random() < 0.4:
                reset(fresh, position)
                assert evaluate(record, position) == evaluate(fresh, position), f"from {start}"
            push_move(record, position, move)
            crossings += int(record["stack"][record["ply"]]["network"]["needs_refresh"].any())
    assert min(*seen.values(), crossings) >= 5, (seen, crossings)


def test_going_back_finds_the_sums_of_before(net_file):
    record, _kept = follow(net_file)
    position = position_from(chess.STARTING_FEN)
    reset(record, position)
    before = evaluate(record, position)
    copy = position_from(chess.STARTING_FEN)
    push_move(record, copy, find_move(copy, "e2e4"))
    play_move(copy, find_move(copy, "e2e4"))
    assert evaluate(record, copy) != before
    record["ply"] -= 1
    assert evaluate(record, position) == before


def test_a_null_move_changes_only_the_side(net_file):
    record, _kept = follow(net_file)
    board = chess.Board(STARTS[1])
    reset(record, position_from(board.fen()))
    push_null(record)
    board.push(chess.Move.null())
    passed = position_from(board.fen())
    fresh, _kept_too = follow(net_file)
    reset(fresh, passed)
    assert evaluate(record, passed) == evaluate(fresh, passed)


def test_features_by_python_chess():
    """Own pieces first, seen from the own side, the own king on the files a to d."""
    middle = "r4rk1/8/8/8/8/8/8/3K4 w - - 0 1"
    walks = ["7k/8/8/8/8/8/3K4/R7 w - - 0 1", "8/6k1/8/8/8/2K5/8/R7 w - - 0 1"]
    for fen in [*STARTS[:4], middle, *walks]:
        board = chess.Board(fen)
        for perspective, color in enumerate([chess.WHITE, chess.BLACK]):
            expected = set()
            for square, piece in board.piece_map().items():
                seen = square if color else chess.square_mirror(square)
                if chess.square_file(board.king(color)) > 3:
                    seen = chess.square(7 - chess.square_file(seen), chess.square_rank(seen))
                expected.add((piece.color != color) * 384 + (piece.piece_type - 1) * 64 + seen)
            position = new_position()
            set_fen(position, fen, False)
            assert set(features(position, perspective)) == expected


def test_a_written_network_is_read_back(tmp_path):
    net, file = random_net(64), tmp_path / "net.nnue"
    write_net(file, net)
    back = read_net(file)
    assert back.training == {"seed": 1}
    for name in ("weights", "biases", "skip", "output_weights", "output_biases"):
        np.testing.assert_array_equal(getattr(back, name), getattr(net, name))


SHAPE = b'"architecture": "(768->N)'


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: content[:-100], "is it damaged"),
        (lambda content: content + b"\0", "bytes of weights"),
        (lambda content: b"PK" + content, "is not a Numbat network"),
        (lambda content: b"", "is not a Numbat network"),
        (lambda content: content[:-5] + bytes([content[-5] ^ 1]) + content[-4:], "checksum"),
        (lambda content: content.replace(b"\n " + SHAPE, SHAPE.replace(b"768", b"768x4")), "has architecture"),
        (lambda content: content.replace(b'"hidden": 32', b'"hidden": 33'), "33 hidden neurons"),
    ],
    ids=range(7),
)
def test_a_bad_file_is_named_with_its_fault(damage, message, net_file, tmp_path):
    bad = tmp_path / "bad.nnue"
    bad.write_bytes(damage(net_file.read_bytes()))
    with pytest.raises(NetError, match=message) as caught:
        read_net(bad)
    assert str(bad) in str(caught.value)


def test_weights_that_do_not_fit_are_refused(tmp_path):
    net = random_net(16)
    net.skip[0] = 1
    wide = Net(net.weights.astype(np.int64) * 1000, net.biases, net.skip, net.output_weights, net.output_biases)
    with pytest.raises(ValueError, match="weights does not fit int16"):
        write_net(tmp_path / "net.nnue", wide)


def test_a_recipe_too_long_to_be_read_is_refused(tmp_path):
    with pytest.raises(ValueError, match="the header has"):
        write_net(tmp_path / "net.nnue", replace(random_net(16), training={"note": "x" * (1 << 20)}))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("weights", 1_020, "the sum of column 0 can reach 32,840"),  # 32 of them and a bias of 200
        ("weights", 1_010, None),
        ("output_weights", 129, "an output weight of 129"),
        ("output_weights", 65, "an output can reach 2,164,032,000"),  # 512 of them times 255 squared
        ("output_weights", 64, None),
        ("skip", 68_000_000, "the skip connection can reach 2,176,000,000"),
        ("skip", 67_000_000, None),
    ],
)
def test_a_network_whose_sums_could_overflow_is_refused(name, value, message, tmp_path):
    net = random_net(512)
    net.biases[0] = 200
    getattr(net, name).fill(value)
    write_net(tmp_path / "net.nnue", net)
    if message is None:
        assert read_net(tmp_path / "net.nnue").hidden == 512
    else:
        with pytest.raises(NetError, match=message):
            read_net(tmp_path / "net.nnue")


def test_the_previous_evaluation_stays_when_a_file_is_bad(net_file, tmp_path):
    with Engine(hash=1, eval_type="NNUE", eval_file=str(net_file)) as engine:
        before = engine.explain_evaluation()
        with pytest.raises(OptionError, match="cannot read the network"):
            engine.set_option("EvalFile", str(tmp_path / "absent.nnue"))
        assert engine.explain_evaluation() == before
        engine.set_option("EvalType", "Material")
        assert "pawn" in engine.explain_evaluation()
        with pytest.raises(OptionError, match="cannot read the network"):
            engine.set_option("EvalFile", str(tmp_path / "absent.nnue"))  # also while another evaluation plays
