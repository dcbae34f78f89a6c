"""The mean of networks."""

from dataclasses import fields

import numpy as np
import pytest

from engine.evaluation.nnue.file import Net, read_net, write_net
from engine.evaluation.nnue.shape import INPUTS, OUTPUT_BUCKETS
from tuning.mean import main


def net(hidden, seed):
    random = np.random.default_rng(seed)
    shapes = ((INPUTS, hidden), (hidden,), (INPUTS,), (OUTPUT_BUCKETS, 2, hidden), (OUTPUT_BUCKETS,))
    return Net(
        *(random.integers(-100, 101, shape) for shape in shapes),
        training={"seed": seed, "begin": {"file": "first.nnue", "seed": 7}},
    )


@pytest.fixture
def files(tmp_path):
    made = [tmp_path / f"{seed}.nnue" for seed in range(3)]
    for seed, file in enumerate(made):
        write_net(file, net(16, seed))
    return made


@pytest.mark.parametrize(("words", "shares"), [([], [1, 1, 1]), (["--shares", "0.5", "0", "0.25"], [2, 0, 1])])
def test_weights_are_means_by_the_shares(tmp_path, files, words, shares):
    out = tmp_path / "mean.nnue"
    assert main([*map(str, files), "--out", str(out), *words]) == 0
    mean, parts = read_net(out), [read_net(file) for file in files]
    for field in fields(Net)[:-1]:
        arrays = [share * getattr(part, field.name).astype(float) for share, part in zip(shares, parts, strict=True)]
        assert getattr(mean, field.name) == pytest.approx(sum(arrays) / sum(shares), abs=0.501)
    for seed, part in enumerate(mean.training["of"]):
        assert part["seed"] == seed
        assert part["file"].endswith(f"/{seed}.nnue")
        assert part["share"] == pytest.approx(shares[seed] / sum(shares))
        assert part["begin"] == {"file": "first.nnue"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--shares", "1", "1"], "--shares gives 2 numbers for 3 networks"),
        (["--shares", "0", "0", "0"], "the shares must have a sum above zero"),
        (["--out", "{1}"], "it is one of the files to read"),
        (["{wide}"], "the networks have different numbers of columns: 16, 16, 16, 32"),
        (["{missing}"], "cannot read the network"),
    ],
)
def test_refuses_what_has_no_mean(tmp_path, files, capsys, words, complaint):
    places = {"wide": tmp_path / "wide.nnue", "missing": tmp_path / "missing.nnue"}
    write_net(places["wide"], net(32, 3))
    out = tmp_path / "mean.nnue"
    before = files[1].read_bytes()
    words = [*map(str, files), *(word.format(*files, **places) for word in words)]
    assert main([*words, *([] if "--out" in words else ["--out", str(out)])]) == 2
    assert complaint in " ".join(capsys.readouterr().out.split())
    assert not out.exists()
    assert files[1].read_bytes() == before
