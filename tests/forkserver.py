"""``Child`` runs a program in a new process that has numba in memory already.

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
    os.setsid()
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
    """A process that runs ``program`` in ``folder``, in a session of its own, and writes its output to files: a
    forked process, or a ``fresh`` one where a fork would differ."""

    def __init__(self, folder: Path, environment: Mapping[str, str], program: str, fresh: bool = False) -> None:
        self._files = [tempfile.NamedTemporaryFile("r") for _ in range(2)]  # noqa: SIM115 - closed when it is read
        out, error = (file.name for file in self._files)
        self._process: Any = None
        if CAN_FORK and not fresh and not any(name.startswith("NUMBA_") for name in environment):
            arguments = (str(folder), dict(environment), program, out, error)
            self._process = _server().Process(target=_run_as_child, args=arguments)
            self._process.start()
            self._wait = self._process.join
        else:
            with open(out, "wb") as output, open(error, "wb") as errors:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", program], cwd=folder, env=dict(environment), stdin=subprocess.DEVNULL,
                    stdout=output, stderr=errors, start_new_session=True,
                )  # fmt: skip
            self._wait = self._process.wait

    def output(self) -> str:
        """What it wrote to standard output so far."""
        return Path(self._files[0].name).read_text()

    def communicate(self, timeout: float = 600) -> tuple[str, str]:
        """Wait for its end, and return what it wrote to standard output and to standard error."""
        self._wait(timeout)
        assert self.returncode is not None, f"still running after {timeout} s"
        texts = []
        for file in self._files:
            with file:
                texts.append(file.read())
        return texts[0], texts[1]

    @property
    def pid(self) -> int:
        """The number of the process, and of its group."""
        return int(self._process.pid)

    @property
    def returncode(self) -> int | None:
        """Its exit code once it has ended."""
        process = self._process
        return process.poll() if isinstance(process, subprocess.Popen) else process.exitcode
