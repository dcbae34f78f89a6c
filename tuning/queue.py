r"""Run tests and other long jobs on the free cores, one after the other, across restarts.

    python -m tuning.queue add --name razoring --cores 2 -- python -m tuning.match --new . --base HEAD --nodes 8000 \
        --sprt 0 5 --model normalized --openings uho_4060_30k.epd --concurrency {cores}
    python -m tuning.queue run --cores 2        # the daemon; Ctrl-C ends it and its jobs properly
    python -m tuning.queue                      # all jobs, and what they found

Jobs have sessions of their own: if the daemon is killed they continue, and the next daemon takes them over. An
interrupted job is resumed: tools with a results file by --resume, others by their --resume-command or the same command.
A job that fails is listed with its last line of output, and the others continue.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from engine.console import Console
from engine.folders import data_folder
from tuning.common import command
from tuning.common.errors import SetupError, at_least
from tuning.experiments import processes
from tuning.experiments.checks import completed, in_worktree
from tuning.experiments.daemon import Daemon, title
from tuning.experiments.listing import facts_of, jobs_table
from tuning.experiments.store import (
    DONE,
    FAILED,
    INTERRUPTED,
    RUNNING,
    Job,
    Order,
    State,
    Store,
)

FOLDER_VARIABLE = "NUMBAT_QUEUE"


def default_folder() -> Path:
    """``NUMBAT_QUEUE``, or ``queue`` in the folder where the user's programs keep data."""
    if folder := os.environ.get(FOLDER_VARIABLE):
        return Path(folder).expanduser()
    return data_folder() / "queue"


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.queue``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.queue", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    where = "folder of the queue (default: NUMBAT_QUEUE, or numbat/queue in the user's data folder)"
    result.add_argument("--directory", type=Path, metavar="DIR", help=where)
    which = "its number or its name"
    commands = result.add_subparsers(dest="action", metavar="COMMAND")

    def command(name: str, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.add_argument("--directory", type=Path, metavar="DIR", default=argparse.SUPPRESS, help=where)
        return made

    one = command("add", "add a command to the queue")
    one.add_argument("--name", help="name of the job (default: the start of the command)")
    one.add_argument(
        "--cores", type=int, metavar="N", help="cores that the job uses (default: its --concurrency, or 1)"
    )
    one.add_argument(
        "--priority", type=int, default=0, metavar="N", help="jobs with higher priority run first (default 0)"
    )
    one.add_argument(
        "--resume-command",
        metavar="TEXT",
        help="command that continues the job after an interruption (default: see above)",
    )
    one.add_argument(
        "--resume-file",
        metavar="FILE",
        help="use --resume-command only if this file exists; otherwise run the command again",
    )
    one.add_argument(
        "--timed", action="store_true", help="the job measures time: a pause ends it and continues it later"
    )
    one.add_argument(
        "--rev", metavar="REV", help="run the job in a worktree of this revision ('.': the files as they are now)"
    )
    one.add_argument("--cwd", type=Path, metavar="DIR", help="folder to run in (default: this one)")
    one.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the command and its arguments")
    run = command("run", "run the queue until it is stopped")
    run.add_argument("--cores", type=int, metavar="N", help="cores to use (default: all)")
    run.add_argument("--nice", type=int, default=10, metavar="N", help="niceness of the jobs (default %(default)s)")
    run.add_argument("--until-empty", action="store_true", help="exit when no job is left to run")
    command("list", "show all jobs in order, and what they found").add_argument("--all", action="store_true")
    for name, text in (
        ("show", "show everything about a job"),
        ("log", "show what a job printed"),
        ("remove", "remove a job; if it is running, it is ended first"),
        ("again", "run a failed or finished job again; it is continued if possible"),
    ):
        command(name, text).add_argument("job", help=which)
    commands.choices["log"].add_argument("-n", "--lines", type=int, default=40, help="(default %(default)s)")
    commands.choices["log"].add_argument("-f", "--follow", action="store_true", help="and what comes")
    for name, text in (
        ("pause", "pause a job, or all jobs, without ending them"),
        ("resume", "resume a job, or all jobs"),
    ):
        command(name, text).add_argument("job", nargs="?", help=which)
    change = command("priority", "change the order of jobs")
    change.add_argument("job", help=which)
    change.add_argument("priority", type=int)
    return result


def add(store: Store, arguments: argparse.Namespace, console: Console) -> int:
    """Put a job in. Raises :class:`SetupError` for one that cannot run."""
    words = tuple(arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command)
    directory = (arguments.cwd or Path.cwd()).resolve()
    if not directory.is_dir():
        raise SetupError(f"--cwd {directory}: no such directory")
    cores = arguments.cores
    if cores is None:
        found = [words[place + 1] for place, word in enumerate(words[:-1]) if word == "--concurrency"]
        cores = int(found[-1]) if found and found[-1].isdigit() else 1
    at_least(1, cores=cores)
    resume = tuple(shlex.split(arguments.resume_command)) if arguments.resume_command else None
    name = " ".join((arguments.name or shlex.join(words)[:40]).split())
    order = Order(
        name, words, str(directory), cores, arguments.priority, resume,
        arguments.resume_file and str(directory / arguments.resume_file), timed=arguments.timed,
    )  # fmt: skip
    before = Path.cwd()
    os.chdir(directory)  # where its files are looked for
    try:
        if arguments.rev is not None:
            with console.status(f"preparing revision {arguments.rev}"):
                order = in_worktree(order, arguments.rev)
        order = completed(order, store.folder / "results" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.jsonl")
    finally:
        os.chdir(before)
    with store.locked():
        number = store.add(order)
    on = f"{cores} core{'s' if cores > 1 else ''}"
    console.print(f"{number} {order.name}: waits, {on}")
    return 0


def run(store: Store, arguments: argparse.Namespace, console: Console) -> int:
    """The daemon. 0: nothing left, or ended by SIGTERM; 130: by Ctrl-C."""
    cores = os.cpu_count() or 1 if arguments.cores is None else arguments.cores
    at_least(1, cores=cores)
    at_least(0, nice=arguments.nice)
    code = 0

    def say(line: str) -> None:
        text = f"{time.strftime('%H:%M:%S')} {line}"
        console.print(text, soft_wrap=True)

    daemon = Daemon(store, cores, arguments.nice, say)

    def stop(number: int, frame: object) -> None:
        nonlocal code
        code = command.INTERRUPTED if number == signal.SIGINT else 0
        daemon.stop.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    say(f"runs {store.folder} on {cores} core{'s' if cores > 1 else ''}")
    try:
        daemon.run(arguments.until_empty)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return code


def show_list(store: Store, arguments: argparse.Namespace, console: Console) -> int:
    """The table of jobs."""
    state = store.read()
    console.print(jobs_table(store, state) if state.in_order() else "the queue is empty")
    if state.paused:
        console.print("everything is paused: python -m tuning.queue resume", style="yellow")
    return 0


def show(store: Store, arguments: argparse.Namespace, console: Console) -> int:
    """Everything about one job."""
    state = store.read()
    job = job_of(state, arguments.job)
    console.print(f"{title(job)[:-1]}", style="bold")
    for name, value in facts_of(store, state, job):
        console.print(f"  {name:16}{value}", soft_wrap=True)
    return 0


def show_log(store: Store, arguments: argparse.Namespace, console: Console) -> int:
    """The last lines of a job's output."""
    job = job_of(store.read(), arguments.job)
    at_least(1, lines=arguments.lines)
    path = store.log(job.number)
    if not path.exists():
        raise SetupError(f"job {job.number} has not printed anything yet")
    words = ["tail", "-n", str(arguments.lines), *(["-f"] if arguments.follow else []), str(path)]
    try:
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, errors="backslashreplace") as tail:
            for line in tail.stdout or ():
                print(line, end="", flush=True)
        return tail.returncode
    except KeyboardInterrupt:
        return command.INTERRUPTED


def job_of(state: State, which: str) -> Job:
    """The job of that number or name. Raises :class:`SetupError` if there is none, or more than one of the name."""
    jobs = state.in_order()
    found = [job for job in jobs if str(job.number) == which] or [job for job in jobs if job.order.name == which]
    if not found:
        raise SetupError(f"no job {which} in the queue")
    if len(found) > 1:
        numbers = ", ".join(str(job.number) for job in found)
        raise SetupError(f"jobs {numbers} are called {which}: say which by its number")
    return found[0]


def pause(store: Store, arguments: argparse.Namespace, console: Console) -> int:
    """Stop one job or all of them; those that measure time are ended in order, and continued later."""
    with store.locked() as state:
        chosen = _chosen(store, state, arguments.job, True)
    for job in chosen:
        assert job.process is not None
        if job.order.timed:
            processes.end(job.process, job.boot)
            console.print(f"{title(job)} ended, because it measures time; resume continues it")
        else:
            processes.send(processes.members(job.process, job.boot), signal.SIGSTOP)
            console.print(f"{title(job)} stopped")
    return 0


def resume(store: Store, arguments: argparse.Namespace, console: Console) -> int:
    """Let one job or all of them go on."""
    with store.locked() as state:
        chosen = _chosen(store, state, arguments.job, False)
    for job in chosen:
        assert job.process is not None
        if not (job.paused and arguments.job is None):
            processes.send(processes.members(job.process, job.boot), signal.SIGCONT)
            console.print(f"{title(job)} resumed")
    return 0


def _chosen(store: Store, state: State, which: str | None, paused: bool) -> list[Job]:
    """Note a pause or its end; the jobs concerned that run."""
    if which is None:
        store.append(pause_all=paused)
        chosen = list(state.jobs.values())
    else:
        chosen = [job_of(state, which)]
        store.append(pause=paused, number=chosen[0].number)
        if not paused and state.paused:
            raise SetupError(f"everything is paused, including job {chosen[0].number}: python -m tuning.queue resume")
    return [job for job in chosen if job.state == RUNNING and job.process is not None]


def remove(store: Store, arguments: argparse.Namespace, console: Console) -> int:
    """Take a job out of the queue; its log and results stay."""
    with store.locked() as state:
        job = job_of(state, arguments.job)
        store.append(remove=True, number=job.number)
    if job.process is not None:
        processes.end(job.process, job.boot)
    console.print(f"{title(job)} removed")
    return 0


def again(store: Store, arguments: argparse.Namespace, console: Console) -> int:
    """Queue a job once more that failed or is done, as if it had been interrupted."""
    with store.locked() as state:
        job = job_of(state, arguments.job)
        if job.state not in (DONE, FAILED):
            raise SetupError(f"job {job.number} is {job.state}; only finished or failed jobs can run again")
        store.append(again=INTERRUPTED, number=job.number)
    console.print(f"{title(job)} waits")
    return 0


def priority(store: Store, arguments: argparse.Namespace, console: Console) -> int:
    """Change what runs first."""
    with store.locked() as state:
        job = job_of(state, arguments.job)
        store.append(priority=arguments.priority, number=job.number)
    return 0


ACTIONS = {
    "add": add, "run": run, "list": show_list, "show": show, "log": show_log, "pause": pause, "resume": resume,
    "remove": remove, "again": again, "priority": priority,
}  # fmt: skip


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0: done, 2: cannot be done as asked, 130: interrupted."""
    arguments = parser().parse_args(words)
    console = Console()
    if not console.is_terminal:
        console = Console(width=160)
    try:
        if os.name != "posix":
            raise SetupError("the queue runs on Linux and macOS only: it needs sessions and signals")
        store = Store(arguments.directory or default_folder())
        return ACTIONS[arguments.action or "list"](store, arguments, console)
    except SetupError as error:
        return command.refused(console, error)
    except OSError as error:
        text = f"error: {f'{error.filename}: ' if error.filename else ''}{error.strerror}"
        console.print(text, style="bold red", soft_wrap=True)
        return command.REFUSED


if __name__ == "__main__":
    sys.exit(main())
