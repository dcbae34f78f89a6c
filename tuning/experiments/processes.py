"""The processes of a job: whether they live, and how they are stopped, continued and ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

INTERRUPT_SECONDS = 30.0
"""For a job to end in order after SIGINT; then SIGTERM."""

TERMINATE_SECONDS = 10.0
"""For a job to end after SIGTERM; then SIGKILL."""


SAME_MOMENT = 3.0
"""Seconds by which two processes may read another start of a third one: the time of booting is rounded."""

_SHELLS = ("sh", "bash", "dash", "zsh")


def boot() -> str:
    """A word that is another one after the machine was started anew; empty if there is none."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def start(
    command: Sequence[str], exit_file: Path, log: Path, directory: str, environment: Mapping[str, str], nice: int
) -> subprocess.Popen[bytes]:
    """Start a job in a session of its own, its output appended to ``log``. Raises ``OSError``."""
    with log.open("ab") as stream:
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("wrapper.py")), str(exit_file), str(nice), *command],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            cwd=directory,
            env={**os.environ, **environment, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )


def began(pid: int) -> float:
    """When a process was started; 0 if it is gone."""
    try:
        return psutil.Process(pid).create_time()
    except psutil.Error:
        return 0.0


def members(process: tuple[int, float], booted: str) -> list[psutil.Process]:
    """The living processes of a job, by its wrapper, whose session number is theirs.

    None if the machine was started anew, or if the number belongs to another process by now.
    """
    pid, when = process
    if booted != boot():
        return []
    found: dict[int, psutil.Process] = {}
    try:
        leader = psutil.Process(pid)
        if abs(leader.create_time() - when) > SAME_MOMENT:
            return []
        found.update((child.pid, child) for child in leader.children(recursive=True))
        found[pid] = leader
    except psutil.Error:
        pass  # the leader is gone; the rest may live
    for other in psutil.pids():
        with contextlib.suppress(OSError, psutil.Error):
            if other not in found and os.getsid(other) == pid:
                found[other] = psutil.Process(other)
    return [one for one in found.values() if _lives(one)]


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def send(processes: Sequence[psutil.Process], number: int) -> None:
    """Send a signal to all of them."""
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.send_signal(number)


def interrupt(process: tuple[int, float], booted: str) -> bool:
    """Ask a job to end in order, as Ctrl-C does; also one that is stopped. False if its command has not started yet.

    Only the job itself is told, and what a shell runs for it. It ends its workers and engines; an engine that got the
    signal too would be gone in the middle of a game, which counts as lost.
    """
    there = members(process, booted)
    asked = [one for one in there if _parent(one) == process[0]]
    for one in asked:
        if _name(one) in _SHELLS:
            with contextlib.suppress(psutil.Error):
                asked += one.children()
    send(asked, signal.SIGINT)
    send(there, signal.SIGCONT)
    return bool(asked)


def _parent(process: psutil.Process) -> int:
    try:
        return process.ppid()
    except psutil.Error:
        return 0


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""


def end(process: tuple[int, float], booted: str, asked: bool = False) -> None:
    """Let a job end in order, or make it; returns when nothing of it is left. ``asked``: it was interrupted already."""
    until = time.monotonic() + INTERRUPT_SECONDS
    while not asked and time.monotonic() < until and members(process, booted):
        asked = interrupt(process, booted)
        time.sleep(0 if asked else 0.05)
    for number, seconds in ((signal.SIGTERM, INTERRUPT_SECONDS), (signal.SIGKILL, TERMINATE_SECONDS)):
        if _gone(process, booted, seconds):
            return
        there = members(process, booted)
        send(there, number)
        send(there, signal.SIGCONT)
    _gone(process, booted, TERMINATE_SECONDS)


def _gone(process: tuple[int, float], booted: str, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not members(process, booted):
            return True
        time.sleep(0.05)
    return not members(process, booted)
