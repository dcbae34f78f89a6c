"""Solves tasks with the engine, in this process or in several."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from typing import Any, cast

from engine import Engine
from engine.messages import Info, Limits
from engine.options import Options
from engine.suites.judging import Outcome, Report, questions
from engine.suites.tasks import Task

_engine: Engine | None = None  # of a worker process


def solve(engine: Engine, limits: Limits, task: Task) -> Outcome:
    """Solve a task as a new game, with ``limits`` for each move."""
    asking = questions(task)
    board = next(asking)
    engine.new_game()
    while True:
        reports: list[Report] = []

        def keep(info: Info, reports: list[Report] = reports) -> None:
            if info.score is not None and info.multipv == 1 and info.pv:
                bound, seconds = bool(info.score.bound), info.time / 1000
                reports.append(Report(info.pv[0], info.score.mate, bound, seconds, info.depth, info.nodes))

        best = engine.search(board, limits, keep)
        try:
            board = asking.send((best.pv[0], reports))
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def solve_all(
    tasks: Sequence[Task], limits: Limits, options: dict[str, Any], jobs: int, report: Callable[[str], None]
) -> Generator[Outcome, None, None]:
    """The outcomes in the order of ``tasks``, from ``jobs`` processes if more than one."""
    with Engine(report=report, **cast(Options, options)) as engine:  # compiles the engine for all processes
        if jobs == 1:
            yield from map(partial(solve, engine, limits), tasks)
            return
    pool = ProcessPoolExecutor(
        min(jobs, len(tasks)), multiprocessing.get_context("spawn"), initializer=_begin, initargs=(options,)
    )
    try:
        yield from (future.result() for future in _submitted(pool, limits, tasks))
    finally:
        for child in multiprocessing.active_children():
            child.terminate()
        pool.shutdown(cancel_futures=True)


def _submitted(pool: ProcessPoolExecutor, limits: Limits, tasks: Sequence[Task]) -> list[Future[Outcome]]:
    """All tasks, submitted to worker processes that ignore Ctrl-C from their start."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return [pool.submit(_solve_there, limits, task) for task in tasks]
    finally:
        signal.signal(signal.SIGINT, before)


def _begin(options: dict[str, Any]) -> None:
    global _engine
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _engine = Engine(**cast(Options, options))


def _solve_there(limits: Limits, task: Task) -> Outcome:
    assert _engine is not None
    return solve(_engine, limits, task)
