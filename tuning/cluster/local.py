"""Work units in the calling process, one after the other."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tuning.cluster import kept
from tuning.cluster.base import Outcome, Report, UnitT


class Here:
    """One unit after the other, in this process: for debugging, for tests, for one core."""

    workers = 1

    def __init__(self, tell: Callable[[str], None] = lambda line: None) -> None:
        kept.listen(tell)

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

    def everywhere(
        self, function: Callable[[Any, Report], Any], units: Iterator[UnitT]
    ) -> Iterator[tuple[str, Outcome[UnitT]]]:
        for outcome in self.run(function, units, lambda item: None):
            yield "", outcome

    def close(self) -> None:
        kept.close()
