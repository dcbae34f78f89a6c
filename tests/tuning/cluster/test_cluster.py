"""Work on real worker processes over the loopback address, some of which are killed in the middle."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dask import config as dask_config

from tests.tuning.conftest import FOOLS_MATE, long_line
from tuning.cluster.choice import HERE, open_cluster
from tuning.cluster.dask import Dask
from tuning.common.errors import SetupError
from tuning.common.ledger import Ledger, read_events
from tuning.matches.limits import Limits
from tuning.matches.tournament import TOOL, BookSettings, Tournament, TournamentSettings


def square(unit: int, report: Any) -> int:
    report({"half": unit})
    if unit == 13:
        raise ValueError("unlucky")
    return unit * unit


def slow_note(unit: tuple[int, str], report: Any) -> int:
    """Leave a note of every start, name the process, and take a while."""
    number, folder = unit
    with (Path(folder) / f"{number}").open("a") as stream:
        stream.write(f"{os.getpid()}\n")
    report({"started": number, "pid": os.getpid()})
    time.sleep(0.3)
    return number


@pytest.fixture(scope="module")
def dask() -> Iterator[Dask]:
    cluster = Dask(None, 2)
    yield cluster
    cluster.close()


def test_units_come_out_once_with_their_errors(dask):
    reports: list[Any] = []
    outcomes = list(dask.run(square, iter(range(10, 20)), reports.append))
    assert sorted(outcome.unit for outcome in outcomes) == list(range(10, 20))
    for outcome in outcomes:
        if outcome.unit == 13:
            assert isinstance(outcome.error, ValueError)
        else:
            assert outcome.result == outcome.unit**2
    assert {report["half"] for report in reports} == set(range(10, 20))


def test_a_killed_workers_unit_runs_again_and_counts_once(dask, tmp_path):
    killed: list[int] = []

    def kill_the_first(report: dict[str, int]) -> None:
        if not killed:
            killed.append(report["started"])
            os.kill(report["pid"], signal.SIGKILL)

    units = iter([(number, str(tmp_path)) for number in range(8)])
    outcomes = list(dask.run(slow_note, units, kill_the_first))
    assert sorted(outcome.result for outcome in outcomes) == list(range(8))
    starts = {int(note.name): len(note.read_text().split()) for note in tmp_path.iterdir()}
    again = starts.pop(killed[0])
    assert again == 2
    assert set(starts.values()) == {1}


def test_work_goes_on_after_a_pause(tmp_path, monkeypatch):
    """A worker that was stopped for long is not taken for dead: no unit is lost, and none runs twice.

    Dask's patience, five minutes, is one second here.
    """
    monkeypatch.setattr("distributed.scheduler.heartbeat_interval", lambda workers: 0.01)
    stopped: list[int] = []

    def stop_the_first(report: dict[str, int]) -> None:
        if not stopped:
            stopped.append(report["pid"])
            os.kill(report["pid"], signal.SIGSTOP)
            threading.Timer(2, os.kill, (report["pid"], signal.SIGCONT)).start()

    with dask_config.set({"distributed.scheduler.worker-ttl": "1s"}):
        cluster = Dask(None, 2)
        try:
            units = iter([(number, str(tmp_path)) for number in range(6)])
            outcomes = list(cluster.run(slow_note, units, stop_the_first))
        finally:
            cluster.close()
    assert sorted(outcome.result for outcome in outcomes) == list(range(6))
    assert all(len(note.read_text().split()) == 1 for note in tmp_path.iterdir())


def test_a_match_survives_the_death_of_a_worker(dask, trivial, tmp_path):
    """Games go on, none is lost, none is counted twice."""
    line = long_line(60)
    limits = Limits(base=60.0)
    specs = tuple(trivial(name, line, "late", 10, 0.25, limits) for name in ("a", "b"))
    ledger = Ledger.create(tmp_path / "results.jsonl", TOOL, {})
    killed: list[int] = []

    def on_game(record: Any) -> None:
        if len(tournament.tally.keys) == 3 and not killed:
            pids = dask._client.run(os.getpid)
            killed.append(next(iter(pids.values())))
            os.kill(killed[0], signal.SIGKILL)

    tournament = Tournament(TournamentSettings(specs, 12, book=BookSettings(plies=0)), ledger, on_game, pytest.fail)
    tournament.play(dask)
    ledger.close()
    assert killed
    assert tournament.tally.games == 12
    assert sum(tournament.tally.encounters["a", "b"].pairs) == 6
    events = read_events(ledger.path)
    counted = Counter((data["pair"], data["index"]) for kind, data in events if kind == "game")
    assert counted == {(pair, index): 1 for pair in range(6) for index in range(2)}


def test_stopping_early_cancels_the_rest(dask, tmp_path):
    outcomes = dask.run(slow_note, iter([(number, str(tmp_path)) for number in range(1000)]), lambda report: None)
    assert next(outcomes).error is None
    began = time.monotonic()
    outcomes.close()
    assert time.monotonic() - began < 5
    assert len(list(tmp_path.iterdir())) < 20


def test_a_running_scheduler_is_used(dask):
    address = dask._client.scheduler_info()["address"]
    second = open_cluster(address, None)
    try:
        assert second.workers == 2
        assert [outcome.result for outcome in second.run(square, iter([5]), lambda report: None)] == [25]
    finally:
        second.close()
    assert [outcome.result for outcome in dask.run(square, iter([6]), lambda report: None)] == [36]


def test_no_scheduler_is_one_clear_error(monkeypatch):
    monkeypatch.setattr("tuning.cluster.dask.CONNECT_TIMEOUT", "1s")
    with pytest.raises(SetupError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:9"):
        open_cluster("tcp://127.0.0.1:9", None)


def test_the_same_work_without_a_cluster(trivial, tmp_path):
    cluster = open_cluster(HERE, None)
    outcomes = list(cluster.run(square, iter([3, 13]), lambda report: None))
    assert outcomes[0].result == 9
    assert isinstance(outcomes[1].error, ValueError)
    ledger = Ledger.create(tmp_path / "results.jsonl", TOOL, {})
    specs = (trivial("a", FOOLS_MATE), trivial("b", FOOLS_MATE))
    tournament = Tournament(
        TournamentSettings(specs, 4, book=BookSettings(plies=0)), ledger, lambda game: None, pytest.fail
    )
    tournament.play(cluster)
    ledger.close()
    cluster.close()
    assert tournament.tally.encounters["a", "b"].pairs == [0, 0, 2, 0, 0]
