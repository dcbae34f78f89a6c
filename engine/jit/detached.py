"""A detached process that compiles the missing kernels, and continues if a GUI kills the engine that started it.

It has its own session and process group, runs at low priority, and exits when everything is compiled. It holds the lock
of the cache folder, so no second process compiles; other engines wait for its code to appear in the cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable

from engine.jit.cache import STORE
from engine.jit.compiler import OTHER_SETTINGS, import_kernels
from engine.jit.decorators import not_ready
from engine.jit.digest import settings_digest
from engine.jit.parallel import compile_apart

#: Exit code when another process holds the lock.
BUSY = 4

#: Seconds to wait for the lock, which :func:`is_at_work` in other processes holds for a moment.
_PATIENCE = 1

#: Low, because the first start waits for this process.
_NICENESS = 5

#: Windows flags for a detached process; the second takes it out of its job, whose processes are killed together.
_DETACHED = _BREAKAWAY = 0
if sys.platform == "win32":
    _DETACHED = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    _DETACHED |= subprocess.BELOW_NORMAL_PRIORITY_CLASS
    _BREAKAWAY = subprocess.CREATE_BREAKAWAY_FROM_JOB

_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from engine.jit.detached import main
sys.exit(main(sys.argv[2], sys.argv[3], sys.argv[4:]))
"""

#: The detached processes that this process has started.
_begun: list[subprocess.Popen[bytes]] = []


def begin(layer: str, modules: Iterable[str]) -> subprocess.Popen[bytes]:
    """Start the process for the kernels of ``modules`` up to ``layer``. Raises OSError."""
    path = json.dumps([os.path.abspath(place) for place in sys.path])
    command = [sys.executable, "-c", _PROGRAM, path, settings_digest(), layer, *modules]
    try:
        process = _start(command, _BREAKAWAY)
    except PermissionError:  # the job allows no process to leave it
        process = _start(command, 0)
    _begun.append(process)
    threading.Thread(target=process.wait, daemon=True).start()  # leave no zombie
    return process


def _start(command: list[str], more: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,  # a GUI waits until all copies of the engine's pipes are closed
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.path.abspath(os.sep),
        start_new_session=True,
        creationflags=_DETACHED | more,
    )


def end() -> None:
    """Kill the processes started here, after Ctrl-C."""
    for process in _begun:
        process.kill()


def is_at_work() -> bool:
    """Whether a process is compiling for the cache folder. Raises OSError if no file can be locked there."""
    from filelock import FileLock, Timeout  # imported late: most starts need no lock

    try:
        with FileLock(STORE.lock, timeout=0):
            return False
    except Timeout:
        return True


def main(settings: str, layer: str, modules: list[str]) -> int:
    """Compile the kernels of ``modules`` up to ``layer`` that the cache lacks, unless another process does.

    Returns the exit code.
    """
    from filelock import FileLock, Timeout

    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    if not import_kernels(settings, modules):
        return OTHER_SETTINGS
    try:
        with FileLock(STORE.lock, timeout=_PATIENCE):
            _compile(layer)
    except Timeout:
        return BUSY
    return 0


def _compile(layer: str) -> None:
    """Fill the cache, spare kernels last."""
    absent = [kernel for kernel in not_ready(layer) if not kernel.fetch()]
    absent.sort(key=lambda kernel: kernel.spare)
    compile_apart(absent)
    for kernel in absent:
        if STORE.writable and not kernel.fetch():
            kernel.dispatcher.compile(kernel.signature)
    if STORE.writable:
        STORE.tidy()
