"""Scores that a second opinion confirms: what is kept is as it was, and nothing is learned from the rest."""

import math
from pathlib import Path

import numpy as np
import pytest

from engine.evaluation.choice import choose
from tuning import filter, relabel
from tuning.data.agreement import Agreement
from tuning.data.dataset import NO_VERDICT, Quiet, is_quiet
from tuning.data.values import values_of
from tuning.data.viriformat import files_of, read_positions

NETWORK = Path(choose.__code__.co_filename).with_name("nnue") / "numbat.nnue"


def _run(games: Path | str, by: Path | str, out: Path | str, *words: str) -> int:
    return filter.main([str(games), "--by", str(by), "--out", str(out), *words])


def _expected(centipawns: float, scale: float) -> float:
    return 1 / (1 + math.exp(-centipawns / scale))


def _check(games: Path, out: Path, opinions: dict[str, np.ndarray], limit: float, scales: tuple[float, float]) -> None:
    """What stayed and what went, position by position."""
    stayed = went = 0
    assert [path.name for path in files_of(out)] == [path.name for path in files_of(games)]
    for path in files_of(games):
        before, after = read_positions([path]).boards, read_positions([out / path.name]).boards
        assert np.array_equal(before["occupancy"], after["occupancy"])
        for old, new, opinion, quiet in zip(
            before["score"].tolist(), after["score"].tolist(), opinions[path.name], is_quiet(before, Quiet(0, np.inf)),
            strict=True,
        ):  # fmt: skip
            apart = abs(_expected(old, scales[0]) - _expected(opinion, scales[1]))
            if quiet and apart < limit:
                stayed += 1
                assert new == old
            else:
                went += quiet
                assert new == NO_VERDICT
    assert stayed > 50
    assert went > 5


def test_the_difference_is_one_of_expected_scores() -> None:
    scores, opinions = np.array([0.0, 0.0, 3000.0, 200.0]), np.array([30.0, 100.0, 6000.0, -200.0])
    assert Agreement(0.08, 245, 220).holds(scores, opinions).tolist() == [True, False, True, False]


def test_by_the_static_values_of_a_network(games: Path, tmp_path: Path) -> None:
    assert _run(games, NETWORK, tmp_path / "calm") == 0
    network = choose("NNUE", str(NETWORK))
    opinions = {path.name: values_of(network, read_positions([path]).boards) for path in files_of(games)}
    _check(games, tmp_path / "calm", opinions, 0.08, (245, 220))


def test_by_other_scores_of_the_same_games(games: Path, tmp_path: Path) -> None:
    words = ["--nodes", "1000", "--hash", "1", "--scheduler", "here", "--first-ply", "0"]
    assert relabel.main([str(games), "--out", str(tmp_path / "deep"), *words]) == 0
    flags = ["--limit", "0.05", "--scale", "250", "--opinion-scale", "240"]
    assert _run(tmp_path / "deep", games, tmp_path / "calm", *flags) == 0
    opinions = {path.name: read_positions([path]).boards["score"] for path in files_of(games)}
    _check(tmp_path / "deep", tmp_path / "calm", opinions, 0.05, (250, 240))


def test_a_run_is_continued_and_with_other_settings_refused(games, tmp_path, monkeypatch, capsys):
    out = tmp_path / "calm"
    assert _run(games, NETWORK, out) == 0
    first, second = files_of(out)
    whole, times = second.read_bytes(), first.stat().st_mtime_ns
    second.unlink()
    assert _run(games, NETWORK, out) == 0
    assert second.read_bytes() == whole
    assert first.stat().st_mtime_ns == times
    second.write_bytes(whole[:-100])  # made before the games were complete
    assert _run(games, NETWORK, out) == 0
    assert second.read_bytes() == whole
    assert _run(games, NETWORK, out, "--limit", "0.1") == 2
    assert "was started with limit 0.08, not 0.1" in capsys.readouterr().out
    other = tmp_path / NETWORK.name
    other.write_bytes(NETWORK.read_bytes() + b"\0")
    monkeypatch.setattr("tuning.filter.choose", lambda kind, file: choose(kind, str(NETWORK)))
    assert _run(games, other, out) == 2
    assert "was started with opinion" in capsys.readouterr().out


def test_invalid_inputs_are_refused(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, torn = tmp_path / "empty", tmp_path / "torn.nnue"
    empty.mkdir()
    torn.write_bytes(NETWORK.read_bytes()[:100])
    others = tmp_path / "others"
    others.mkdir()
    first, second = files_of(games)
    (others / first.name).write_bytes(second.read_bytes())
    (others / second.name).write_bytes(first.read_bytes())
    for arguments, message in (
        ([games, empty, tmp_path / "out"], f"{empty} has no games-00000.vf"),
        ([games, torn, tmp_path / "out"], "torn.nnue"),
        ([games, tmp_path / "none.nnue", tmp_path / "out"], "none.nnue"),
        ([games, others, tmp_path / "out"], "does not hold the games of"),
        ([games, NETWORK, games], "holds the games themselves"),
        ([empty, NETWORK, tmp_path / "out"], f"no games in {empty}"),
        ([tmp_path / "none.vf", NETWORK, tmp_path / "out"], "none.vf: no such file"),
    ):
        assert _run(*map(str, arguments)) == 2
        assert message in capsys.readouterr().out
