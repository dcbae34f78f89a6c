"""Work on real worker processes over the loopback address, some of which are killed in the middle."""

import logging
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

import chess
import distributed
import psutil
import pytest

from engine.analysis.cli import main as numbat_analyse
from tests.tuning.cluster.units import keep, number_of, slow_note, square, wait_on_cancel
from tests.tuning.conftest import FOOLS_MATE, SCRIPT, long_line
from tuning import annotate
from tuning.cluster.base import Cluster, ClusterLost
from tuning.cluster.dask import Dask
from tuning.cluster.local import Local
from tuning.cluster.run import HERE, open_cluster
from tuning.common.errors import SetupError
from tuning.common.ledger import Ledger, read_events
from tuning.matches.engines import EngineSpec
from tuning.matches.limits import TimeControl
from tuning.matches.openings import Opening
from tuning.matches.tournament import TOOL, BookSettings, Tournament, TournamentSettings
from tuning.matches.units import quit_idle


def wait_for(condition: Callable[[], Any], seconds: float = 30) -> bool:
    deadline = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(found)


def engines(mark: str) -> list[psutil.Process]:
    """The running engines with ``mark`` on their command line."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if str(SCRIPT) in (words := process.info["cmdline"] or []) and mark in words
    ]


TOLD: list[str] = []
"""What the tests' cluster told."""


@pytest.fixture(scope="module")
def joined() -> Iterator[str]:
    """The address of a scheduler with two workers."""
    with distributed.LocalCluster(
        2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs="CRITICAL"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def dask(joined) -> Iterator[Dask]:
    cluster = Dask(joined, None, TOLD.append)
    yield cluster
    cluster.close()


@pytest.fixture(params=["dask", "local"])
def cluster(request) -> Cluster:
    return Local(2, TOLD.append) if request.param == "local" else request.getfixturevalue("dask")


def play(
    cluster: Cluster, path: Path, specs: tuple[EngineSpec, ...], games: int, on_game: Any = lambda game: None
) -> Tournament:
    """The tournament, played."""
    ledger = Ledger.create(path, TOOL, {})
    tournament = Tournament(TournamentSettings(specs, games, book=BookSettings(plies=0)), ledger, on_game, pytest.fail)
    with closing(ledger):
        tournament.probe(cluster)
        tournament.play(cluster)
    return tournament


def test_units_come_out_once_with_their_errors(cluster):
    reports: list[Any] = []
    TOLD.clear()
    outcomes = list(cluster.run(square, iter(range(10, 20)), reports.append))
    assert sorted(outcome.item for outcome in outcomes) == list(range(10, 20))
    for outcome in outcomes:
        if outcome.item == 13:
            assert isinstance(outcome.error, ValueError)
        else:
            assert outcome.result == outcome.item**2
    assert {report["half"] for report in reports} == set(range(10, 20))
    place = "" if isinstance(cluster, Local) else f"{socket.gethostname()} (127.0.0.1): "
    assert [f"{place}a word"] == TOLD


def workers_of(cluster: Cluster) -> list[int]:
    if isinstance(cluster, Dask):
        return [done.result for _, done in cluster.everywhere(number_of, [None])]
    children = psutil.Process().children()
    ours = [process.pid for process in children if "engine.processes" in process.cmdline()]
    return [pid for pid in ours if os.getsid(pid) == os.getsid(0)]  # not what compiles in the background


def test_a_match_survives_the_death_of_a_worker(cluster, trivial, tmp_path):
    """Games go on, none is lost, none is counted twice."""
    line = long_line(60)
    limits = TimeControl(base=60.0)
    specs = tuple(trivial(name, line, "late", 10, 0.25, limits) for name in ("a", "b"))
    ledger = Ledger.create(tmp_path / "results.jsonl", TOOL, {})
    killed: list[int] = []
    TOLD.clear()
    joined = workers_of(cluster)  # workers of dask; local ones come with the run

    def on_game(record: Any) -> None:
        if len(tournament.tally.keys) == 3 and not killed:
            killed.append((joined or workers_of(cluster))[0])
            os.kill(killed[0], signal.SIGKILL)

    tournament = Tournament(TournamentSettings(specs, 12, book=BookSettings(plies=0)), ledger, on_game, pytest.fail)
    tournament.play(cluster)
    ledger.close()
    assert killed
    assert len(TOLD) == 1  # of the lost worker
    assert tournament.tally.games == 12
    assert sum(tournament.tally.encounters["a", "b"].pairs) == 6
    events = read_events(ledger.path)
    counted = Counter((data["pair"], data["index"]) for kind, data in events if kind == "game")
    assert counted == {(pair, index): 1 for pair in range(6) for index in range(2)}


def test_stopping_early_cancels_the_rest(cluster, tmp_path):
    outcomes = cluster.run(slow_note, iter([(number, str(tmp_path)) for number in range(1000)]), lambda report: None)
    assert next(outcomes).error is None
    outcomes.close()
    assert len(list(tmp_path.iterdir())) < 20


def test_cancelled_unit_is_notified(dask, tmp_path):
    def interrupt(report: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(dask.run(wait_on_cancel, iter([str(tmp_path)]), interrupt))
    assert wait_for((tmp_path / "cancelled").exists)
    assert [outcome.result for outcome in dask.run(square, iter([5]), lambda report: None)] == [25]


def test_another_client_closes_nothing(dask, joined, tmp_path):
    assert [outcome.error for outcome in dask.run(keep, iter([str(tmp_path)]), lambda report: None)] == [None]
    open_cluster(joined, None).close()
    assert not (tmp_path / "closed").exists()


def test_two_matches_and_the_arena_on_one_scheduler(dask, joined, trivial, tmp_path):
    """A client that comes or goes leaves the games of the others alone."""
    from tuning.selfplay.batches import Batch, DuelPair, Matchup, play_batch  # the workers of others need no engine
    from tuning.selfplay.duel import DuelRules

    specs = tuple(trivial(name, long_line(40), "late", 10, 0.3, TimeControl(base=60.0)) for name in ("a", "b"))
    games: list[int] = []
    pairs: list[dict[str, Any]] = []

    def beside() -> None:
        second = open_cluster(joined, None)
        games.append(play(second, tmp_path / "second.jsonl", specs, 4).tally.games)
        batch = Batch(Matchup(rules=DuelRules(nodes=20, hash=1)), (DuelPair(0, Opening(chess.STARTING_FEN)),))
        assert [outcome.error for outcome in second.run(play_batch, iter([batch]), pairs.extend)] == [None]
        second.close()

    thread = threading.Thread(target=beside, daemon=True)

    def on_game(record: Any) -> None:
        if thread.ident is None:
            thread.start()

    assert play(dask, tmp_path / "first.jsonl", specs, 8, on_game).tally.games == 8
    thread.join(300)
    assert games == [4]
    assert len(pairs) == 1


def test_games_annotated_by_workers_are_as_on_this_machine(joined, tmp_path, capsys):
    """Cut off by a lost scheduler first, and then continued."""
    pgn = tmp_path / "games.pgn"
    pgn.write_text("1. e4 e5 2. Ba6 Nxa6 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n")
    words = [str(pgn), "--nodes", "500"]
    assert numbat_analyse("analyse", words) == 0
    written = [pgn.with_suffix(suffix) for suffix in (".annotated.pgn", ".annotated.html")]
    here = [file.read_bytes() for file in written]
    for file in (*written, pgn.with_suffix(".numbat.json")):
        file.unlink()
    steps: list[Any] = []

    def lost(self: Any, function: Any, units: Any, on_report: Any) -> Any:
        def count(item: Any) -> None:
            on_report(item)
            steps.append(item)
            if len(steps) == 8:
                raise ClusterLost("lost the scheduler")

        return run(self, function, units, count)

    run = Dask.run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dask, "run", lost)
        assert annotate.main([*words, "--scheduler", joined]) == 1
    assert "lost the scheduler; run the same command to continue" in capsys.readouterr().err
    assert annotate.main([*words, "--scheduler", joined]) == 0
    assert [file.read_bytes() for file in written] == here


@pytest.mark.parametrize("where", ["dask", "local"])
def test_a_match_after_ctrl_c_in_another(joined, trivial, tmp_path, where):
    """The interrupted games, whose engines would think for an hour, end with it."""
    mark = str(tmp_path)
    place = ["--scheduler", joined] if where == "dask" else ["--concurrency", "2"]
    words = [sys.executable, "-S", "-E", str(SCRIPT), ",".join(long_line(4)), "hang", "2", "0", mark]
    first = subprocess.Popen(
        [sys.executable, "-m", "tuning.match", *(["--engine", f"cmd={shlex.join(words)}"] * 2), "--tc", "9999",
         "--plies", "0", *place, "--json", str(tmp_path / "first.jsonl")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert wait_for(lambda: len(engines(mark)) == 4, 90)
    first.send_signal(signal.SIGINT)
    out, _ = first.communicate(timeout=30)
    assert first.returncode == 130, out
    assert "Traceback" not in out
    assert wait_for(lambda: not engines(mark))
    second = open_cluster(joined if where == "dask" else None, 2)
    specs = (trivial("a", FOOLS_MATE), trivial("b", FOOLS_MATE))
    assert play(second, tmp_path / "second.jsonl", specs, 4).tally.games == 4
    second.close()


def test_an_engine_that_differs_between_hosts_is_refused(dask, joined, trivial, tmp_path):
    """Here one that calls itself after the worker that started it."""
    script = "import os, sys\nfor line in sys.stdin: print({'uci': f'id name E {os.getppid()}\\nuciok', "
    script += "'isready': 'readyok'}.get(line.strip(), ''), flush=True)"
    odd = EngineSpec("odd", (sys.executable, "-c", script), limits=TimeControl(base=10.0))
    second = open_cluster(joined, None)
    with pytest.raises(SetupError, match=r"odd is 'E \d+' .* on \S+ \(tcp://\S+\), but 'E \d+' .* on \S+ \(tcp://"):
        play(second, tmp_path / "odd.jsonl", (odd, trivial("b", FOOLS_MATE)), 4)
    second.close()


def test_late_host_must_have_the_same_engine(trivial, tmp_path):
    named = replace(trivial("a", FOOLS_MATE), identity="Numbat 0.1")
    ledger = Ledger.create(tmp_path / "r.jsonl", TOOL, {})
    specs = (named, trivial("b", FOOLS_MATE))
    tournament = Tournament(
        TournamentSettings(specs, 4, book=BookSettings(plies=0)), ledger, lambda game: None, pytest.fail
    )
    with closing(ledger), pytest.raises(SetupError, match=r"a is 'Trivial' on \S+, and 'Numbat 0\.1' elsewhere"):
        tournament.play(open_cluster(HERE, None))


FARM = """
import distributed, sys
cluster = distributed.LocalCluster(1, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0")
print(cluster.scheduler_address, flush=True)
sys.stdin.read()
"""


def test_a_dead_scheduler_ends_the_run_in_one_line(caplog):
    with subprocess.Popen(
        [sys.executable, "-c", FARM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as farm:
        cluster = Dask(farm.stdout.readline().strip())
        outcomes = cluster.run(quit_idle, repeat(None), lambda report: None)
        assert next(outcomes).error is None
        farm.kill()
        with pytest.raises(ClusterLost, match=r"lost the scheduler at tcp://127\.0\.0\.1:\d+"):
            list(outcomes)
        began = time.monotonic()
        cluster.close()
        assert time.monotonic() - began < 20
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_no_scheduler_is_one_clear_error(monkeypatch):
    monkeypatch.setattr("tuning.cluster.dask.CONNECT_TIMEOUT", "1s")
    with pytest.raises(SetupError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:9"):
        open_cluster("tcp://127.0.0.1:9", None)
