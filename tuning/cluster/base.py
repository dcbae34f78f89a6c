"""The interface of clusters, which run work units.

Every unit comes out exactly once, finished or failed. If its worker is killed, dask runs it again on another one; the
tools recognise items that it reported before by their keys, and count them once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tuning.common.errors import SetupError

UnitT = TypeVar("UnitT")
Report = Callable[[Any], None]


class ClusterLost(SetupError):
    """The cluster and its running units are lost; earlier results are kept."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[UnitT]):
    """A unit with its result, or the exception that it raised."""

    unit: UnitT
    result: Any = None
    error: BaseException | None = None


class Cluster(Protocol):
    """Runs units. ``function(unit, report)`` may call ``report(item)`` while it runs. Items reach ``on_report`` in the
    caller's thread before the outcome of the unit, or not at all if its worker dies."""

    workers: int

    def run(
        self, function: Callable[[Any, Report], Any], units: Iterator[UnitT], on_report: Report
    ) -> Iterator[Outcome[UnitT]]: ...

    def everywhere(
        self, function: Callable[[Any, Report], Any], units: Iterator[UnitT]
    ) -> Iterator[tuple[str, Outcome[UnitT]]]:
        """Run every unit on each host that may have its own programs and files; yield the host's name (empty if there
        is only one) with the outcome."""
        ...

    def close(self) -> None: ...
