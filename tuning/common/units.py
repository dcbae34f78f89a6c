"""Work units in the processes of this machine, or on the workers of a dask scheduler; and the run loop of the tools.

A unit is run by a function of an importable module; it may report items meanwhile. Each comes out once, finished or
failed. If its worker is lost it runs again, so the tools recognize items that they have had by their keys.
"""

import logging
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from engine import processes
from engine.commandline import terminated_as_interrupted
from engine.console import Console
from engine.processes import Completed, Report
from tuning.common.command import print_warning, stopped
from tuning.common.errors import SetupError

Function = Callable[[Any, Report], Any]  # the function that runs a unit
MAX_FAILURES = 3  # units in a row that may fail before a run gives up
HERE = "here"  # the scheduler address for one unit after the other in this process
CONNECT_SECONDS = 15  # time limit for a scheduler to answer
RETRIES = 1  # times that a scheduler runs a unit again after it has raised an exception
CONTINUE = "run the same command to continue"  # advice for an interrupted run


class SchedulerLost(SetupError):
    """The scheduler and its running units are lost; earlier results are kept."""


class StopRun(Exception):
    """Raised by a callback of :func:`run_units`: no more results are wanted."""


def run(
    function: Function,
    units: Iterable[Any],
    scheduler: str | None,
    workers: int | None,
    on_report: Report,
    log: Callable[[str], None] = lambda line: None,
) -> Generator[Completed, None, None]:
    """Yield the ``units`` as they are completed. What ``function`` reports reaches ``on_report`` before that: meanwhile
    from this machine, together at the end from others.

    ``scheduler`` is the address of a dask scheduler, :data:`HERE`, or ``None`` for local processes. At most ``workers``
    units run at a time; ``None`` means one per core, or all that the scheduler has. ``log`` gets a line for each lost
    local process. Raises :class:`SetupError` if the scheduler does not answer, :class:`SchedulerLost` if it ends."""
    if scheduler not in (None, HERE):
        assert scheduler is not None
        yield from _on_scheduler(function, units, scheduler, workers, on_report)
        return
    yield from processes.run(
        partial(_job, function),
        units,
        1 if scheduler else workers or os.cpu_count() or 1,
        ordered=False,
        name=lambda unit: f"{type(unit).__name__} {getattr(unit, 'number', '')}".strip(),
        on_report=lambda unit, item: on_report(item),
        on_notice=log,
    )


@contextmanager
def _job(function: Function, report: Report) -> Iterator[Callable[[Any], Any]]:
    yield lambda unit: function(unit, report)


def _on_scheduler(
    function: Function, units: Iterable[Any], address: str, workers: int | None, on_report: Report
) -> Generator[Completed, None, None]:
    import distributed  # imported late: it is slow to import, and an extra of its own

    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a lost connection is reported in one line
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise SetupError(f"no dask scheduler answers at {address}: {error}") from None
    with closing(client):
        capacity = sum(client.nthreads().values())
        if not capacity:
            raise SetupError(f"the scheduler at {address} has no workers; start some: dask worker {address}")
        rest, running, futures = iter(units), {}, distributed.as_completed()

        def submit(count: int) -> None:
            for unit in islice(rest, count):
                future = client.submit(_with_reports, function, unit, pure=False, retries=RETRIES)
                running[future] = unit
                futures.add(future)

        try:
            submit(min(workers or capacity, capacity) + 1)  # one in reserve
            for future in futures:
                unit = running.pop(future)
                completed = _completed(client, future, unit)
                for item in () if completed.error else completed.result[1]:
                    on_report(item)
                submit(1)
                yield completed if completed.error else Completed(unit, completed.result[0])
        finally:
            if client.status == "running":
                client.cancel(list(running))


def _completed(client: Any, future: Any, unit: Any) -> Completed:
    """The result of :func:`_with_reports`, or the error. Raises :class:`SchedulerLost`."""
    try:
        return Completed(unit, future.result())
    except (Exception, CancelledError) as error:
        if future.cancelled() or client.status != "running":
            raise SchedulerLost(f"lost the scheduler at {client.scheduler.address}: it cannot be reached") from None
        return Completed(unit, error=error)


def _with_reports(function: Function, unit: Any) -> tuple[Any, list[Any]]:
    """The result of a unit on a worker, and what it reported."""
    reports: list[Any] = []
    return function(unit, reports.append), reports


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where units run, as in :func:`run`, and where progress is shown. ``advice`` says how to continue."""

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
    """Run ``units`` until they are done or a callback raises :class:`StopRun`; the exit code.

    0: done; 1: with failed units, or the scheduler was lost; 130: interrupted, with advice on how to continue.
    Raises :class:`SetupError` for a unit that raises it, and after :data:`MAX_FAILURES` failures in a row."""
    failures = in_a_row = 0
    console = place.console
    try:
        done = run(function, units, place.scheduler, place.workers, on_report, partial(print_warning, console))
        with terminated_as_interrupted(), place.bar, closing(done):
            for completed in done:
                if completed.error is None:
                    in_a_row = 0
                    on_result(completed.result)
                    continue
                failures, in_a_row = failures + 1, in_a_row + 1
                console.print(f"! {completed.error}", style="red", soft_wrap=True)
                on_failure(completed.error)
                if isinstance(completed.error, SetupError) or in_a_row >= MAX_FAILURES:
                    raise SetupError(f"gave up: {completed.error}")
    except StopRun:
        pass
    except (KeyboardInterrupt, SchedulerLost) as error:
        return stopped(console, error, place.advice)
    return int(failures > 0)
