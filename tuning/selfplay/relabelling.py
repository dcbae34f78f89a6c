"""A run of labelling: its folder, its display, and the run over work units.

The folder gets ``run.json``, the settings, and a file for each file of games, in viriformat too, when that is finished.
So a run may be interrupted, killed, and continued by the same command: it comes out the same.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from engine.console import Console
from tuning.cluster.base import Cluster, ClusterLost
from tuning.cluster.choice import open_cluster
from tuning.common.command import as_interrupt, stopped, warner
from tuning.common.display import Display
from tuning.common.errors import SetupError
from tuning.common.files import write_whole
from tuning.selfplay.generation import describe
from tuning.selfplay.labels import RelabelSettings, Unit, fingerprint_of, label_file

#: Files that may fail before the run is given up.
PATIENCE = 3


class RelabelDisplay(Display):
    """Files, and the positions labelled in this session."""

    def __init__(self, console: Console, files: int, done: int) -> None:
        super().__init__(console, "labelling files", files, done)
        self.files = done
        self.labelled = self.nodes = 0

    def add(self, labelled: int, nodes: int) -> None:
        """Count a file."""
        self.files += 1
        self.labelled += labelled
        self.nodes += nodes
        self.show(self.files, self.text())

    def text(self) -> str:
        """What was labelled in this session, and how fast."""
        each = self.nodes / max(self.labelled, 1)
        return (
            f"{self.files:,} files, {self.labelled:,} positions, {self.labelled / self.seconds:,.0f} a second, "
            f"{each:,.0f} nodes each"
        )


def relabel(
    sources: Sequence[Path],
    directory: Path,
    settings: RelabelSettings,
    *,
    positions: int | None = None,
    scheduler: str | None = None,
    processes: int | None = None,
    console: Console,
) -> int:
    """Label what is missing in ``directory``, until so many ``positions`` more are labelled (None: all of them); 130
    when interrupted.

    Raises :class:`SetupError` for a folder that holds something else, or when files keep failing.
    """
    lock = FileLock(directory / "run.lock")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise SetupError(f"{directory} is in use by another process") from None
    except OSError as error:
        raise SetupError(f"cannot use {directory}: {error.strerror}") from None
    try:
        fingerprint = fingerprint_of(settings)
        describe(directory, {"tool": "tuning.relabel", **settings.to_json(), "fingerprint": fingerprint})
        missing = [Unit(source, settings, fingerprint) for source in sources if not (directory / source.name).exists()]
        display = RelabelDisplay(console, len(sources), len(sources) - len(missing))
        cluster = open_cluster(scheduler, processes, warner(console))
        return _run(missing, directory, display, positions, cluster, console)
    finally:
        lock.release()


def _run(
    missing: Sequence[Unit],
    directory: Path,
    display: RelabelDisplay,
    positions: int | None,
    cluster: Cluster,
    console: Console,
) -> int:
    def units() -> Iterator[Unit]:
        for unit in missing:
            if positions is not None and display.labelled >= positions:
                return
            yield unit

    failures = 0
    before = signal.signal(signal.SIGTERM, as_interrupt)
    try:
        with display.bar:
            for outcome in cluster.run(label_file, units(), lambda item: None):
                if outcome.error is None:
                    write_whole(directory / outcome.result["name"], outcome.result["data"])
                    display.add(outcome.result["labelled"], outcome.result["nodes"])
                    continue
                failures += 1
                if isinstance(outcome.error, SetupError) or failures >= PATIENCE:
                    raise SetupError(f"gave up: {outcome.error}")
                console.print(f"! {outcome.error}", style="red")
    except (KeyboardInterrupt, ClusterLost) as error:
        return stopped(console, error, "run the same command to continue")
    finally:
        cluster.close()
        signal.signal(signal.SIGTERM, before)
        console.print(display.text())
    return int(failures > 0)
