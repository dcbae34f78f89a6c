"""Work units on all machines whose workers joined a dask scheduler."""

import asyncio
import itertools
import logging
import os
import pickle
import queue
import socket
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Any

import dask
import distributed
from distributed.comm import get_address_host

from engine.processes import Completed, Report
from tuning.cluster import kept
from tuning.cluster.base import ClusterLost, Function
from tuning.common.errors import SetupError

CONNECT_TIMEOUT = "15s"

#: Attempts to connect when the first message does not come alone.
_ATTEMPTS = 5

ALLOWED_FAILURES = 3
"""Worker deaths after which a unit is treated as the cause and dropped."""

NOTICES = "numbat-notices"
"""The topic of messages from workers to the user."""


class Dask:
    """Units on the cluster whose scheduler is at ``address``, at most ``workers`` at once.

    ``log`` gets a line for each lost worker, and the messages of workers. Certificates come from dask's own
    configuration."""

    def __init__(
        self, address: str, workers: int | None = None, log: Callable[[str], None] = lambda line: None
    ) -> None:
        dask.config.set({"distributed.scheduler.allowed-failures": ALLOWED_FAILURES})
        self._address = address
        self._log = log
        self._logged: set[str] = set()
        self._events: queue.SimpleQueue[tuple[str, str, Any]] = queue.SimpleQueue()
        self._batches = itertools.count()
        self._hosts: dict[str, str] = {}
        self._client = client_of(address)
        try:
            self._client.register_plugin(_Housekeeping())
            self._client.subscribe_topic(NOTICES, lambda event: self._events.put(("notice", "", event[1])))
            self._client.subscribe_topic("all", self._on_scheduler_event)
            capacity = sum(self._client.nthreads().values())
            if not capacity:
                raise SetupError(f"the scheduler at {address} has no workers; start some: dask worker {address}")
            self.workers = min(workers or capacity, capacity)
            self._hosts = self._client.run(socket.gethostname)
        except BaseException:
            self._client.close()
            raise

    def run(self, function: Function, units: Iterable[Any], on_report: Report) -> Generator[Completed, None, None]:
        """Keep a unit in flight for every worker and one in reserve; yield them as they are completed. Raises
        :class:`ClusterLost` when the scheduler has gone."""
        topic = self._new_topic()
        self._client.subscribe_topic(topic, lambda event: self._events.put(("report", topic, pickle.loads(event[1]))))
        running: dict[str, tuple[distributed.Future, Any]] = {}
        rest, numbers = iter(units), itertools.count()

        def submit() -> bool:
            try:
                unit = next(rest)
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
                    completed = self._completed(future, unit)
                    submit()
                    yield completed
        finally:
            if self._client.status == "running":
                self._client.unsubscribe_topic(topic)
                self._client.cancel([future for future, _ in running.values()], force=True)

    def everywhere(self, function: Function, units: Iterable[Any]) -> Iterator[tuple[str, Completed]]:
        """Run every unit on every worker, beside other units: workers of a scheduler may be on any host. Raises
        :class:`ClusterLost` when the scheduler has gone."""
        for unit in units:
            for address, found in self._ask_all(function, unit).items():
                if isinstance(found, BaseException):
                    yield self._place(address), Completed(unit, error=found)
                else:
                    yield self._place(address), Completed(unit, found)

    def _ask_all(self, function: Function, unit: Any) -> dict[str, Any]:
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
            if kind == "notice" and item not in self._logged:
                self._logged.add(item)
                self._log(item)
            elif of == topic:
                return kind, item

    def _on_scheduler_event(self, event: tuple[float, Any]) -> None:
        """Report a worker that the scheduler has lost."""
        if event[1].get("action") == "remove-worker":
            place = self._place(event[1]["worker"])
            self._events.put(("notice", "", f"lost the worker on {place}; its unit runs again on another one"))

    def _place(self, address: str) -> str:
        host = self._hosts.get(address)
        return f"{host} ({address})" if host else address

    def _completed(self, future: distributed.Future, unit: Any) -> Completed:
        """The result; this waits if its worker has just died and dask computes it again."""
        try:
            return Completed(unit, future.result())
        except distributed.KilledWorker:
            return Completed(unit, error=RuntimeError(f"{ALLOWED_FAILURES} workers died while they ran this unit"))
        except Exception as error:
            if future.cancelled() or self._client.status != "running":
                raise self._gone() from None
            return Completed(unit, error=error)

    def _gone(self) -> ClusterLost:
        return ClusterLost(f"lost the scheduler at {self._address}: it ended or cannot be reached")

    def close(self) -> None:
        """Disconnect from the cluster."""
        if self._client.status == "running":
            self._client.unsubscribe_topic("all")  # or the scheduler sends the notice of our leaving to us
        self._client.close()


def client_of(address: str) -> distributed.Client:
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


def _on_worker(function: Function, unit: Any, topic: str) -> Any:
    worker = distributed.get_worker()
    with kept.task(worker.get_current_task()) as task:

        def report(item: Any) -> None:
            if task.cancelled():
                raise CancelledError
            worker.log_event(topic, pickle.dumps(item))

        try:
            return function(unit, report)
        except CancelledError:  # the unit was cancelled, or this worker ends and another must run it
            raise distributed.Reschedule from None


async def _beside(function: Function, unit: Any) -> Any:
    """Run a unit immediately in a separate thread."""
    return await asyncio.to_thread(function, unit, lambda item: None)


class _Housekeeping(distributed.WorkerPlugin):
    """Forwards messages of units, ends cancelled units, and closes what a worker keeps when it ends."""

    name = "numbat-housekeeping"
    idempotent = True  # a second client must not replace it while games run

    def setup(self, worker: Any) -> None:
        place = f"{socket.gethostname()} ({get_address_host(worker.address)})"
        kept.forward_notices(lambda line: worker.log_event(NOTICES, f"{place}: {line}"))

    def transition(self, key: str, start: str, finish: str, **kwargs: Any) -> None:
        if start == "executing" and finish == "released":
            kept.cancel(key)

    async def teardown(self, worker: Any) -> None:
        await asyncio.to_thread(kept.close)
