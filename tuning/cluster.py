"""Where work units run: here, on every core, or on the workers of a dask scheduler anywhere.

The promise to the tools above: every unit handed in comes out exactly once, done or failed. A unit whose
worker is killed is run again on another one by dask; what it had reported before is known by its key, so
nobody counts it twice.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tuning.errors import at_least
from tuning.extras import need

UnitT = TypeVar("UnitT")
Report = Callable[[Any], None]

HERE = "here"
"""The scheduler address that means: no cluster, one unit after the other in this process."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[UnitT]):
    """What became of one unit: its result, or the exception it ended with."""

    unit: UnitT
    result: Any = None
    error: BaseException | None = None


class Cluster(Protocol):
    """Runs units. ``function(unit, report)`` may call ``report(item)`` on the way; items arrive at ``on_report``
    soon after, in the caller's thread, before the unit's own outcome or not at all if its worker dies."""

    workers: int

    def run(
        self, function: Callable[[Any, Report], Any], units: Iterator[UnitT], on_report: Report
    ) -> Iterator[Outcome[UnitT]]: ...

    def close(self) -> None: ...


class Here:
    """One unit after the other, in this process: for debugging, for tests, for one core."""

    workers = 1

    def run(
        self, function: Callable[[Any, Report], Any], units: Iterator[UnitT], on_report: Report
    ) -> Iterator[Outcome[UnitT]]:
        events: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

        def work(unit: UnitT) -> None:
            try:
                outcome = Outcome(unit, function(unit, lambda item: events.put((False, item))))
            except Exception as error:
                outcome = Outcome(unit, error=error)
            events.put((True, outcome))

        for unit in units:
            threading.Thread(target=work, args=(unit,), name="unit", daemon=True).start()
            while True:
                done, item = events.get()
                if done:
                    break
                on_report(item)
            yield item

    def close(self) -> None:
        from tuning import units

        units.close_bench()


def open_cluster(scheduler: str | None, workers: int | None) -> Cluster:
    """The cluster a tool was asked for: ``here``, a scheduler's address, or ``None`` for a local one.

    ``workers`` bounds how many units run at once; ``None`` means one a core, or all that the scheduler has.
    Raises :class:`tuning.errors.SetupError` when nobody answers at the address.
    """
    at_least(1, concurrency=workers)
    if scheduler == HERE:
        return Here()
    need("distributed", "a cluster (without it: --scheduler here)")
    from tuning.dask_cluster import Dask

    return Dask(scheduler, workers)
