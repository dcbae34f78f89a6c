"""``start`` runs a program in a new process that has numba in memory already.

Importing numba, and setting it up for a first compilation, takes most of the time of a process that compiles a small
function or refuses its command line. Python's fork server does both once (:mod:`tests.forkserver_preload`), and each
child then starts like a fresh process that has imported numba. A process with variables for numba in its environment
has to be a fresh one, and so has every process on a system that cannot fork.
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
    """The running fork server, which no environment variable for numba has reached."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.forkserver_preload"])
    hidden = {name: os.environ.pop(name) for name in [*os.environ] if name.startswith("NUMB")}
    multiprocessing.forkserver.ensure_running()
    os.environ.update(hidden)
    return context


def _run_as_child(folder: str, environment: dict[str, str], program: str, out: str, error: str) -> None:
    """Run ``program`` as ``python -c`` does in ``folder``; its output goes to the files ``out`` and ``error``."""
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
    """A forked process that runs ``program`` and writes its output to files."""

    def __init__(self, folder: Path, environment: Mapping[str, str], program: str) -> None:
        self._files = [tempfile.NamedTemporaryFile("r") for _ in range(2)]  # noqa: SIM115 - closed when it is read
        names = [file.name for file in self._files]
        self._process = _server().Process(target=_run_as_child, args=(str(folder), dict(environment), program, *names))
        self._process.start()

    def communicate(self, timeout: float = 600) -> tuple[str, str]:
        """Wait for its end, and return what it wrote to standard output and to standard error."""
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
    """Run ``program`` in ``folder``: in a forked process, or in a ``fresh`` one where a fork would differ."""
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
