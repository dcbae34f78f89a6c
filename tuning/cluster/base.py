"""The interface of clusters, which run work units.

Every unit comes out exactly once, finished or failed. If its worker is lost, it runs again on another one; the tools
recognise items that it reported before by their keys, and count them once.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, Protocol

from engine.processes import Completed, Report
from tuning.common.errors import SetupError

#: The function that runs a unit; it may report items meanwhile.
Function = Callable[[Any, Report], Any]


class ClusterLost(SetupError):
    """The cluster and its running units are lost; earlier results are kept."""


class Cluster(Protocol):
    """Runs units. Items that a function reports reach ``on_report`` in the caller's thread before the unit is
    completed, or not at all if its worker dies."""

    workers: int

    def run(self, function: Function, units: Iterable[Any], on_report: Report) -> Generator[Completed, None, None]: ...

    def everywhere(self, function: Function, units: Iterable[Any]) -> Iterator[tuple[str, Completed]]:
        """Run every unit on each host that may have its own programs and files; yield the host's name (empty if there
        is only one) with the completed unit."""
        ...

    def close(self) -> None: ...
