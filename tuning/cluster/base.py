"""What a cluster is to the tools: something that runs work units.

The promise to the tools: every unit handed in comes out exactly once, done or failed. A unit whose
worker is killed is run again on another one by dask; what it had reported before is known by its key, so
nobody counts it twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tuning.common.errors import SetupError

UnitT = TypeVar("UnitT")
Report = Callable[[Any], None]


class ClusterLost(SetupError):
    """The cluster has gone, and with it the units that it was at; what has come out of it stays."""


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

    def everywhere(
        self, function: Callable[[Any, Report], Any], units: Iterator[UnitT]
    ) -> Iterator[tuple[str, Outcome[UnitT]]]:
        """Run every unit in each place that may have other programs and files than the others; with the place's name,
        which is empty if there is only one."""
        ...

    def close(self) -> None: ...
