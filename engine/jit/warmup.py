"""Compiling or loading every kernel, once, ahead of the first search."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from filelock import FileLock, Timeout

from engine.jit import cache
from engine.jit.decorators import KERNELS


def _compile_all(report: Callable[[str], None]) -> None:
    for stage, kernels in groupby(KERNELS, key=lambda kernel: kernel.stage):
        report(stage)
        for kernel in kernels:
            kernel.dispatcher.compile(kernel.signature)


def warm_up(report: Callable[[str], None]) -> None:
    """Make every kernel of the imported modules ready to call.

    With a complete cache they are only loaded and ``report`` is not called. Otherwise one process at a time
    compiles (others that start meanwhile wait and then load what it made), and ``report`` gets one line for
    each stage, and one where no directory can be written and nothing will be kept. Import every layer
    before the call: what it leaves behind counts as complete.
    """
    if not KERNELS:  # plain Python: nothing to compile
        return
    root = cache.ROOT
    if root is None:
        report("no cache directory can be written (set NUMBAT_CACHE_DIR): compiling for this run only")
        _compile_all(lambda stage: report(f"compiling {stage}"))
        return
    if cache.is_complete(root):
        _compile_all(lambda stage: None)
        return
    lock = FileLock(root / "compile.lock")
    if not _try(lock):
        report("waiting for another Numbat that is compiling")
        lock.acquire()
    try:
        fresh = not cache.is_complete(root)
        if fresh:
            report("first start: compiling the engine, once (later starts take a second or two)")
        _compile_all(lambda stage: report(f"compiling {stage}") if fresh else None)
        if fresh:
            cache.mark_complete(root)
            report("compiled")
    finally:
        lock.release()


def _try(lock: FileLock) -> bool:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    return True
