"""The command that trains: it learns, goes on where it was interrupted, and says what is wrong."""

import json
import math
import random

import pytest

from engine.evaluation.nnue.file import read_net, write_net
from tests.tuning.lines import evaluation_line, random_games
from tuning import loss
from tuning.common.errors import SetupError
from tuning.learning.recipe import settings_of

pytest.importorskip("torch")

from tuning import train
from tuning.learning import training


@pytest.fixture(scope="module")
def positions(tmp_path_factory):
    """Games in which nothing counts but knights on c3 and f3 (c6, f6): easy to see, and not what Material says."""
    file = tmp_path_factory.mktemp("train") / "games.tsv"
    lines, dice = [], random.Random(1)
    for position in random_games(80, seed=9, plies=40):
        board = position.board
        placed = [str(board.piece_at(square) or "") for square in (18, 21, 42, 45)]
        bonus = 400 * ((placed[0] == "N") + (placed[1] == "N") - (placed[2] == "n") - (placed[3] == "n"))
        line = evaluation_line(position).split("\t")
        line[1] = str(bonus)
        line[2] = "1" if dice.random() < 1 / (1 + math.exp(-bonus / 400)) else "0"
        lines.append("\t".join(line))
    file.write_text("".join(lines))
    return file


@pytest.fixture
def words(positions):
    return [
        "--positions", str(positions), "--cache", str(positions.parent / "cache"),
        "--hidden", "16", "--length", "6000", "--batch", "256", "--held-out", "0.2", "--first-ply", "2",
        "--learning-rate", "5e-3", "--warm-up", "500", "--report", "2000",
    ]  # fmt: skip


def history(out):
    events = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()[1:]]
    return [event["report"] for event in events if "report" in event]


def test_training_lowers_the_loss(words, tmp_path, capsys):
    out = tmp_path / "run"
    assert train.main([*words, "--out", str(out), "--length", "40000"]) == 0
    losses = [entry["validation"] for entry in history(out)]
    assert len(losses) > 10
    assert history(out)[-1]["seen"] == pytest.approx(40_000, abs=256)
    assert history(out)[-1]["train"] < history(out)[0]["train"] / 2
    assert (out / "loss.png").stat().st_size > 1000
    recipe = read_net(out / "net.nnue").training
    assert recipe["validation_loss"] == losses[-1]
    assert recipe["positions"][0]["games"] == 80
    assert recipe["seed"] == 1

    capsys.readouterr()
    assert loss.main([str(out), "Material", str(out / "net.nnue")]) == 0
    errors = [float(line.split("│")[3]) for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    even, material, network = errors
    assert network < min(even, material) / 2
    assert network < 1.1 * losses[-1]  # rounding costs little; a scale of its own may gain


def test_positions_count_by_their_number_of_pieces(words, positions, tmp_path, capsys):
    """As many as in the file alone, if the others are left out of it and of the run."""

    def trained(name, *more):
        assert train.main([*words, "--out", str(tmp_path / name), "--length", "300", *more]) == 0
        return history(tmp_path / name)[-1]

    assert trained("results", "--result-weight", "1")["train"] > 1.5 * trained("scores")["train"]
    by_pieces = trained("by-pieces", "--result-weight", "20:0,32:1", "--accepted", "20:0,32:1")
    assert by_pieces["train"] == trained("again", "--result-weight", "1", "--accepted", "20:0,32:1")["train"]
    assert 0 <= by_pieces["columns below 1%"] <= by_pieces["columns below 5%"] <= 1
    for shares in ("2", "x", "10:0.5,5:1", "40:1", "0.5,0.5", "10:"):
        with pytest.raises(SystemExit):
            train.main([*words, "--out", str(tmp_path / "no"), "--accepted", shares])
    assert train.main([*words, "--out", str(tmp_path / "none"), "--accepted", "2:1"]) == 2
    assert "leaves no position" in " ".join(capsys.readouterr().err.split())


def test_begins_with_another_network(words, tmp_path):
    first = tmp_path / "first"
    assert train.main([*words, "--out", str(first), "--length", "20000"]) == 0
    second = [*words, "--begin", str(first / "net.nnue"), "--out", str(tmp_path / "second"), "--learning-rate", "1e-4"]
    assert train.main([*second, "--final-learning-rate", "1e-5", "--length", "1"]) == 0
    assert history(tmp_path / "second")[0]["validation"] == pytest.approx(history(first)[-1]["validation"], rel=0.05)
    assert read_net(tmp_path / "second" / "net.nnue").training["begin"]["seen"] >= 20_000
    wider = [*words, "--begin", str(first / "net.nnue"), "--hidden", "32", "--length", "1", "--learning-rate", "1e-9"]
    assert train.main([*wider, "--final-learning-rate", "1e-9", "--out", str(tmp_path / "third")]) == 0
    assert history(tmp_path / "third")[0]["validation"] == pytest.approx(history(first)[-1]["validation"], rel=1e-4)
    narrower = [*words, "--begin", str(tmp_path / "third" / "net.nnue"), "--out", str(tmp_path / "fourth")]
    assert train.main(narrower) == 2


def test_resume_writes_missing_report(words, tmp_path, monkeypatch):
    """Though the files from which the run began have changed."""
    begin = tmp_path / "begin"
    assert train.main([*words, "--out", str(begin), "--length", "1"]) == 0
    words = [*words, "--begin", str(begin / "net.nnue")]
    assert train.main([*words, "--out", str(tmp_path / "whole")]) == 0

    def interrupt(path, net):
        if net.training["seen"] >= history(tmp_path / "whole")[-1]["seen"]:
            raise KeyboardInterrupt
        write_net(path, net)

    broken = tmp_path / "broken"
    with monkeypatch.context() as patch:
        patch.setattr(training, "write_net", interrupt)
        assert train.main([*words, "--out", str(broken)]) == 130
    (begin / "net.nnue").unlink()
    monkeypatch.setattr(training, "fit_scale", lambda *arguments: 1.0)
    assert train.main(["--resume", str(broken)]) == 0
    whole, resumed = read_net(tmp_path / "whole" / "net.nnue"), read_net(broken / "net.nnue")
    assert whole.training == resumed.training
    assert (whole.weights == resumed.weights).all()


def test_resumed_run_has_the_same_result(words, positions, tmp_path, monkeypatch, capsys):
    assert train.main([*words, "--out", str(tmp_path / "whole")]) == 0

    broken = tmp_path / "broken"
    learn = training.Training.learn

    def interrupted(self, *arguments):
        if len(self.history) == 1:
            raise KeyboardInterrupt
        return learn(self, *arguments)

    monkeypatch.setattr(training.Training, "learn", interrupted)
    assert train.main([*words, "--out", str(broken)]) == 130
    assert len(history(broken)) == 1
    monkeypatch.undo()
    assert train.main(["--resume", str(broken)]) == 0
    assert [entry["validation"] for entry in history(broken)] == [
        entry["validation"] for entry in history(tmp_path / "whole")
    ]
    whole, resumed = read_net(tmp_path / "whole" / "net.nnue"), read_net(broken / "net.nnue")
    assert (whole.weights == resumed.weights).all()
    assert (whole.output_weights == resumed.output_weights).all()
    assert (whole.skip == resumed.skip).all()

    with positions.open("a") as stream:
        stream.write(positions.read_text().splitlines(True)[0])
    assert train.main(["--resume", str(broken)]) == 2
    assert "other positions" in capsys.readouterr().err.replace("\n", " ")

    (broken / "checkpoint.pt").write_bytes(b"damaged")
    assert train.main(["--resume", str(broken)]) == 2


def test_logs_of_other_tools_are_refused(tmp_path):
    (tmp_path / "log.jsonl").write_text('{"tool":"tuning.match","settings":{"games":5}}\n')
    with pytest.raises(SetupError, match="not the log of a training run"):
        settings_of(tmp_path)


def test_a_check_starts_nothing(words, tmp_path):
    out = tmp_path / "run"
    assert train.main([*words, "--out", str(out), "--check"]) == 0
    assert not out.exists()
    assert train.main([*words, "--out", str(out), "--check", "--begin", "nowhere.nnue"]) == 2
    (tmp_path / "log.jsonl").touch()
    assert train.main([*words, "--out", str(tmp_path), "--check"]) == 2
