"""Compiling or loading every kernel, once, ahead of the first search."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from filelock import FileLock, Timeout

from engine.jit import cache
from engine.jit.decorators import KERNELS, Kernel


def _missing(layer: str) -> list[Kernel]:
    """The kernels of the imported modules that cannot be called yet, without those of the layers above ``layer``."""
    above = cache.LAYERS[cache.LAYERS.index(layer) + 1 :]
    return [kernel for kernel in KERNELS if kernel.layer not in above and not kernel.dispatcher.signatures]


def _compile_all(kernels: list[Kernel], report: Callable[[str], None]) -> None:
    for stage, members in groupby(kernels, key=lambda kernel: kernel.stage):
        report(stage)
        for kernel in members:
            kernel.dispatcher.compile(kernel.signature)


def warm_up(report: Callable[[str], None], layer: str = cache.START) -> None:
    """Make every kernel of the imported modules ready to call, but for those of the layers above ``layer``.

    With a complete cache they are only loaded and ``report`` is not called. Otherwise one process at a time
    compiles (others that start meanwhile wait and then load what it made), and ``report`` gets one line for
    each stage, and one where no directory can be written and nothing will be kept. Import all of these layers
    before the call: what it leaves behind counts as complete. Raises OSError where a layer above
    :data:`engine.jit.cache.START` is missing in a cache that cannot be written.
    """
    kernels = _missing(layer)
    if not kernels:  # plain Python, or not the first call
        return
    root = cache.ROOT
    if root is None:
        report("no cache directory can be written (set NUMBAT_CACHE_DIR): compiling for this run only")
        _compile_all(kernels, lambda stage: report(f"compiling {stage}"))
        return
    if cache.is_complete(root, layer):
        _compile_all(kernels, lambda stage: None)
        return
    lock = FileLock(root / "compile.lock")
    if not _try(lock):
        report("waiting for another Numbat that is compiling")
        lock.acquire()
    try:
        fresh = not cache.is_complete(root, layer)
        if fresh and layer == cache.START:
            report("first start: compiling the engine, once (later starts take a second or two)")
        _compile_all(kernels, lambda stage: report(f"compiling {stage}") if fresh else None)
        if fresh:
            cache.mark_complete(root, layer)
            report("compiled")
    finally:
        lock.release()


def _try(lock: FileLock) -> bool:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    return True
