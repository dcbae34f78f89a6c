"""Which cluster a command line asks for."""

from __future__ import annotations

from collections.abc import Callable

from tuning.cluster.base import Cluster
from tuning.cluster.local import Here
from tuning.common.errors import at_least
from tuning.common.extras import need

HERE = "here"
"""The scheduler address that means: no cluster, one unit after the other in this process."""


def open_cluster(
    scheduler: str | None, workers: int | None, tell: Callable[[str], None] = lambda line: None
) -> Cluster:
    """The cluster a tool was asked for: ``here``, a scheduler's address, or ``None`` for a local one.

    ``workers`` bounds how many units run at once; ``None`` means one a core, or all that the scheduler has.
    ``tell`` hears, a line at a time, of workers that were lost or have to compile first.
    Raises :class:`tuning.common.errors.SetupError` when nobody answers at the address.
    """
    at_least(1, concurrency=workers)
    if scheduler == HERE:
        return Here(tell)
    for package in ("distributed", *(["cryptography"] if scheduler is None else [])):
        need(package, "a cluster (without it: --scheduler here)")
    from tuning.cluster.dask import Dask  # distributed takes a second that other clusters can spare

    return Dask(scheduler, workers, tell)
