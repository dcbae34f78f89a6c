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


def test_what_followed_is_mixed_into_a_score_and_has_to_confirm_it(games: Path, tmp_path: Path) -> None:
    """Against the definition, game by game: the mean of all later scores and the result, each by its distance."""
    weight, limit, follow_limit, scale = 0.8, 0.15, 0.1, 245
    flags = ["--look-ahead", str(weight), "--limit", str(limit), "--follow-limit", str(follow_limit)]
    assert _run(games, NETWORK, tmp_path / "mixed", *flags) == 0
    network = choose("NNUE", str(NETWORK))
    stayed = went = 0
    for path in files_of(games):
        positions, after = read_positions([path]), read_positions([tmp_path / "mixed" / path.name]).boards
        before, static = positions.boards, values_of(network, positions.boards)
        quiet = is_quiet(before, Quiet(0, np.inf))
        for place in np.flatnonzero(quiet).tolist():
            game = np.flatnonzero(positions.games == positions.games[place])
            scored = game[np.abs(before["score"][game].astype(int)) < NO_VERDICT]
            later = [_expected(float(before["score"][other]), scale) for other in scored if other > place]
            followed = sum((1 - weight) * weight**steps * score for steps, score in enumerate(later))
            followed += weight ** len(later) * float(before["result"][place]) / 2
            own = _expected(float(before["score"][place]), scale)
            mixed = min(max((1 - weight) * own + weight * followed, 1e-5), 1 - 1e-5)
            score = round(scale * math.log(mixed / (1 - mixed)))
            distances = abs(own - followed), abs(_expected(score, scale) - _expected(static[place], 220))
            if min(abs(distances[0] - follow_limit), abs(distances[1] - limit)) < 1e-9:
                continue
            if distances[0] < follow_limit and distances[1] < limit:
                stayed += 1
                assert abs(int(after["score"][place]) - score) <= 1
            else:
                went += 1
                assert after["score"][place] == NO_VERDICT
        assert np.all(after["score"][~quiet] == NO_VERDICT)
    assert stayed > 50
    assert went > 20


def test_without_a_look_ahead_what_followed_does_not_matter(games: Path, tmp_path: Path) -> None:
    assert _run(games, NETWORK, tmp_path / "plain") == 0
    assert _run(games, NETWORK, tmp_path / "same", "--follow-limit", "0.001") == 0
    for path in files_of(tmp_path / "plain"):
        assert path.read_bytes() == (tmp_path / "same" / path.name).read_bytes()


def test_a_run_is_continued_and_with_other_settings_refused(games, tmp_path, capsys):
    out = tmp_path / "calm"
    assert _run(games, NETWORK, out) == 0
    first, second = files_of(out)
    whole, times = second.read_bytes(), first.stat().st_mtime_ns
    second.unlink()
    assert _run(games, NETWORK, out) == 0
    assert second.read_bytes() == whole
    assert first.stat().st_mtime_ns == times
    assert _run(games, NETWORK, out, "--limit", "0.1") == 2
    assert "was started with limit 0.08, not 0.1" in capsys.readouterr().out


def test_what_cannot_be_used_is_named(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
        ([games, NETWORK, tmp_path / "out", "--limit", "0"], "--limit 0.0 is not above 0"),
        ([games, NETWORK, tmp_path / "out", "--follow-limit", "0"], "--follow-limit 0.0 is not above 0"),
        ([games, NETWORK, tmp_path / "out", "--look-ahead", "1"], "--look-ahead 1.0 is not from 0 to less than 1"),
        ([games, others, tmp_path / "out", "--look-ahead", "0.9"], "with the opinion of a network"),
    ):
        assert _run(*map(str, arguments)) == 2
        assert message in capsys.readouterr().out
