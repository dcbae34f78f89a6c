"""Processes that have numba in memory when they begin.

To load numba, and to set it up for its first compilation, takes most of the time of a process that compiles a small
function or says what is wrong with its command line. So one process does it, compiles something that has nothing to do
with the engine, and forks: each child is as a fresh process is that has imported numba. Those whose environment says
something to numba have to be fresh ones, and so have all if the system cannot fork.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

#: The program of the mother: a line of JSON for each child to start or to ask after, answered by its process, or by its
#: exit code once it has one.
_MOTHER = """
import json, os, sys
import numba

numba.njit(lambda x: x + 1)(1)

def live(folder, environment, program, out, error):
    for number, path in ((0, os.devnull), (1, out), (2, error)):
        os.dup2(os.open(path, os.O_RDWR), number)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[0:1] = ["", *environment.get("PYTHONPATH", "").split(os.pathsep)]
    sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in environment
    try:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        try:
            sys.excepthook(*sys.exc_info())
        except SystemExit as end:
            return end.code or 0
        return 1
    return 0

for line in sys.stdin:
    asked = json.loads(line)
    if isinstance(asked, int):
        ended, status = os.waitpid(asked, os.WNOHANG)
        print(os.waitstatus_to_exitcode(status) if ended else "", flush=True)
        continue
    child = os.fork()
    if child == 0:
        code = live(*asked)
        sys.stdout.flush()
        os._exit(code)
    print(child, flush=True)
"""


class Child:
    """A process that runs ``program``; its output waits in files."""

    def __init__(self, nursery: Nursery, folder: Path, environment: Mapping[str, str], program: str) -> None:
        self._nursery = nursery
        self._files = [nursery.new_file() for _ in range(2)]
        self._number = nursery.ask([str(folder), dict(environment), program, *map(str, self._files)])
        self.returncode: int | None = None

    def communicate(self, timeout: float = 600) -> tuple[str, str]:
        """Wait for its end; what it wrote to standard output and to standard error."""
        deadline = time.monotonic() + timeout
        while not (code := self._nursery.ask(int(self._number))):
            assert time.monotonic() < deadline, f"still running after {timeout} s"
            time.sleep(0.005)
        self.returncode = int(code)
        out, error = (file.read_text() for file in self._files)
        return out, error


class Nursery:
    """The mother of all :class:`Child` processes; it ends with its input."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._files = 0
        self._mother = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", _MOTHER],  # newer Pythons warn of forks beside threads
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if not name.startswith("NUMB")},
        )

    def ask(self, question: object) -> str:
        """The mother's answer."""
        self._mother.stdin.write(json.dumps(question) + "\n")
        self._mother.stdin.flush()
        return self._mother.stdout.readline().strip()

    def new_file(self) -> Path:
        """An empty file for what a child writes."""
        self._files += 1
        file = Path(self._folder.name) / str(self._files)
        file.touch()
        return file

    def close(self) -> None:
        """End the mother."""
        self._mother.communicate()
        self._folder.cleanup()


def start(
    nursery: Nursery | None, folder: Path, environment: Mapping[str, str], program: str
) -> Child | subprocess.Popen[str]:
    """A process that runs ``program`` in ``folder``: out of the ``nursery`` if that is the same as a fresh one."""
    if nursery is not None and not any(name.startswith("NUMBA_") for name in environment):
        return Child(nursery, folder, environment, program)
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=folder,
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
