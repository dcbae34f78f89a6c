"""What the queue shows of its jobs: a table of all, and everything about one."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

from rich.table import Table
from rich.text import Text

from tuning.common.errors import SetupError
from tuning.experiments.daemon import last_line
from tuning.experiments.store import DONE, FAILED, INTERRUPTED, OPEN, RUNNING, WAITING, Job, State, Store

STYLES = {RUNNING: "green", FAILED: "red", INTERRUPTED: "yellow"}


def seconds_of(job: Job) -> float:
    """How long a job has run in all."""
    running = time.time() - job.started if job.state == RUNNING and job.started is not None else 0.0
    return job.seconds + running


def duration(seconds: float) -> str:
    """Hours and minutes, or seconds if it is little."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.0f} min"


def moment(seconds: float | None) -> str:
    """A time of day with its date."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


def finding(store: Store, job: Job) -> str:
    """What a job has found, or what became of it, in one line."""
    if job.note and job.state != RUNNING:
        return job.note
    if job.order.results is not None and job.state != WAITING:
        from tuning.experiments.outcome import outcome_of

        try:
            return outcome_of(Path(job.order.results)).text
        except SetupError:
            pass  # nothing in it yet
    return last_line(store.log(job.number))


def shown_state(job: Job, state: State) -> Text:
    """A job's state in colour; paused if that matters."""
    paused = (job.paused or state.paused) and job.state in (*OPEN, RUNNING)
    return Text(f"{job.state}{', paused' if paused else ''}", STYLES.get(job.state, ""))


def jobs_table(store: Store, state: State) -> Table:
    """All jobs: what runs, what waits, then what ended, the latest last."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, justify in (("#", "right"), ("Job", "left"), ("State", "left"), ("Cores", "right"), ("Ran", "right")):
        table.add_column(heading, justify=justify, no_wrap=heading != "Job")  # type: ignore[arg-type]
    table.add_column("What it found", overflow="fold")
    jobs = state.in_order()
    ended = [job for job in jobs if job.state in (DONE, FAILED)]
    for job in [*sorted(ended, key=lambda job: job.ended or 0.0), *(job for job in jobs if job not in ended)]:
        cells = (str(job.number), Text(job.order.name), shown_state(job, state), str(job.order.cores))
        table.add_row(*cells, duration(seconds_of(job)) if job.attempts else "", Text(finding(store, job)))
    return table


def facts_of(store: Store, state: State, job: Job) -> list[tuple[str, str]]:
    """Everything about one job, by name."""
    order = job.order
    return [
        ("state", shown_state(job, state).plain + (f", exit code {job.code}" if job.code is not None else "")),
        ("command", shlex.join(order.command)),
        ("continued by", shlex.join(order.resume_command) if order.resume_command else "the same command"),
        ("folder", order.directory),
        ("cores, priority", f"{order.cores}, {order.priority}" + (", measures time" if order.timed else "")),
        ("added", moment(job.added)),
        ("began", f"{moment(job.started)}, attempt {job.attempts}" if job.started else "-"),
        ("ended", moment(job.ended) if job.ended else "-"),
        ("ran", duration(seconds_of(job))),
        ("results", order.results or "-"),
        ("log", str(store.log(job.number))),
        ("found", finding(store, job) or "-"),
    ]
