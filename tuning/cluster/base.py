"""What a cluster is to the tools: something that runs work units.

The promise to the tools: every unit handed in comes out exactly once, done or failed. A unit whose
worker is killed is run again on another one by dask; what it had reported before is known by its key, so
nobody counts it twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

UnitT = TypeVar("UnitT")
Report = Callable[[Any], None]


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
