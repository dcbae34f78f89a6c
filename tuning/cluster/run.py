"""The run loop of the tools: a cluster opened, its units run, failures counted, interruption reported."""

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.console import Console
from engine.processes import Report
from tuning.cluster.base import Cluster, ClusterLost, Function
from tuning.cluster.local import Local
from tuning.common.command import orderly, print_warning, stopped
from tuning.common.errors import SetupError

MAX_FAILURES = 3
"""Units in a row that may fail before a run gives up."""


HERE = "here"
"""The scheduler address for no cluster: one unit after the other in this process."""


CONTINUE = "run the same command to continue"
"""Advice for an interrupted run."""


class Enough(Exception):
    """Raised by a callback of :func:`run_units`: no more results are wanted."""


def open_cluster(scheduler: str | None, workers: int | None, log: Callable[[str], None] = lambda line: None) -> Cluster:
    """The cluster for the address ``scheduler``: ``here``, a dask scheduler's, or ``None`` for local processes.

    At most ``workers`` units run at once; ``None`` means one per core, or all that the scheduler has. ``log`` gets a
    line for each worker that was lost or has to compile first. Raises :class:`SetupError` if the address does not
    answer."""
    if scheduler in (None, HERE):
        return Local(1 if scheduler else workers or os.cpu_count() or 1, log)
    from tuning.cluster.dask import Dask  # imported late: it is slow to import

    assert scheduler is not None
    return Dask(scheduler, workers, log)


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where units run, as in :func:`open_cluster`, and where progress is shown. ``advice`` says how to continue."""

    scheduler: str | None
    workers: int | None
    console: Console
    bar: AbstractContextManager[Any]
    advice: str


def run_units(
    function: Function,
    units: Iterable[Any],
    place: Workplace,
    *,
    on_result: Callable[[Any], None] = lambda result: None,
    on_report: Report = lambda item: None,
    on_failure: Callable[[BaseException], None] = lambda error: None,
) -> int:
    """Run ``units`` until they are done or a callback raises :class:`Enough`; the exit code.

    0: done; 1: with failed units, or the scheduler was lost; 130: interrupted, with advice on how to continue.
    Raises :class:`SetupError` for a unit that raises it, and after :data:`MAX_FAILURES` failures in a row."""
    failures = in_a_row = 0
    console = place.console
    try:
        with orderly() as stack:
            with console.status("starting workers"):
                cluster = open_cluster(place.scheduler, place.workers, partial(print_warning, console))
            stack.callback(cluster.close)
            with place.bar, closing(cluster.run(function, units, on_report)) as completed_units:
                for completed in completed_units:
                    if completed.error is None:
                        in_a_row = 0
                        on_result(completed.result)
                        continue
                    failures, in_a_row = failures + 1, in_a_row + 1
                    console.print(f"! {completed.error}", style="red", soft_wrap=True)
                    on_failure(completed.error)
                    if isinstance(completed.error, SetupError) or in_a_row >= MAX_FAILURES:
                        raise SetupError(f"gave up: {completed.error}")
    except Enough:
        pass
    except (KeyboardInterrupt, ClusterLost) as error:
        return stopped(console, error, place.advice)
    return int(failures > 0)
