"""The run loop of the tools: a cluster opened, its units run, failures counted, interruption reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from engine.console import Console
from tuning.cluster.base import Cluster, ClusterLost, Report, UnitT
from tuning.cluster.local import Here
from tuning.common.command import orderly, stopped, warner
from tuning.common.errors import SetupError, at_least
from tuning.common.extras import need

PATIENCE = 3
"""Units in a row that may fail before a run gives up."""


HERE = "here"
"""The scheduler address for no cluster: one unit after the other in this process."""


class Enough(Exception):
    """Raised by a callback of :func:`run_units`: no more results are wanted."""


def open_cluster(
    scheduler: str | None, workers: int | None, tell: Callable[[str], None] = lambda line: None
) -> Cluster:
    """The cluster for the address ``scheduler``: ``here``, a dask scheduler's, or ``None`` for local processes.

    At most ``workers`` units run at once; ``None`` means one per core, or all that the scheduler has. ``tell`` hears
    of workers that were lost or have to compile first. Raises :class:`SetupError` if the address does not answer.
    """
    at_least(1, concurrency=workers)
    if scheduler == HERE:
        return Here(tell)
    for package in ("distributed", *(["cryptography"] if scheduler is None else [])):
        need(package, "a cluster (without it: --scheduler here)")
    from tuning.cluster.dask import Dask  # imported late: it is slow to import

    return Dask(scheduler, workers, tell)


def start_cluster(
    stack: ExitStack, scheduler: str | None, workers: int | None, console: Console, tell: Callable[[str], None]
) -> Cluster:
    """As :func:`open_cluster`, with a status line; ``stack`` closes the cluster."""
    with console.status("starting workers"):
        cluster = open_cluster(scheduler, workers, tell)
    stack.callback(cluster.close)
    return cluster


def run_units(
    function: Callable[[Any, Report], Any],
    units: Iterator[UnitT],
    *,
    on_result: Callable[[Any], None] = lambda result: None,
    on_report: Report = lambda item: None,
    on_failure: Callable[[BaseException], None] = lambda error: None,
    bar: AbstractContextManager[Any],
    console: Console,
    scheduler: str | None,
    workers: int | None,
    advice: str,
) -> int:
    """Run ``units`` until they are done or a callback raises :class:`Enough`; the exit code.

    0: done; 1: with failed units, or the scheduler was lost; 130: interrupted, with ``advice`` on how to continue.
    Raises :class:`SetupError` for a unit that raises it, and after :data:`PATIENCE` failures in a row.
    """
    failures = in_a_row = 0
    try:
        with orderly() as stack:
            cluster = start_cluster(stack, scheduler, workers, console, warner(console))
            with bar:
                for outcome in cluster.run(function, units, on_report):
                    if outcome.error is None:
                        in_a_row = 0
                        on_result(outcome.result)
                        continue
                    failures, in_a_row = failures + 1, in_a_row + 1
                    console.print(f"! {outcome.error}", style="red", soft_wrap=True)
                    on_failure(outcome.error)
                    if isinstance(outcome.error, SetupError) or in_a_row >= PATIENCE:
                        raise SetupError(f"gave up: {outcome.error}")
    except Enough:
        pass
    except (KeyboardInterrupt, ClusterLost) as error:
        return stopped(console, error, advice)
    return int(failures > 0)
