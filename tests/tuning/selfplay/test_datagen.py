"""Runs that make training data: the same however often they are interrupted, and never mixed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from engine.fen import START_FEN
from tuning.common.errors import SetupError
from tuning.data import viriformat
from tuning.datagen import main
from tuning.selfplay import generation, shards
from tuning.selfplay.games import SelfPlayRules
from tuning.selfplay.shards import DatagenSettings

QUICK = ("--nodes", "100", "--opening-nodes", "100", "--hash", "1", "--scheduler", "here")

GAMES = 6


def _run(directory: Path, *words: str) -> int:
    return main([str(directory), *QUICK, *words])


def _bytes(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.suffix == viriformat.SUFFIX}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of GAMES games, two in a shard."""
    directory = tmp_path_factory.mktemp("runs") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        _two_in_a_shard(patch)
        assert _run(directory, "--games", str(GAMES)) == 0
    return directory


def _two_in_a_shard(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(generation, "SHARD_GAMES", 2)
    patch.setattr(shards, "SHARD_GAMES", 2)


@pytest.fixture
def copy(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a run that ended after three shards, to be changed."""
    _two_in_a_shard(monkeypatch)
    directory = tmp_path / "copy"
    directory.mkdir()
    for path in whole.iterdir():
        (directory / path.name).write_bytes(path.read_bytes())
    return directory


def test_a_run_writes_shards_and_settings(whole: Path) -> None:
    assert sorted(_bytes(whole)) == [f"games-{number:05}.vf" for number in range(3)]
    for path in viriformat.files_of(whole):
        games, positions, size = viriformat.count_file(path)
        assert (games, size) == (2, path.stat().st_size)
        assert len(viriformat.read_positions([path])) == positions > 0
    notes = json.loads((whole / "run.json").read_text())
    assert (notes["seed"], notes["nodes"], notes["options"]) == (1, 100, {})


def test_another_seed_makes_other_games(whole: Path, tmp_path: Path) -> None:
    assert _run(tmp_path / "other", "--games", "1", "--seed", "2") == 0
    other, first = _bytes(tmp_path / "other")["games-00000.vf"], _bytes(whole)["games-00000.vf"]
    assert not first.startswith(other)
    assert first[:32] != other[:32]


def test_a_torn_run_comes_out_the_same(copy: Path, whole: Path) -> None:
    middle = copy / "games-00001.vf"
    middle.write_bytes(middle.read_bytes()[:-5])
    (copy / "games-00002.vf").unlink()
    assert viriformat.count_file(middle)[0] == 1
    assert _run(copy, "--games", str(GAMES)) == 0
    assert _bytes(copy) == _bytes(whole)


def test_a_run_is_extended(copy: Path, whole: Path) -> None:
    (copy / "games-00002.vf").unlink()
    assert _run(copy, "--games", str(GAMES - 1)) == 0
    assert viriformat.count_file(copy / "games-00002.vf")[0] == 1
    assert _run(copy, "--games", str(GAMES)) == 0
    assert _bytes(copy) == _bytes(whole)
    assert _run(copy, "--games", "3") == 0  # there are more already
    assert _bytes(copy) == _bytes(whole)


def test_it_stops_at_the_wanted_positions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = 150
    assert _run(tmp_path / "run", "--positions", str(wanted)) == 0
    positions = len(viriformat.read_positions(viriformat.files_of(tmp_path / "run")))
    assert wanted <= positions
    assert f"{positions:,} positions" in capsys.readouterr().out
    before = _bytes(tmp_path / "run")
    assert _run(tmp_path / "run", "--positions", str(wanted)) == 0
    assert _bytes(tmp_path / "run") == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--nodes", "101"), "was started with nodes 100, not 101: use the same settings or another directory"),
        (("--nodes", "101", "--check"), "was started with nodes 100, not 101"),
        (("--seed", "5"), "was started with seed 1, not 5"),
        (("--option", "AspirationWindow=20"), 'was started with options {}, not {"AspirationWindow": "20"}'),
    ],
)
def test_other_settings_are_refused(copy, whole, words, message, capsys):
    assert _run(copy, "--games", "9", *words) == 2
    assert message in capsys.readouterr().out.replace("\n", " ").replace("  ", " ")
    assert _bytes(copy) == _bytes(whole)


def _spoil_notes(directory: Path) -> None:
    (directory / "run.json").write_text("{")


def _lose_notes(directory: Path) -> None:
    (directory / "run.json").unlink()


def _replace_first_game(directory: Path) -> None:
    (directory / "games-00000.vf").write_bytes((directory / "games-00001.vf").read_bytes())


def _replace_first_game_of_all(directory: Path) -> None:
    (directory / "games-00000.vf").unlink()
    (directory / "games-00001.vf").write_bytes((directory / "games-00002.vf").read_bytes())


def _move_a_piece_nowhere(directory: Path) -> None:
    path = directory / "games-00001.vf"
    data = bytearray(path.read_bytes())
    data[32:34] = (9 | 9 << 6).to_bytes(2, "little")
    path.write_bytes(data)


def _add_a_stranger(directory: Path) -> None:
    (directory / "mine.vf").write_bytes(b"precious")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_spoil_notes, "run.json is not JSON"),
        (_lose_notes, "contains games but no run.json"),
        (_replace_first_game, "its first game is played"),
        (_replace_first_game_of_all, "its first game is played"),
        (_move_a_piece_nowhere, "games-00001.vf: game 1 at byte 0 has an illegal move after 0 plies; cut the file"),
        (_add_a_stranger, "mine.vf is not a file of this tool"),
    ],
)
def test_invalid_directories_stay_untouched(copy, change, message, capsys):
    torn = copy / "games-00002.vf"
    torn.write_bytes(torn.read_bytes()[:-1])
    change(copy)
    before = _bytes(copy)
    assert _run(copy, "--games", str(GAMES)) == 2
    assert message in capsys.readouterr().out.replace("\n", " ")
    assert _bytes(copy) == before


def test_one_process_at_a_time(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FileLock(copy / "run.lock"):
        assert _run(copy, "--games", "9") == 2
    assert "is in use by another process" in capsys.readouterr().out.replace("\n", " ")


def test_a_report_that_comes_twice_counts_once(tmp_path: Path) -> None:
    folder = generation.RunFolder(tmp_path, shards.DatagenRun(DatagenSettings(rules=SelfPlayRules())))
    data = [bytes([number]) * 36 for number in range(4)]
    assert folder.add(0, 0, data[:2], [3, 4]) == 7
    assert folder.add(0, 0, data[:1], [3]) == 0
    assert folder.add(0, 1, data[1:3], [4, 5]) == 5
    assert folder.add(0, 4, data[3:], [6]) == 0  # one is missing between
    assert (folder.positions, folder.games[0]) == (12, 3)
    assert (tmp_path / "games-00000.vf").read_bytes() == b"".join(data[:3])


def test_a_worker_with_another_engine_is_found(copy: Path) -> None:
    run = shards.begin(DatagenSettings(rules=SelfPlayRules(nodes=100, opening_nodes=100, hash=1)), (START_FEN,))
    assert run.first_game
    reports: list[Any] = []
    shards.play_shard(shards.Shard(0, 0, 1, run), reports.append)
    assert [item["games"] for item in reports] == [[run.first_game]]
    other = shards.DatagenRun(run.settings, run.openings, b"x" + run.first_game[1:])
    with pytest.raises(SetupError, match="a worker plays the first game differently"):
        shards.play_shard(shards.Shard(0, 0, 1, other), reports.append)


def test_games_begin_from_the_book(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    impossible = "4k3/pppp4/8/8/8/8/PPPPPPPP/NNN1K3 w - -"
    book.write_text(f"{impossible}\n4k3/pppp4/8/8/8/8/4PPPP/4K3 w - -\n4k3/4pppp/8/8/8/8/PPPP4/4K3 w - -\n")
    assert _run(tmp_path / "run", "--games", "6", "--book", str(book), "--opening-plies", "2") == 0
    positions = viriformat.read_positions(viriformat.files_of(tmp_path / "run"))
    assert max(int(board["occupancy"]).bit_count() for board in positions.boards) == 10


@pytest.mark.slow
def test_an_interrupted_run_on_two_processes_comes_out_the_same(tmp_path: Path, whole: Path) -> None:
    """SIGINT and then SIGKILL, wherever they strike; the data are those of one process that ran through."""
    words = [sys.executable, "-m", "tuning.datagen", str(tmp_path / "run"), *QUICK[:-2], "--jobs", "2"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    for number in (signal.SIGINT, signal.SIGKILL):
        before = sum(map(len, _bytes(tmp_path / "run").values())) if (tmp_path / "run").exists() else 0
        process = subprocess.Popen([*words, "--games", "100000"], env=environment, start_new_session=True)
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            time.sleep(0.2)
            if (tmp_path / "run").exists() and sum(map(len, _bytes(tmp_path / "run").values())) > before:
                break
        if number == signal.SIGKILL:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        assert process.wait(60) == (130 if number == signal.SIGINT else -number)
    played = Counter({path.name: viriformat.count_file(path)[0] for path in viriformat.files_of(tmp_path / "run")})
    assert played.total() > 0
    assert _run(tmp_path / "once", "--games", str(played["games-00000.vf"])) == 0
    once = _bytes(tmp_path / "once")["games-00000.vf"]
    assert _bytes(tmp_path / "run")["games-00000.vf"].startswith(once)
