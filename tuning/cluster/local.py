"""Work units on this machine."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from engine import processes
from engine.processes import Completed, Report
from tuning.cluster import kept
from tuning.cluster.base import Function


class Local:
    """Units in ``workers`` processes, or one after the other in this one. ``log`` gets a line for each lost process,
    and the notices of units (:func:`tuning.cluster.kept.notify`)."""

    def __init__(self, workers: int, log: Callable[[str], None]) -> None:
        self.workers = workers
        self._log = log
        self._logged: set[str] = set()

    def run(self, function: Function, units: Iterable[Any], on_report: Report) -> Generator[Completed, None, None]:
        def receive(unit: Any, message: tuple[bool, Any]) -> None:
            is_line, item = message
            if not is_line:
                on_report(item)
            elif item not in self._logged:
                self._logged.add(item)
                self._log(item)

        return processes.run(
            partial(_working, function),
            units,
            self.workers,
            ordered=False,
            name=lambda unit: f"{type(unit).__name__} {getattr(unit, 'number', '')}".strip(),
            on_report=receive,
            on_notice=self._log,
        )

    def everywhere(self, function: Function, units: Iterable[Any]) -> Iterator[tuple[str, Completed]]:
        for completed in Local(1, self._log).run(function, units, lambda item: None):
            yield "", completed

    def close(self) -> None:
        """Nothing is left to close."""


@contextmanager
def _working(function: Function, report: Report) -> Iterator[Callable[[Any], Any]]:
    """The job of a process: run units, and close at the end what they kept."""
    kept.forward_notices(lambda line: report((True, line)))
    try:
        yield lambda unit: function(unit, lambda item: report((False, item)))
    finally:
        kept.close()
