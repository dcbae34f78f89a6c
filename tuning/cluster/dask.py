"""Work units on ``dask.distributed``: worker processes on this machine, or on all that joined a scheduler."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import queue
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from multiprocessing import resource_tracker
from typing import Any

import dask
import distributed
from distributed.comm import get_address_host
from distributed.security import Security

from tuning.cluster import kept
from tuning.cluster.base import ClusterLost, Outcome, Report, UnitT
from tuning.common.errors import SetupError

CONNECT_TIMEOUT = "15s"

#: Attempts to connect when the first message does not come alone.
_ATTEMPTS = 5

ALLOWED_FAILURES = 3
"""Worker deaths after which a unit is treated as the cause and dropped."""

NOTICES = "numbat-notices"
"""The topic of messages from workers to the user."""

_LOCAL: dict[str, Any] = {
    # Dask restarts workers that are silent for five minutes, after a suspend all at once, and their units run twice.
    # A local worker that died is noticed immediately without it.
    "distributed.scheduler.worker-ttl": None,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


class Dask:
    """Units on a dask cluster: a local one of ``workers`` processes, or the one whose scheduler is at ``address``.

    ``tell`` hears of lost workers and messages from workers. Every connection of a local cluster needs a certificate
    that only this process and its workers have; other clusters use dask's own configuration.
    """

    def __init__(
        self, address: str | None = None, workers: int | None = None, tell: Callable[[str], None] = lambda line: None
    ) -> None:
        dask.config.set({"distributed.scheduler.allowed-failures": ALLOWED_FAILURES})
        self._address = address
        self._tell = tell
        self._told: set[str] = set()
        self._events: queue.SimpleQueue[tuple[str, str, Any]] = queue.SimpleQueue()
        self._batches = itertools.count()
        self._hosts: dict[str, str] = {}
        self._local: distributed.LocalCluster | None = None
        self._open = contextlib.ExitStack()
        try:
            if address is None:
                self.workers = workers or os.cpu_count() or 1
                with _interrupts_held(), dask.config.set(_LOCAL):
                    self._local = _local_cluster(self.workers)
                    self._open.callback(self._local.close)
                    self._client = distributed.Client(self._local)
            else:
                self._client = _client_of(address)
            self._open.callback(self._client.close)
            self._client.register_plugin(_Housekeeping(no_http=address is None))
            self._client.subscribe_topic(NOTICES, lambda event: self._events.put(("notice", "", event[1])))
            self._client.subscribe_topic("all", self._hear_scheduler)
            if address is not None:
                self.workers = self._capacity(address, workers)
                self._hosts = self._client.run(socket.gethostname)
        except BaseException:
            self._open.close()
            raise

    def _capacity(self, address: str, workers: int | None) -> int:
        capacity: int = sum(self._client.nthreads().values())
        if not capacity:
            raise SetupError(f"the scheduler at {address} has no workers; start some: dask worker {address}")
        return min(workers, capacity) if workers else capacity

    def run(
        self, function: Callable[[Any, Report], Any], units: Iterator[UnitT], on_report: Report
    ) -> Iterator[Outcome[UnitT]]:
        """Keep a unit in flight for every worker and one in reserve; yield outcomes as they come.

        Raises :class:`ClusterLost` when the scheduler has gone.
        """
        topic = self._new_topic()
        self._client.subscribe_topic(topic, lambda event: self._events.put(("report", topic, event[1]["item"])))
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
            future.add_done_callback(lambda done: self._events.put(("done", topic, done.key)))
            return True

        try:
            while len(running) <= self.workers and submit():
                pass
            while running:
                kind, item = self._next(topic)
                if kind == "report":
                    on_report(item)
                else:
                    future, unit = running.pop(item)
                    outcome = self._outcome(future, unit)
                    submit()
                    yield outcome
        finally:
            if self._client.status == "running":
                self._client.unsubscribe_topic(topic)
                self._client.cancel([future for future, _ in running.values()], force=True)

    def everywhere(
        self, function: Callable[[Any, Report], Any], units: Iterator[UnitT]
    ) -> Iterator[tuple[str, Outcome[UnitT]]]:
        """Run every unit on every worker, beside other units: workers of a scheduler may be on any host.

        Raises :class:`ClusterLost` when the scheduler has gone.
        """
        if self._local is not None:
            for outcome in self.run(function, units, lambda item: None):
                yield "", outcome
            return
        for unit in units:
            for address, found in self._ask_all(function, unit).items():
                if isinstance(found, BaseException):
                    yield self._place(address), Outcome(unit, error=found)
                else:
                    yield self._place(address), Outcome(unit, found)

    def _ask_all(self, function: Callable[[Any, Report], Any], unit: Any) -> dict[str, Any]:
        """The result of ``unit`` on each worker that was not lost meanwhile."""
        topic = self._new_topic()

        def ask() -> None:
            try:
                found = self._client.run(_beside, function, unit, on_error="return")
            except Exception as error:
                found = error
            self._events.put(("done", topic, found))

        threading.Thread(target=ask, name="everywhere", daemon=True).start()
        _, found = self._next(topic)
        if isinstance(found, Exception):
            raise self._gone()
        return {address: item for address, item in found.items() if not isinstance(item, OSError)}

    def _new_topic(self) -> str:
        return f"tuning-{socket.gethostname()}-{os.getpid()}-{id(self)}-{next(self._batches)}"

    def _next(self, topic: str) -> tuple[str, Any]:
        """The next event of ``topic``; notices that come first are shown."""
        while True:
            kind, of, item = self._events.get()
            if kind == "notice" and item not in self._told:
                self._told.add(item)
                self._tell(item)
            elif of == topic:
                return kind, item

    def _hear_scheduler(self, event: tuple[float, Any]) -> None:
        """Report a worker that the scheduler has lost."""
        if event[1].get("action") == "remove-worker":
            place = self._place(event[1]["worker"])
            self._events.put(("notice", "", f"lost the worker on {place}; its unit runs again on another one"))

    def _place(self, address: str) -> str:
        host = self._hosts.get(address) if self._local is None else socket.gethostname()
        return f"{host} ({address})" if host else address

    def _outcome(self, future: distributed.Future, unit: UnitT) -> Outcome[UnitT]:
        """The result; this waits if its worker has just died and dask computes it again."""
        try:
            return Outcome(unit, future.result())
        except distributed.KilledWorker:
            return Outcome(unit, error=RuntimeError(f"{ALLOWED_FAILURES} workers died while they ran this unit"))
        except Exception as error:
            if future.cancelled() or self._client.status != "running":
                raise self._gone() from None
            return Outcome(unit, error=error)

    def _gone(self) -> ClusterLost:
        where = f"at {self._address}" if self._address else "on this machine"
        return ClusterLost(f"lost the scheduler {where}: it ended or cannot be reached")

    def close(self) -> None:
        """Disconnect from the cluster; a local one ends, with its engines."""
        if self._client.status == "running":
            self._client.unsubscribe_topic("all")  # or the scheduler sends the notice of our leaving to us
        self._open.close()


def _local_cluster(workers: int) -> distributed.LocalCluster:
    """A cluster on the loopback address for this process only."""
    cluster = distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        protocol="tls://",
        security=Security.temporary(),
        dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
        memory_limit=0,
        silence_logs="CRITICAL",
    )
    cluster.scheduler.http_server.stop()  # dask opens it in any case; those of the workers: _Housekeeping
    return cluster


def _client_of(address: str) -> distributed.Client:
    """A client of the scheduler at ``address``. Raises :class:`SetupError` if it does not answer."""
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a lost connection is reported in one line
    for _ in range(_ATTEMPTS):
        try:
            return distributed.Client(address, timeout=CONNECT_TIMEOUT)
        except AssertionError:  # distributed expects the first message alone, but another one may come with it
            continue
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise SetupError(f"no dask scheduler answers at {address}: {error}") from None
    raise SetupError(f"the dask scheduler at {address} is too busy for another client")


def _on_worker(function: Callable[[Any, Report], Any], unit: Any, topic: str) -> Any:
    worker = distributed.get_worker()
    with kept.task(worker.get_current_task()) as task:

        def report(item: Any) -> None:
            task.check()
            worker.log_event(topic, {"item": item})

        try:
            return function(unit, report)
        except CancelledError:  # the unit was cancelled, or this worker ends and another must run it
            raise distributed.Reschedule from None


async def _beside(function: Callable[[Any, Report], Any], unit: Any) -> Any:
    """Run a unit at once in a separate thread."""
    return await asyncio.to_thread(function, unit, lambda item: None)


class _Housekeeping(distributed.WorkerPlugin):
    """Forwards messages of units, ends cancelled units, and closes what a worker keeps when it ends."""

    name = "numbat-housekeeping"
    idempotent = True  # a second client must not replace it while games run

    def __init__(self, no_http: bool) -> None:
        self._no_http = no_http

    def setup(self, worker: Any) -> None:
        place = f"{socket.gethostname()} ({get_address_host(worker.address)})"
        kept.listen(lambda line: worker.log_event(NOTICES, f"{place}: {line}"))
        if self._no_http:
            worker.http_server.stop()

    def transition(self, key: str, start: str, finish: str, **kwargs: Any) -> None:
        if start == "executing" and finish == "released":
            kept.cancel(key)

    async def teardown(self, worker: Any) -> None:
        await asyncio.to_thread(kept.close)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until there is a complete cluster to close. Processes started meanwhile ignore Ctrl-C,
    which a terminal sends to all processes: workers must run until the tool closes them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    held: list[int] = []
    before = [signal.signal(number, lambda number, frame: held.append(number)) for number in numbers]
    resource_tracker.ensure_running()  # which unblocks the signals for those that start after it
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    if held:
        signal.raise_signal(held[0])
