"""A detached process that compiles the missing kernels, and continues if a GUI kills the engine that started it.

It has its own session and process group, runs at low priority, and exits when everything is compiled. It holds the lock
of the cache folder, so no second process compiles; other engines wait for its code to appear in the cache."""

import os
import subprocess
from collections.abc import Iterable

from engine import processes
from engine.jit.cache import STORE
from engine.jit.decorators import not_ready
from engine.jit.digest import settings_digest
from engine.jit.parallel import NotCompiled, compile_in_processes, import_kernels

BUSY, OTHER_SETTINGS = 4, 3  # exit codes: another process holds the lock; the settings of numba differ
_LOCK_TIMEOUT = 1  # seconds to wait for the lock, which :func:`is_running` in other processes holds for a moment
_NICENESS = 5  # low, because the first start waits for this process
_started: list[subprocess.Popen[bytes]] = []  # the detached processes that this process has started


def begin(layer: str, modules: Iterable[str]) -> subprocess.Popen[bytes]:
    """Start the process for the kernels of ``modules`` up to ``layer``. Raises OSError."""
    process = processes.detach(main, settings_digest(), layer, list(modules))
    _started.append(process)
    return process


def end() -> None:
    """Kill the processes started here, after Ctrl-C."""
    for process in _started:
        process.kill()


def is_running() -> bool:
    """Whether a process is compiling for the cache folder. Raises OSError if no file can be locked there."""
    from filelock import FileLock, Timeout  # imported late: most starts need no lock

    try:
        with FileLock(STORE.lock, timeout=0):
            return False
    except Timeout:
        return True


def main(settings: str, layer: str, modules: list[str]) -> int:
    """Compile the kernels of ``modules`` up to ``layer`` that the cache lacks, unless another does; the exit code."""
    from filelock import FileLock, Timeout

    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    try:
        import_kernels(settings, modules)
        with FileLock(STORE.lock, timeout=_LOCK_TIMEOUT):
            _compile(layer)
    except NotCompiled:
        return OTHER_SETTINGS
    except Timeout:
        return BUSY
    return 0


def _compile(layer: str) -> None:
    """Fill the cache, deferred kernels last."""
    absent = [kernel for kernel in not_ready(layer) if not kernel.fetch()]
    absent.sort(key=lambda kernel: kernel.deferred)
    compile_in_processes(absent)
    for kernel in absent:
        if STORE.writable and not kernel.fetch():
            kernel.dispatcher.compile(kernel.signature)
    if STORE.writable:
        STORE.tidy()
