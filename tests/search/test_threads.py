"""Threads: started before the clock runs, joined despite signals, ended when unused."""

import gc
import os
import re
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable

import chess
import pytest

from engine.api import Engine
from engine.evaluation.choice import choose
from engine.messages import Info, Limits, ThreadError
from engine.processes import run
from engine.search.lazy_smp import vote
from engine.search.pool import HEADROOM, Pool
from engine.search.scores import MATE
from engine.search.threads import TaskThread, ThreadTask, run_on_deep_stack
from engine.search.transposition import TranspositionTable
from engine.search.worker import RootLine, Worker
from tests.process_jobs import squaring
from tests.run_python import run_python
from tests.search.conftest import Bare
from tests.search.conversation import PATIENCE, start
from uci_main import main

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def have_ended(threads: Iterable[threading.Thread]) -> bool:
    """Whether ``threads`` are at their end, or soon will be."""
    deadline = time.perf_counter() + PATIENCE
    while not set(threads).isdisjoint(threading.enumerate()):
        if time.perf_counter() > deadline:
            return False
        time.sleep(0.01)
    return True


def threads_beside(others: Iterable[threading.Thread]) -> set[threading.Thread]:
    """The threads that run now, without these ``others``."""
    return {*threading.enumerate()} - {*others}


# Jobs


def test_jobs_run_in_order_and_once() -> None:
    thread, done = TaskThread("numbat-test"), []
    jobs = [thread.put(ThreadTask(lambda number=number: done.append(number))) for number in range(100)]
    thread.put(jobs[0])
    jobs.append(thread.put(ThreadTask(lambda: 1 // 0)))
    assert jobs[-1].wait(PATIENCE)
    assert done == list(range(100))
    with pytest.raises(ZeroDivisionError):
        jobs[-1].result()
    assert thread.put(ThreadTask(lambda: 7)).result() == 7
    gate = threading.Event()
    held = thread.put(ThreadTask(gate.wait))
    assert not held.wait(0.01)
    gate.set()
    assert held.result()


def test_a_thread_ends_with_its_owner_and_holds_no_finished_job() -> None:
    class Big:
        def work(self) -> None: ...

    thread, big = TaskThread("numbat-owned"), Big()
    started = thread.thread
    gone = weakref.ref(big)
    thread.put(ThreadTask(big.work)).result()
    del big
    assert gone() is None
    assert started.is_alive()
    del thread
    assert have_ended([started])


def test_work_on_a_deep_stack_raises_here() -> None:
    seen: list[threading.Thread] = []
    run_on_deep_stack(lambda: seen.append(threading.current_thread()))
    assert seen != [threading.current_thread()]
    assert have_ended(seen)
    with pytest.raises(ZeroDivisionError):
        run_on_deep_stack(lambda: 1 // 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_engine_is_refused() -> None:
    script = (
        "import os, sys, warnings, chess\n"
        "from chess.engine import Limit\n"
        "from engine import Engine\n"
        "warnings.simplefilter('ignore')\n"  # newer Pythons warn of forks
        "with Engine(hash=1, threads=2) as engine, engine.stream(chess.Board()) as reports:\n"
        "    next(reports)\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        try: engine.play(chess.Board(), Limit(depth=3))\n"
        "        except RuntimeError as error: code = 'process that forked' not in str(error)\n"
        "        try: next(reports)\n"
        "        except RuntimeError as error: code |= 2 * ('process that forked' not in str(error))\n"
        "        reports.stop()\n"
        "        reports.close()\n"
        "        engine.stop()\n"
        "        engine.close()\n"
        "        os._exit(code)\n"
        "    assert engine.play(chess.Board(), Limit(depth=5)) in chess.Board().legal_moves\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = run_python("-c", script)
    assert done.returncode == 0, done.stderr


# Interrupts


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timer")
def test_interrupted_searches_leave_an_engine_that_searches() -> None:
    done = run_python("-m", "tests.search.interrupted")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert int(done.stdout) == 1 + 6 * 8


# How many there are


def test_resize_starts_and_ends_threads() -> None:
    before = threading.enumerate()
    pool = Pool(5, choose("Material", ""))
    started = threads_beside(before)
    assert len(started) == 4
    last = weakref.ref(pool.workers[4])
    pool.resize(2)
    assert last() is None
    assert have_ended(thread for thread in started if thread.name != "numbat-helper-1")
    pool.resize(3)
    assert len(pool.workers) == 3
    started = threads_beside(before)
    pool.close()
    assert have_ended(started)


def test_no_thread_is_started_by_a_search(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.set_option("Threads", 4)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", lambda thread: pytest.fail("a thread was started"))
        engine.search(chess.Board(KIWIPETE), Limits(nodes=50_000))


def test_all_threads_take_part(bare: Callable[..., Bare]) -> None:
    """With nodes for more than a second of two cores: six threads may take turns on them."""
    search = bare(threads=6)
    search.search(Limits(nodes=5_000_000), KIWIPETE)
    search.pool.wait_for_helpers()
    assert all(worker.nodes > 0 for worker in search.pool.workers)
    assert search.pool.nodes == sum(worker.nodes for worker in search.pool.workers)


@pytest.mark.parametrize(("threads", "processors", "parts"), [(1, 8, 1), (3, 8, 3), (3, 2, 2)])
def test_shared_work_is_done_at_once_and_each_part_once(bare, monkeypatch, threads, processors, parts):
    pool = bare(threads).pool
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    together, done = threading.Barrier(parts), []
    pool.run_on_all(lambda part, of: (together.wait(10), done.append((part, of))))
    assert sorted(done) == [(part, parts) for part in range(parts)]


def test_threads_end_with_an_engine_that_is_closed_or_dropped() -> None:
    before, started = threading.enumerate(), set[threading.Thread]()
    for _ in range(4):
        engine = Engine(hash=1, threads=3)
        engine.search(chess.Board(), Limits(depth=3))
        started |= threads_beside(before)
        gone = weakref.ref(engine)
        del engine
        gc.collect()
        assert gone() is None
    with Engine(hash=1, threads=3):
        started |= threads_beside([*before, *started])
    assert len(started) == 15
    assert have_ended(started)


# The end of a search


def test_slow_helper_does_not_delay_the_result(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is waited for before the next search."""
    engine.set_option("Threads", 2)
    leaves, entered = threading.Event(), threading.Event()

    def help(worker: Worker, first: int, last: int) -> None:
        entered.set()
        leaves.wait(PATIENCE)

    try:
        monkeypatch.setattr(Worker, "deepen_silently", help)
        running = start(engine, Limits(infinite=True), chess.Board())
        assert entered.wait(PATIENCE)
        engine.stop()
        running.result()
        second = start(engine, Limits(depth=1), chess.Board())
        assert second.goes_on
        leaves.set()
        second.result()
    finally:
        leaves.set()


def test_reports_within_an_iteration_are_as_others(engine: Engine, monkeypatch) -> None:
    """They cannot use the engine, and an error in one ends the search."""
    monkeypatch.setattr("engine.search.pool.FIRST_TICK_SECONDS", 0.0)

    def on_info(info: Info) -> None:
        if info.currmove:
            for call in (engine.new_game, engine.close):
                with pytest.raises(RuntimeError, match="reports"):
                    call()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        engine.search(chess.Board(KIWIPETE), Limits(nodes=10**12), on_info)
    assert engine.search(chess.Board(), Limits(depth=3)).depth == 3


# The system refuses threads


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, type[Exception]], None]:
    """A function after which only so many threads more are started; the next raises the given error."""
    real = threading.Thread.start

    def allow(count: int, error: type[Exception]) -> None:
        left = [count]

        def start_thread(thread):
            left[0] -= 1
            if left[0] < 0:
                raise error("can't start new thread")
            real(thread)

        monkeypatch.setattr(threading.Thread, "start", start_thread)

    return allow


@pytest.mark.parametrize("error", [RuntimeError, MemoryError])
@pytest.mark.parametrize("allowed", [0, 1, 2, 7])
def test_search_uses_the_threads_it_got(refusing, allowed, error):
    refusing(allowed, error)
    remarks: list[str] = []
    pool = Pool(50, choose("Material", ""), remarks.append)
    count = 1 + max(0, allowed - HEADROOM)  # some are given back
    assert len(pool.workers) == count
    assert remarks == [f"could not start all threads: searching with {count} of 50"]
    search = Bare(pool, TranspositionTable(1), [])
    assert search.search(Limits(depth=5), KIWIPETE).depth == 5


def test_a_refused_thread_raises_a_clear_error(refusing, capsys) -> None:
    refusing(0, RuntimeError)
    for begin in (lambda: Engine(hash=1), lambda: list(run(squaring, [1], 1)), lambda: list(run(squaring, [1], 2))):
        with pytest.raises(ThreadError, match="refuses another thread"):
            begin()
    assert main(["perft", "1"]) == 2
    assert capsys.readouterr().err == "numbat: the system refuses another thread\n"


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on memory that is kept")
@pytest.mark.usefixtures("running")  # without compiled code, compiling it would be remarked upon
def test_uci_survives_refused_threads() -> None:
    import resource

    from tests.uci.process import UciProcess

    with UciProcess(before_start=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))) as engine:
        engine.ask("uci", until="uciok")
        engine.synchronise()  # a slow start would be remarked upon
        remarks = engine.remarks("setoption name Threads value 1000")
        assert re.fullmatch(r"[^;]*could not start all threads: searching with \d+ of 1000", "; ".join(remarks))
        for _ in range(3):
            (*_, report, best) = engine.ask(f"position fen {KIWIPETE}", "go depth 6", until="bestmove")
            assert report.startswith("info depth 6 ")
            assert best.split()[1] in [move.uci() for move in chess.Board(KIWIPETE).legal_moves]
            assert engine.synchronise() == []
        engine.quit()


CHANGES = {
    "hash": lambda engine: engine.configure(hash=2),
    "clear": lambda engine: engine.configure(clear_hash=True),
    "evaluation": lambda engine: engine.configure(eval_type="Material"),
    "threads": lambda engine: engine.configure(threads=1),
    "new game": lambda engine: engine.new_game(),
    "search": lambda engine: engine.go(Limits(depth=1)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_changes_under_a_helper_that_is_slow_to_leave(monkeypatch, change: str) -> None:
    """As on a busy machine: it still reads the memory of the last search."""
    entered, left, early, deepen = threading.Event(), threading.Event(), [], Worker.deepen_silently

    def linger(worker: Worker, *arguments: int) -> None:
        entered.set()
        deepen(worker, *arguments)
        time.sleep(0.3)
        left.set()

    def watched(plain: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            early.extend([] if left.is_set() else [plain.__qualname__])
            return plain(*arguments)

        return call

    with Engine(hash=1, threads=2) as engine:
        monkeypatch.setattr(Worker, "deepen_silently", linger)
        with engine.stream(chess.Board(KIWIPETE), Limits(infinite=True)):
            assert entered.wait(PATIENCE)
        for owner, name in ((TranspositionTable, "resize"), (TranspositionTable, "clear"), (Worker, "use")):
            monkeypatch.setattr(owner, name, watched(getattr(owner, name)))
        CHANGES[change](engine)
        assert left.is_set()
        assert early == []


def test_vote_follows_the_majority() -> None:
    lines = [
        RootLine(depth=12, score=30, moves=[1]),
        RootLine(depth=11, score=25, moves=[2]),
        RootLine(depth=11, score=25, moves=[2]),
    ]
    assert vote(lines) is lines[1]
    assert not vote([]).moves


def test_vote_prefers_proven_scores_to_bounds() -> None:
    agreed = [RootLine(depth=12, score=30, moves=[1])] * 3
    assert vote([*agreed, RootLine(depth=9, score=MATE - 5, moves=[2])]).moves == [2]
    assert vote([*agreed, RootLine(depth=9, score=MATE - 5, moves=[2], bound="lowerbound")]).moves == [1]
    assert vote([*agreed, RootLine(depth=9, score=5 - MATE, moves=[2])]).moves == [2]
    assert vote([*agreed, RootLine(depth=9, score=5 - MATE, moves=[2], bound="lowerbound")]).moves == [1]
