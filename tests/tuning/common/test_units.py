"""Work units on this machine and on a scheduler's workers, some of which die in the middle."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from engine.analysis.cli import main as numbat_analyse
from tests.tuning.common.jobs import die_once, note, square
from tests.tuning.conftest import finished, run_tool
from tuning import annotate, arena
from tuning.common.errors import SetupError
from tuning.common.results import read_events
from tuning.common.units import HERE, SchedulerLost, run


@pytest.fixture(scope="module")
def joined() -> Iterator[str]:
    """The address of a scheduler with two workers."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs="CRITICAL"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(params=["here", "processes", "scheduler"])
def scheduler(request) -> str | None:
    if request.param == "scheduler":
        return request.getfixturevalue("joined")
    return HERE if request.param == "here" else None


def test_units_come_out_once_with_their_errors(scheduler):
    reports: list[Any] = []
    outcomes = list(run(square, iter(range(10, 20)), scheduler, 2, reports.append))
    assert sorted(outcome.item for outcome in outcomes) == list(range(10, 20))
    for outcome in outcomes:
        if outcome.item == 13:
            assert isinstance(outcome.error, ValueError)
        else:
            assert outcome.result == outcome.item**2
    assert {report["half"] for report in reports} >= set(range(10, 20)) - {13}


def test_a_lost_worker_costs_nothing(scheduler, tmp_path):
    if scheduler == HERE:
        pytest.skip("the worker is the test")
    outcomes = list(run(die_once, ((number, str(tmp_path)) for number in range(6)), scheduler, 2, print))
    assert sorted(outcome.result for outcome in outcomes) == list(range(6))


def test_stopping_early_cancels_the_rest(scheduler, tmp_path):
    outcomes = run(note, ((number, str(tmp_path)) for number in range(1000)), scheduler, 2, print)
    assert next(outcomes).error is None
    outcomes.close()
    time.sleep(0.5)
    assert len(list(tmp_path.iterdir())) < 20


def test_the_arena_on_a_scheduler(joined, monkeypatch, tmp_path):
    words = ["--each", "EvalType=Material", "--nodes", "50", "--hash", "1", "--games", "8"]
    points = []
    for place in (HERE, joined):
        path = tmp_path / f"{len(points)}.jsonl"
        finished(run_tool(monkeypatch, arena.main, *words, "--scheduler", place, "--json", str(path)))
        points.append([data["points"] for kind, data in read_events(path) if kind == "pair"])
    assert points[0] == points[1]


def test_games_annotated_by_workers_are_as_on_this_machine(joined, tmp_path, capsys, monkeypatch):
    """Cut off by a lost scheduler first, and then continued."""
    pgn = tmp_path / "games.pgn"
    pgn.write_text("1. e4 e5 2. Ba6 Nxa6 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n")
    words = [str(pgn), "--nodes", "500"]
    assert numbat_analyse("analyse", words) == 0
    written = [pgn.with_suffix(suffix) for suffix in (".annotated.pgn", ".annotated.html")]
    here = [file.read_bytes() for file in written]
    for file in (*written, pgn.with_suffix(".numbat.json")):
        file.unlink()

    def lost(*arguments: Any) -> Iterator[Any]:
        yield next(run(*arguments))
        raise SchedulerLost("lost the scheduler")

    with monkeypatch.context() as patch:
        patch.setattr("tuning.common.units.run", lost)
        assert annotate.main([*words, "--scheduler", joined]) == 1
    assert "lost the scheduler; run the same command to continue" in capsys.readouterr().err
    assert annotate.main([*words, "--scheduler", joined]) == 0
    assert [file.read_bytes() for file in written] == here


FARM = """
import distributed, sys
cluster = distributed.LocalCluster(1, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0")
print(cluster.scheduler_address, flush=True)
sys.stdin.read()
"""


def test_a_dead_scheduler_ends_the_run_in_one_line():
    pytest.importorskip("distributed")
    with subprocess.Popen(
        [sys.executable, "-c", FARM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as farm:
        address = farm.stdout.readline().strip()
        with closing(run(square, iter(range(20, 10**9)), address, None, lambda report: None)) as outcomes:
            assert next(outcomes).error is None
            farm.kill()
            with pytest.raises(SchedulerLost, match=r"lost the scheduler at tcp://127\.0\.0\.1:\d+"):
                list(outcomes)


def test_no_scheduler_is_one_clear_error(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("tuning.common.units.CONNECT_SECONDS", 1)
    with pytest.raises(SetupError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:9"):
        next(run(square, [1], "tcp://127.0.0.1:9", None, print))
