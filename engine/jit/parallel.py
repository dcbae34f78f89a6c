"""Compiles kernels in several processes at once; each saves its code in the cache.

numba compiles under a lock, so threads would wait for each other. Kernels are started in the order of definition: a
kernel comes after those it calls, so it can start while they are compiled, and waits only to learn their symbols.
If a process fails, the caller compiles the rest.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress

from engine.jit.decorators import Kernel
from engine.jit.digest import settings_digest

#: The fewest kernels for which starting processes pays.
_WORTHWHILE = 4

#: More processes would be idle while the search is compiled, and each takes memory.
_MOST = 3

#: The program of a process. It reads its input before it loads the libraries, so that it exits as soon as the input
#: ends. It reads a duplicate of standard input: libraries access standard input while they are loaded, and on Windows
#: would wait for the read to end (numpy issue 24290).
_PROGRAM = """
import json, os, queue, sys, threading
lines = queue.SimpleQueue()
orders = os.fdopen(os.dup(0))
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
def listen():
    for line in orders:
        lines.put(line)
    os._exit(0)
threading.Thread(target=listen, daemon=True).start()
sys.path[:] = json.loads(sys.argv[1])
from engine.jit.compiler import main
main(sys.argv[2], sys.argv[3:], iter(lines.get, None))
"""


def compile_apart(kernels: list[Kernel]) -> None:
    """Compile ``kernels``, in order of definition, into the cache by other processes, as far as possible.

    Does nothing on one processor, or if there is little to do.
    """
    count = min(_processors(), _MOST, len(kernels))
    if count < 2 or len(kernels) < _WORTHWHILE or not sys.executable:
        return
    compilers = _Compilers(kernels)
    try:
        compilers.hire(count)
        compilers.work()
    finally:
        compilers.dismiss()


def _processors() -> int:
    """Number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Compilers:
    """The processes, and the kernel that each is compiling."""

    def __init__(self, kernels: list[Kernel]) -> None:
        self._waiting = list(kernels)
        self._modules = list(dict.fromkeys(kernel.module for kernel in kernels))
        self._at_work: dict[subprocess.Popen[str], Kernel | None] = {}
        self._hired: list[subprocess.Popen[str]] = []
        self._events: queue.SimpleQueue[tuple[subprocess.Popen[str], str]] = queue.SimpleQueue()

    def hire(self, count: int) -> None:
        """Start the processes."""
        path = json.dumps([os.path.abspath(place) for place in sys.path])
        for _ in range(count):
            try:
                process = subprocess.Popen(
                    [sys.executable, "-c", _PROGRAM, path, settings_digest(), *self._modules],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )
            except OSError:
                return
            self._hired.append(process)
            self._at_work[process] = None
            threading.Thread(target=self._listen, args=(process,), daemon=True).start()

    def work(self) -> None:
        """Distribute the kernels until all are compiled or every process has failed."""
        for process in list(self._at_work):
            self._give(process)
        while any(self._at_work.values()):
            process, line = self._events.get()
            kernel = self._at_work[process]
            if not line:
                del self._at_work[process]
            if kernel is None:
                continue
            self._tell(f"settled {kernel.name}")
            if line:
                self._at_work[process] = None
            for idle in [other for other, busy in self._at_work.items() if busy is None]:
                self._give(idle)

    def dismiss(self) -> None:
        """End the processes."""
        for process in self._hired:
            process.kill()
        for process in self._hired:
            assert process.stdin is not None
            process.wait()
            with suppress(OSError):
                process.stdin.close()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self._events.put((process, line))
        self._events.put((process, ""))

    def _give(self, process: subprocess.Popen[str]) -> None:
        """Order the next kernel of an idle process."""
        if not self._waiting:
            return
        kernel = self._waiting.pop(0)
        self._at_work[process] = kernel
        self._tell(f"taken {kernel.name}", process)
        self._write(process, f"compile {kernel.name}")

    def _tell(self, line: str, besides: subprocess.Popen[str] | None = None) -> None:
        for process in self._at_work:
            if process is not besides:
                self._write(process, line)

    @staticmethod
    def _write(process: subprocess.Popen[str], line: str) -> None:
        assert process.stdin is not None
        with suppress(OSError):  # it has exited: its output ends too
            process.stdin.write(line + "\n")
            process.stdin.flush()
