"""Runs of labelling: the folder, the display, and the run.

The folder holds ``run.json`` with the settings, and a file in viriformat for each finished file of games. So a run may
be interrupted or killed and continued by the same command: the result is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.console import Console
from tuning.cluster.run import CONTINUE, Workplace, run_units
from tuning.common.display import Display
from tuning.common.files import digest, write_whole
from tuning.data.viriformat import SUFFIX, without_copy
from tuning.selfplay.generation import describe, locked
from tuning.selfplay.labels import RelabelSettings, Unit, fingerprint_of, label_file


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
        """The positions labelled in this session, and the speed."""
        each = self.nodes / max(self.labelled, 1)
        return (
            f"{self.files:,} files, {self.labelled:,} positions, {self.labelled / self.seconds:,.0f} a second, "
            f"{each:,.0f} nodes each"
        )


def description(sources: Sequence[Path], settings: RelabelSettings) -> dict[str, Any]:
    """What ``run.json`` says of a run. Raises :class:`SetupError` for invalid options."""
    fingerprint = fingerprint_of(settings)
    return {"tool": "tuning.relabel", "games": digest(sources[0]), **settings.to_json(), "fingerprint": fingerprint}


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
    """Label what is missing in ``directory``, at most ``positions`` more; the exit code of :func:`run_units`.

    Raises :class:`SetupError` for a folder that holds something else.
    """
    with locked(directory):
        described = description(sources, settings)
        describe(directory, described, new=not any(directory.glob(f"*{SUFFIX}")))
        missing = [Unit(source, settings, described["fingerprint"]) for source in without_copy(sources, directory)]
        display = RelabelDisplay(console, len(sources), len(sources) - len(missing))

        def units() -> Iterator[Unit]:
            for unit in missing:
                if positions is not None and display.labelled >= positions:
                    return
                yield unit

        def take(result: dict[str, Any]) -> None:
            write_whole(directory / result["name"], result["data"])
            display.add(result["labelled"], result["nodes"])

        try:
            return run_units(
                label_file, units(), Workplace(scheduler, processes, console, display.bar, CONTINUE), on_result=take
            )
        finally:
            console.print(display.text())
