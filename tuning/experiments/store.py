"""The queue's memory: a file of events that is only ever appended to, under a lock.

``events.jsonl`` holds one JSON object a line, each on the disk before anything is done about it; the present state is
what they say one after the other. A line that was cut off by a crash never happened. The lock is the operating
system's, so one whose holder died is free. Beside it lie ``logs/``, ``exits/`` (the exit codes, written by
:mod:`tuning.experiments.wrapper`) and ``results/`` (results files of tools that were not told where to write).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from tuning.common.errors import SetupError

LOCK_SECONDS = 30.0
"""Longer than anybody holds the lock of the events."""

WAITING, RUNNING, INTERRUPTED = "waiting", "running", "interrupted"
DONE, FAILED, REMOVED = "done", "failed", "removed"

OPEN = (WAITING, INTERRUPTED)
"""States from which a job is started."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run. ``resume_command`` continues it after an interruption, if ``resume_file`` is there then;
    otherwise ``command`` is run again. ``timed``: it must not be stopped in the middle of a move."""

    name: str
    command: tuple[str, ...]
    directory: str
    cores: int = 1
    priority: int = 0
    resume_command: tuple[str, ...] | None = None
    resume_file: str | None = None
    results: str | None = None
    timed: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Order:
        fields = {**data, "command": tuple(data["command"])}
        if data.get("resume_command") is not None:
            fields["resume_command"] = tuple(data["resume_command"])
        return cls(**fields)


@dataclass(slots=True)
class Job:
    """An order and what became of it. ``process``: its wrapper's pid and when that began, while it is running."""

    number: int
    order: Order
    state: str = WAITING
    paused: bool = False
    attempts: int = 0
    crashes: int = 0
    process: tuple[int, float] | None = None
    boot: str = ""
    added: float = 0.0
    started: float | None = None
    ended: float | None = None
    seconds: float = 0.0
    code: int | None = None
    note: str = ""


@dataclass(slots=True)
class State:
    """All jobs by number, and whether everything is paused."""

    jobs: dict[int, Job] = field(default_factory=dict)
    paused: bool = False

    def in_order(self) -> list[Job]:
        """Those not removed, the next to run first among equals of priority."""
        left = [job for job in self.jobs.values() if job.state != REMOVED]
        return sorted(left, key=lambda job: (-job.order.priority, job.number))


class Store:
    """The folder of one queue. Raises :class:`SetupError` if it cannot be used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events = folder / "events.jsonl"
        try:
            for part in ("logs", "exits", "results"):
                (folder / part).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SetupError(f"cannot keep a queue in {folder}: {error.strerror}") from None
        self._lock = FileLock(str(folder / "events.lock"))

    def log(self, number: int) -> Path:
        """Where a job's output goes, that of all attempts."""
        return self.folder / "logs" / f"{number}.log"

    def exit_file(self, job: Job) -> Path:
        """Where the exit code of the present attempt is written."""
        return self.folder / "exits" / f"{job.number}-{job.attempts}.json"

    @contextmanager
    def locked(self) -> Iterator[State]:
        """The state, which nobody else changes meanwhile. May be nested."""
        try:
            with self._lock.acquire(timeout=LOCK_SECONDS):
                yield self.read()
        except Timeout:
            raise SetupError(f"{self.folder} has been locked by another process for {LOCK_SECONDS:g} s") from None
        except OSError as error:
            raise SetupError(f"cannot keep a queue in {self.folder}: {error.strerror}") from None

    def append(self, **event: Any) -> None:
        """Make one event true. Hold :meth:`locked`."""
        line = json.dumps({"time": round(time.time(), 3), **event}, separators=(",", ":")).encode() + b"\n"
        with self.events.open("ab+") as stream:
            _cut_torn_line(stream)
            stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())

    def read(self) -> State:
        """What is true now. Raises :class:`SetupError` for a file that is damaged."""
        try:
            raw = self.events.read_bytes()
        except FileNotFoundError:
            return State()
        except OSError as error:
            raise SetupError(f"cannot read {self.events}: {error.strerror}") from None
        state = State()
        for number, line in enumerate(raw.split(b"\n")[:-1], start=1):
            try:
                _apply(state, json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise SetupError(f"{self.events}:{number} is not an event of a queue") from None
        return state

    def add(self, order: Order) -> int:
        """Put a job into the queue; its number. Hold :meth:`locked`."""
        number = max(self.read().jobs, default=0) + 1
        self.append(add=asdict(order), number=number)
        return number


def _cut_torn_line(stream: Any) -> None:
    """Cut off what a crash left of a line at the end."""
    end = stream.seek(0, os.SEEK_END)
    kept = end
    while kept > 0:
        step = min(4096, kept)
        stream.seek(kept - step)
        block = stream.read(step)
        found = block.rfind(b"\n")
        if found >= 0:
            kept += found + 1 - step
            break
        kept -= step
    if kept < end:
        stream.truncate(kept)
    stream.seek(0, os.SEEK_END)


def _apply(state: State, event: Mapping[str, Any]) -> None:
    if "pause_all" in event:
        state.paused = event["pause_all"]
        return
    number = event["number"]
    if "add" in event:
        state.jobs[number] = Job(number, Order.from_json(event["add"]), added=event["time"])
        return
    job = state.jobs[number]
    if "start" in event:
        pid, began = event["start"]
        job.state, job.process, job.boot = RUNNING, (pid, began), event["boot"]
        job.attempts, job.started, job.ended, job.code = event["attempt"], event["time"], None, None
    elif "end" in event:
        job.state, job.code, job.note = event["end"], event["code"], event.get("note", "")
        job.ended, job.process = event["time"], None
        job.seconds += max(0.0, event["time"] - job.started) if job.started is not None else 0.0
        job.crashes = event.get("crashes", 0)
    elif "again" in event:
        job.state, job.code, job.note, job.crashes = event["again"], None, "", 0
    elif "remove" in event:
        job.state, job.process, job.ended = REMOVED, None, event["time"]
    elif "pause" in event:
        job.paused = event["pause"]
    elif "priority" in event:
        job.order = Order.from_json({**asdict(job.order), "priority": event["priority"]})
    else:
        raise KeyError("event")
