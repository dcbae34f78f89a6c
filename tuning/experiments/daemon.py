"""The loop that runs the queue: start what fits on the free cores, see what ended, and go on."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

from filelock import FileLock, Timeout

from tuning.common.errors import SetupError
from tuning.experiments import processes
from tuning.experiments.store import DONE, FAILED, INTERRUPTED, OPEN, RUNNING, Job, Store

POLL_SECONDS = 0.5

CRASHES = 3
"""Times in a row that a job may be killed by somebody else before it counts as failed."""

LONG_ENOUGH = 600.0
"""Seconds after which a job that is killed was not killed by what it does at its start."""

INTERRUPTED_CODES = (130, 137, 143)
"""Exit codes of a job that was ended by a signal; a shell adds 128 to its number."""


class Daemon:
    """Runs the jobs of ``store`` on ``cores`` cores; ``say`` gets a line for each thing that happens."""

    def __init__(self, store: Store, cores: int, nice: int, say: Callable[[str], None]) -> None:
        self.store = store
        self.cores = cores
        self.nice = nice
        self.stop = Event()
        self._say = say
        self._children: dict[int, subprocess.Popen[bytes]] = {}
        self._too_large: set[int] = set()

    def run(self, until_empty: bool = False) -> None:
        """Run jobs until :attr:`stop` is set, or until nothing is left that could run. Then jobs are ended in order,
        to be continued next time.

        Raises :class:`SetupError` when another daemon runs this queue.
        """
        lock = FileLock(str(self.store.folder / "daemon.lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise SetupError(f"{self.store.folder}: its queue is already run by another process") from None
        with lock:
            try:
                while not self.stop.is_set():
                    if not self.step() and until_empty:
                        return
                    self.stop.wait(POLL_SECONDS)
            finally:
                self.end_all()

    def step(self) -> bool:
        """Look at everything once; whether anything runs or could."""
        with self.store.locked() as state:
            for job in list(state.jobs.values()):
                if job.state == RUNNING:
                    self._look_at(job)
        with self.store.locked() as state:
            free = self.cores - sum(job.order.cores for job in state.jobs.values() if job.state == RUNNING)
            for job in state.in_order():
                if job.state in OPEN and not job.paused and not state.paused and job.order.cores <= free:
                    self._start(job)
                    free -= job.order.cores
                elif job.state in OPEN and job.order.cores > self.cores and job.number not in self._too_large:
                    self._too_large.add(job.number)
                    self._say(
                        f"{title(job)} wants {job.order.cores} cores of {self.cores}: it waits, the others continue"
                    )
                elif job.state in OPEN and job.order.cores <= self.cores and not job.paused:
                    break  # it is next; nothing smaller overtakes it
        state = self.store.read()
        return any(
            job.state == RUNNING or (job.state in OPEN and not job.paused and job.order.cores <= self.cores)
            for job in state.jobs.values()
        ) and not (state.paused and not any(job.state == RUNNING for job in state.jobs.values()))

    def _start(self, job: Job) -> None:
        order, attempt = job.order, job.attempts + 1
        command = order.command
        if job.attempts and order.resume_command and (not order.resume_file or Path(order.resume_file).exists()):
            command = order.resume_command
        job.attempts = attempt
        self.store.exit_file(job).unlink(missing_ok=True)
        log = self.store.log(job.number)
        try:
            with log.open("ab") as stream:
                stream.write(f"--- {time.strftime('%Y-%m-%d %H:%M:%S')} attempt {attempt}\n".encode())
            child = processes.start(
                command, self.store.exit_file(job), log, order.directory, order.environment, self.nice
            )
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            note = f"cannot be started: {where}{error.strerror}"
            self.store.append(start=[0, 0.0], number=job.number, attempt=attempt, boot="")
            self.store.append(end=FAILED, number=job.number, code=127, note=note)
            self._say(f"{title(job)} {note}; the others continue")
            return
        self._children[job.number] = child
        began = processes.began(child.pid)
        self.store.append(start=[child.pid, began], number=job.number, attempt=attempt, boot=processes.boot())
        self._say(f"{title(job)} {'continued' if attempt > 1 else 'started'}")

    def _look_at(self, job: Job) -> None:
        """Note that a running job has ended, if it has."""
        if (child := self._children.get(job.number)) is not None:
            child.poll()
        assert job.process is not None
        if processes.members(job.process, job.boot):
            return
        self.settle(job, asked=False)

    def settle(self, job: Job, asked: bool) -> None:
        """Write down how a job ended, of which nothing is alive. ``asked``: we had asked it to."""
        if (child := self._children.pop(job.number, None)) is not None:
            child.wait()  # it may have ended after it was looked at
        code, problem = _exit_code(self.store.exit_file(job))
        asked = asked or job.paused or self.store.read().paused  # a pause ends what measures time
        ran = time.time() - (job.started or 0.0)
        crashes = 0 if asked or ran > LONG_ENOUGH else job.crashes + 1
        if code is not None and code >= 0 and code not in INTERRUPTED_CODES:
            outcome, note, crashes = DONE if code == 0 else FAILED, problem, 0
            if code:
                note = note or f"exit code {code}: {last_line(self.store.log(job.number))}"
        elif asked or crashes < CRASHES:
            outcome, note = INTERRUPTED, "" if asked else "it was killed"
        else:
            outcome, note = FAILED, f"it was killed {crashes} times in a row"
        self.store.append(end=outcome, number=job.number, code=code, note=note, crashes=crashes)
        self._say(f"{title(job)} {outcome}{f': {note}' if note else ''}")

    def end_all(self) -> None:
        """End what runs, in order, all at once; it counts as interrupted."""
        running = [job for job in self.store.read().jobs.values() if job.state == RUNNING and job.process is not None]
        asked = {}
        for job in running:
            assert job.process is not None
            asked[job.number] = processes.interrupt(job.process, job.boot)
        for job in running:
            assert job.process is not None
            processes.end(job.process, job.boot, asked[job.number])
            with self.store.locked() as state:
                if state.jobs[job.number].state == RUNNING:
                    self.settle(state.jobs[job.number], asked=True)


def title(job: Job) -> str:
    """How a job is called in messages."""
    return f"{job.number} {job.order.name}:"


def last_line(log: Path) -> str:
    """The last line of a job's output that says something."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - 20_000))
            lines = stream.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    said = [line.strip() for line in lines if line.strip() and not line.startswith("--- ")]
    return said[-1] if said else ""


def _exit_code(path: Path) -> tuple[int | None, str]:
    """The code in an exit file and what went wrong; ``None`` if the job was killed together with its wrapper."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return int(data["code"]), str(data.get("problem", ""))
    except (OSError, ValueError, KeyError, TypeError):
        return None, ""
