"""Work units on ``dask.distributed``: worker processes on this machine, or on all that joined a scheduler."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import dask
import distributed

from tuning.cluster import kept
from tuning.cluster.base import Outcome, Report, UnitT
from tuning.common.errors import SetupError

CONNECT_TIMEOUT = "15s"

ALLOWED_FAILURES = 3
"""How many workers one unit may see die before it is given up as the cause of their deaths."""

_PATIENT = {"distributed.scheduler.worker-ttl": None}
"""A local worker that says nothing for five minutes is not dead: its process would be missed at once. Dask starts such
workers anew, after a long pause all at the same time, and what they were at runs twice."""


class Dask:
    """Units on a dask cluster: a local one of ``workers`` processes, or the one whose scheduler is at ``address``."""

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        dask.config.set({"distributed.scheduler.allowed-failures": ALLOWED_FAILURES})
        self._local: distributed.LocalCluster | None = None
        if address is None:
            self.workers = workers or os.cpu_count() or 1
            with _children_ignore_interrupts(), dask.config.set(_PATIENT):
                self._local = distributed.LocalCluster(
                    n_workers=self.workers,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",  # any free port: another cluster may run here
                    memory_limit=0,
                    silence_logs="CRITICAL",
                )
                self._client = distributed.Client(self._local)
        else:
            try:
                self._client = distributed.Client(address, timeout=CONNECT_TIMEOUT)
            except (OSError, ValueError, TimeoutError) as error:
                raise SetupError(f"no dask scheduler answers at {address}: {error}") from None
            capacity = sum(self._client.nthreads().values())
            if not capacity:
                self._client.close()
                raise SetupError(f"the scheduler at {address} has no workers; start some: dask worker {address}")
            self.workers = min(workers, capacity) if workers else capacity
        self._client.register_plugin(_Housekeeping())
        self._batches = itertools.count()

    def run(
        self, function: Callable[[Any, Report], Any], units: Iterator[UnitT], on_report: Report
    ) -> Iterator[Outcome[UnitT]]:
        """Keep a unit in flight for every worker and one in reserve; yield outcomes as they come."""
        topic = f"tuning-{os.getpid()}-{id(self)}-{next(self._batches)}"
        events: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._client.subscribe_topic(topic, lambda event: events.put(("report", event[1]["item"])))
        running: dict[str, tuple[distributed.Future, UnitT]] = {}
        numbers = itertools.count()

        def submit() -> bool:
            try:
                unit = next(units)
            except StopIteration:
                return False
            key = f"{topic}-{next(numbers)}"
            future = self._client.submit(_on_worker, function, unit, topic, key=key, pure=False)
            running[key] = future, unit
            future.add_done_callback(lambda done: events.put(("done", done.key)))
            return True

        try:
            while len(running) <= self.workers and submit():
                pass
            while running:
                kind, item = events.get()
                if kind == "report":
                    on_report(item)
                elif item in running:
                    future, unit = running.pop(item)
                    submit()
                    yield _outcome(future, unit)
        finally:
            self._client.unsubscribe_topic(topic)
            self._client.cancel([future for future, _ in running.values()], force=True)

    def close(self) -> None:
        """Let go of the cluster; a local one ends, its engines with it."""
        self._client.close()
        if self._local is not None:
            self._local.close()


def _outcome(future: distributed.Future, unit: UnitT) -> Outcome[UnitT]:
    """The result, waited for: should its worker have died just now, dask is computing it again."""
    try:
        return Outcome(unit, future.result())
    except distributed.KilledWorker:
        return Outcome(unit, error=RuntimeError(f"{ALLOWED_FAILURES} workers died while they ran this unit"))
    except Exception as error:
        return Outcome(unit, error=error)


def _on_worker(function: Callable[[Any, Report], Any], unit: Any, topic: str) -> Any:
    worker = distributed.get_worker()
    return function(unit, lambda item: worker.log_event(topic, {"item": item}))


class _Housekeeping(distributed.WorkerPlugin):
    """Closes what a worker has kept, its engines for instance, with the worker."""

    name = "tuning-housekeeping"

    def teardown(self, worker: Any) -> None:
        kept.close()


@contextlib.contextmanager
def _children_ignore_interrupts() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal; the workers must outlive it until we let them go."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
