"""Processes that have numba in memory when they begin.

To load numba, and to set it up for its first compilation, takes most of the time of a process that compiles a small
function or says what is wrong with its command line. So Python's fork server does it once (:mod:`tests.warm`), and each
child is as a fresh process is that has imported numba. Those whose environment says something to numba have to be fresh
ones, and so have all if the system cannot fork.
"""

import multiprocessing
import multiprocessing.forkserver
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

#: Where libraries survive a fork.
CAN_FORK = sys.platform not in ("win32", "darwin")


@cache
def _server() -> Any:
    """The running fork server, which has read nothing that is meant for numba from the environment."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.warm"])
    meant = {name: os.environ.pop(name) for name in [*os.environ] if name.startswith("NUMB")}
    multiprocessing.forkserver.ensure_running()
    os.environ.update(meant)
    return context


def _live(folder: str, environment: dict[str, str], program: str, out: str, error: str) -> None:
    """Be ``python -c PROGRAM`` in ``folder``."""
    for number, path in ((0, os.devnull), (1, out), (2, error)):
        os.dup2(os.open(path, os.O_RDWR), number)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[0:1] = ["", *environment.get("PYTHONPATH", "").split(os.pathsep)]
    sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in environment
    try:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
    except Exception:
        sys.excepthook(*sys.exc_info())
        sys.exit(1)


class Child:
    """A process that runs ``program``; its output waits in files."""

    def __init__(self, folder: Path, environment: Mapping[str, str], program: str) -> None:
        self._files = [tempfile.NamedTemporaryFile("r") for _ in range(2)]  # noqa: SIM115 - closed when it is read
        names = [file.name for file in self._files]
        self._process = _server().Process(target=_live, args=(str(folder), dict(environment), program, *names))
        self._process.start()

    def communicate(self, timeout: float = 600) -> tuple[str, str]:
        """Wait for its end; what it wrote to standard output and to standard error."""
        self._process.join(timeout)
        assert self.returncode is not None, f"still running after {timeout} s"
        texts = []
        for file in self._files:
            with file:
                texts.append(file.read())
        return texts[0], texts[1]

    @property
    def returncode(self) -> int | None:
        """Its exit code once it has ended."""
        return self._process.exitcode


def start(
    folder: Path, environment: Mapping[str, str], program: str, fresh: bool = False
) -> Child | subprocess.Popen[str]:
    """A process that runs ``program`` in ``folder``: a ``fresh`` one where a fork would not be the same."""
    if CAN_FORK and not fresh and not any(name.startswith("NUMBA_") for name in environment):
        return Child(folder, environment, program)
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=folder,
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
