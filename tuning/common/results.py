"""The results file: JSON lines, appended as events happen and never changed.

The first line holds the tool, its settings under ``"settings"`` and how the run began; every further line is one event
under its own name (``"game"``, ``"trouble"``, ...). A ``"change"`` gives a setting another value. An interrupted run
continues by reading the file and appending to it, even if the last line is incomplete.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from engine.explanation.serialization import restored
from tuning.common.errors import SetupError

__all__ = ["ResultsFile", "origin", "read_events", "read_header", "restored", "revision"]


class ResultsFile:
    """An append-only results file. Make one with :meth:`create` or :meth:`resume`."""

    def __init__(self, path: Path, settings: Mapping[str, Any], stream: TextIO) -> None:
        self.path = path
        self.settings = settings
        self._stream = stream

    @classmethod
    def create(cls, path: Path, tool: str, settings: Mapping[str, Any]) -> ResultsFile:
        """Create a file. Raises :class:`SetupError` if it exists: results are not overwritten."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = path.open("x", encoding="utf-8")
        except FileExistsError:
            if not path.exists():
                raise SetupError(f"cannot write {path}: {path.parent} is no directory") from None
            raise SetupError(f"{path} already exists; continue it with --resume or choose another name") from None
        except OSError as error:
            raise SetupError(f"cannot write {path}: {error.strerror}") from None
        results = cls(path, settings, stream)
        results._write({"tool": tool, "settings": settings, "origin": origin(tool)})
        return results

    @classmethod
    def resume(cls, path: Path, tool: str) -> tuple[ResultsFile, list[tuple[str, Any]]]:
        """Open a file to continue it: the results, with the settings as last changed, and all events so far. An
        incomplete last line is cut off.

        Raises :class:`SetupError` for a file that is missing, damaged or of another tool."""
        header, events, good_bytes = _read(path)
        if header.get("tool") != tool or "settings" not in header:
            raise SetupError(f"{path} is not a results file of {tool}")
        try:
            os.truncate(path, good_bytes)
            stream = path.open("a", encoding="utf-8")
        except OSError as error:
            raise SetupError(f"cannot write {path}: {error.strerror}") from None
        return cls(path, _changed(header["settings"], events), stream), events

    def add(self, kind: str, data: Any) -> None:
        """Append and flush one event. On failure closes the file and raises :class:`SetupError`."""
        self._write({kind: data})

    def change(self, name: str, value: Any, log: Callable[[str], None]) -> None:
        """Give a setting another ``value`` from now on, which ``log`` reports, unless it is None or the present one."""
        before = self.settings.get(name)
        if value is not None and value != before:
            log(f"{name}: {value} instead of {'no end' if before is None else before}")
            self.add("change", {name: value})
            self.settings = {**self.settings, name: value}

    def _write(self, line: Mapping[str, Any]) -> None:
        try:
            self._stream.write(json.dumps(line, separators=(",", ":")) + "\n")
            self._stream.flush()
        except (OSError, ValueError) as error:  # ValueError: closed by a failure before
            self.close()
            raise SetupError(f"cannot write {self.path}: {getattr(error, 'strerror', None) or error}") from None

    def finish(self, kind: str, data: Any) -> None:
        """Append a last event, unless the file is closed because of an error, and close it."""
        if not self._stream.closed:
            with suppress(SetupError):  # of a full disk, which the next run reports
                self.add(kind, data)
        self.close()

    def close(self) -> None:
        with suppress(OSError):  # a failed write was reported before
            self._stream.close()


def origin(tool: str) -> dict[str, str | None]:
    """When and how a run began: time, command line (if any) and commit of this checkout."""
    command = None
    if Path(sys.argv[0]).stem == tool.split(".")[-1]:
        command = shlex.join(["python", "-m", tool, *sys.argv[1:]])
    return {"began": datetime.now().isoformat(timespec="seconds"), "command": command, "revision": revision()}


def revision() -> str | None:
    """The short commit id of this checkout, with a ``+`` if files differ from it; ``None`` outside of git."""
    here = ["git", "-C", str(Path(__file__).parent)]
    with suppress(OSError):
        commit = subprocess.run([*here, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True)
        if commit.returncode == 0:
            changed = subprocess.run([*here, "diff", "--quiet", "HEAD"], capture_output=True).returncode == 1
            return commit.stdout.strip() + ("+" if changed else "")
    return None


def read_header(path: Path) -> dict[str, Any]:
    """The first line of a results file: its tool, settings (as last changed) and origin."""
    header, events, _ = _read(path)
    return {**header, "settings": _changed(header.get("settings", {}), events)}


def read_events(path: Path) -> Iterator[tuple[str, Any]]:
    """The events of a results file."""
    yield from _read(path)[1]


def _changed(settings: Mapping[str, Any], events: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    changed = dict(settings)
    for kind, data in events:
        if kind == "change":
            changed.update(data)
    return changed


def _read(path: Path) -> tuple[dict[str, Any], list[tuple[str, Any]], int]:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SetupError(f"cannot read {path}: {error.strerror}") from None
    whole, newline, _ = raw.rpartition(b"\n")
    objects: list[dict[str, Any]] = []
    for number, line in enumerate(whole.split(b"\n") if newline else [], start=1):
        try:
            objects.append(json.loads(line))
        except ValueError:
            raise SetupError(f"{path}:{number} is not JSON") from None
    if not objects or not all(isinstance(item, dict) and item for item in objects):
        raise SetupError(f"{path} contains no results")
    events = [next(iter(item.items())) for item in objects[1:]]
    return objects[0], events, len(whole) + len(newline)
