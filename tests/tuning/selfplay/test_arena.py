"""``python -m tuning.arena`` from its command line: the same games however they are played, counted once, in order."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from tests.tuning.conftest import finished, refused, run_tool
from tuning.arena import main
from tuning.common.errors import SetupError
from tuning.common.results import read_events, read_header, restored
from tuning.selfplay import arena, batches
from tuning.selfplay.arena import ArenaSettings, Count
from tuning.selfplay.batches import Matchup, PairBatch
from tuning.statistics.sprt import Sprt

QUICK = ("--each", "EvalType=Material", "--nodes", "200", "--hash", "1")

GAMES = 20


def _run(monkeypatch: pytest.MonkeyPatch, *words: str, cluster: tuple[str, ...] = ("--scheduler", "here")) -> Any:
    """The exit code and what was printed."""
    return run_tool(monkeypatch, main, *words, *cluster)


def _pairs(path: Path) -> list[dict[str, Any]]:
    """The pairs in a results file, by their numbers, without the times, which no run repeats."""
    pairs = sorted((data for kind, data in read_events(path) if kind == "pair"), key=lambda pair: pair["number"])
    for pair in pairs:
        assert min(pair.pop("seconds")) >= 0
    return pairs


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run of GAMES games in one process, and the page that it printed."""
    path = tmp_path_factory.mktemp("whole") / "whole.jsonl"
    files = ("--json", str(path), "--pgn", str(path.with_suffix(".pgn")))
    with pytest.MonkeyPatch.context() as patch:
        page = finished(_run(patch, *QUICK, "--new", "ReductionBase=140", "--games", str(GAMES), *files))
    return path, page


def test_a_run_from_start_to_end(whole: tuple[Path, str]) -> None:
    path, page = whole
    pairs = _pairs(path)
    assert [pair["number"] for pair in pairs] == list(range(GAMES // 2))
    points = [half for pair in pairs for half in pair["points"]]
    assert f"+{points.count(2)} ={points.count(1)} -{points.count(0)}" in page
    summary = dict(read_events(path))["summary"]
    assert summary["pentanomial"] == [sum(sum(pair["points"]) == half for pair in pairs) for half in range(5)]
    assert summary["network"].startswith("numbat.nnue ")
    assert "games an hour" in page
    assert f"{GAMES} games, " in page
    ratio, error = summary["time_per_node"].values()
    assert f"time per node: {ratio:.3f} ±{error:.3f} times that of base" in page
    assert page.splitlines()[-1].endswith(f": {', '.join(map(str, summary['pentanomial']))}")
    with path.with_suffix(".pgn").open() as stream:
        games = list(iter(lambda: chess.pgn.read_game(stream), None))
    assert len(games) == GAMES
    for game in games:
        assert not game.errors
        pair = pairs[(int(game.headers["Round"].split(".")[0])) - 1]
        white = int(game.headers["Round"].split(".")[1]) - 1
        assert game.headers["White"].split()[0] == ("new", "base")[white]
        half = pair["points"][white] if white == 0 else 2 - pair["points"][white]
        assert game.headers["Result"] == ("0-1", "1/2-1/2", "1-0")[half]
        assert int(game.headers["PlyCount"]) == pair["plies"][white] + 8


def test_the_number_of_processes_does_not_matter(monkeypatch, tmp_path, whole):
    path = tmp_path / "two.jsonl"
    monkeypatch.setattr(arena, "_BATCH_NODES", 400)  # two pairs in a unit
    words = (*QUICK, "--new", "ReductionBase=140", "--games", str(GAMES), "--json", str(path))
    page = finished(_run(monkeypatch, *words, cluster=("--jobs", "2")))
    assert _pairs(path) == _pairs(whole[0])
    assert page.splitlines()[-1] == whole[1].splitlines()[-1]


def test_resumed_run_has_the_same_pairs(monkeypatch, tmp_path, whole):
    path, page = whole
    torn = tmp_path / "torn.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    torn.write_text("".join([lines[0], lines[3], lines[1], lines[4][: len(lines[4]) // 2]]))
    refused(_run(monkeypatch, "--resume", str(torn), "--pgn", str(torn)), "it is one of the files to read")
    resumed = finished(_run(monkeypatch, "--resume", str(torn)))
    assert _pairs(torn) == _pairs(path)
    assert resumed.splitlines()[-1] == page.splitlines()[-1]


def test_more_games_may_be_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, whole: tuple[Path, str]) -> None:
    path = tmp_path / "fewer.jsonl"
    words = (*QUICK, "--new", "ReductionBase=140", "--games", "4", "--json", str(path))
    assert _run(monkeypatch, *words)[0] == 0
    page = finished(_run(monkeypatch, "--resume", str(path), "--games", str(GAMES)))
    assert f"games: {GAMES} instead of 4" in page
    assert _pairs(path) == _pairs(whole[0])
    assert _run(monkeypatch, "--resume", str(path))[1].splitlines()[-1] == whole[1].splitlines()[-1]


def test_another_engine_is_refused_on_resume(monkeypatch, tmp_path, whole):
    other = tmp_path / "other.jsonl"
    fingerprint = read_header(whole[0])["settings"]["meeting"]["fingerprint"]
    other.write_text(whole[0].read_text().replace(fingerprint, "0" * 16, 1))
    refused(_run(monkeypatch, "--resume", str(other)), "was started with another engine, network or evaluation")
    with pytest.raises(SetupError, match="a worker plays differently"):
        batches.play_batch(PairBatch(Matchup(fingerprint="0" * 16), ()), lambda item: None)


@pytest.mark.parametrize(("new", "verdict"), [("EvalType=NNUE", "H1"), ("NoisySeeDepth=0", "H0")])
def test_a_sequential_test_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, new: str, verdict: str) -> None:
    path = tmp_path / "r.jsonl"
    base = () if verdict == "H1" else ("--base", "EvalType=NNUE")
    page = finished(
        _run(
            monkeypatch, *QUICK, "--new", new, *base, "--sprt", "0", "150", "--model", "normalized", "--json", str(path)
        )
    )
    assert f"{verdict} accepted" in page.splitlines()[-1]
    summary = dict(read_events(path))["summary"]
    assert summary["sprt"]["verdict"] == verdict
    assert summary["games"] == 2 * sum(summary["pentanomial"]) < 200
    code, again = _run(monkeypatch, "--resume", str(path))  # it has ended
    assert code == 0
    assert again.splitlines()[-1] == page.splitlines()[-1]


def test_pairs_count_in_their_order_and_once() -> None:
    """However the pairs come in, the test ends at the same one, and those after it do not count."""
    settings = ArenaSettings(("a", "b"), Matchup(), sprt=Sprt(0, 100))
    source = random.Random(4)
    pairs = [
        {
            "number": number,
            "points": [source.choice((1, 2)), 2],
            "reasons": [],
            "plies": [1, 1],
            "nodes": [1, 1],
            "seconds": [1, 1],
        }
        for number in range(200)
    ]
    expected = Count(settings)
    for pair in pairs:
        expected.add(pair)
    assert expected.verdict == "H1"
    assert expected.pairs < 100
    for _ in range(2):
        order = sorted(pairs, key=lambda pair: pair["number"] + source.randrange(30))
        count = Count(settings)
        for pair in order:
            count.add(pair)
            assert not count.add(pair)
        assert (count.pairs, count.encounter) == (expected.pairs, expected.encounter)


def test_a_book_is_played_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    fens = (
        "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - -",
        "this is not a position",
        "4k3/pppp4/8/8/8/8/PPPPPPPP/NNN1K3 w - -",
        "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 9",
        "4k3/4pppp/8/8/8/8/PPPP4/4K3 w - -",
    )
    book.write_text("\n".join(fens) + "\n")
    path = tmp_path / "r.jsonl"
    words = ("--games", "100", "--openings", str(book), "--order", "sequential", "--json", str(path))
    page = finished(_run(monkeypatch, *QUICK, *words))
    assert "there are only 2 openings" in page
    assert "'this is not a position' is not a position" in page
    assert "has more promoted pieces than missing pawns" in page
    assert "book.epd:4 leads to the position of an earlier opening" in page
    assert [pair["opening"] for pair in _pairs(path)] == ["book.epd:1", "book.epd:5"]


def test_a_failed_batch_ends_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(batch: PairBatch, report: Any) -> None:
        raise RuntimeError("no memory left")

    path = tmp_path / "r.jsonl"
    monkeypatch.setattr(arena, "play_batch", fail)
    page = refused(_run(monkeypatch, *QUICK, "--games", "4", "--json", str(path)), "no memory left")
    assert f"--resume {path}" in page


def test_the_sides_play_with_their_own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    page = finished(_run(
        monkeypatch, "--each", "EvalType=Material", "--new", "name=wide", "AspirationWindow=40", "--base",
        "EvalType=Classical", "--nodes", "100", "--hard", "900", "--games", "2", "--json", str(path),
    ))  # fmt: skip
    assert "wide against base EvalType=Classical" in page
    settings = restored(ArenaSettings, read_header(path)["settings"])
    assert settings.meeting.first == (("AspirationWindow", "40"), ("EvalType", "Material"))
    assert settings.meeting.second == (("EvalType", "Classical"),)
    assert (settings.meeting.rules.nodes, settings.meeting.rules.hard) == (100, 900)
    assert restored(ArenaSettings, json.loads(json.dumps(asdict(settings)))) == settings


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_everything_is_kept(monkeypatch, tmp_path, number):
    path = tmp_path / "r.jsonl"
    words = [sys.executable, "-m", "tuning.arena", *QUICK, "--new", "ReductionBase=140", "--json", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    process = subprocess.Popen(
        [*words, "--games", "100000", "--jobs", "2"], env=environment, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and not (path.exists() and '"number":0,' in path.read_text()):
            time.sleep(0.2)  # the other worker's pairs may come first
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does, which asks the workers too
        else:
            process.send_signal(number)
        page, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, errors) == (130, "")
    assert f"--resume {path}" in page.replace("\n", "")
    played = _pairs(path)
    assert len(played) >= 4
    once = tmp_path / "once.jsonl"
    assert _run(monkeypatch, *words[3:-2], "--games", "8", "--json", str(once))[0] == 0
    assert played[:4] == _pairs(once)


def test_a_damaged_file_is_not_resumed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text('{"tool":"tuning.arena","settings":{"names":["a"]}}\n')
    refused(_run(monkeypatch, "--resume", str(damaged)), f"{damaged} is not a complete results file")
