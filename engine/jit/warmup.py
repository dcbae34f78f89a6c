"""Compiling or loading every kernel, once, ahead of the first search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path

from engine.jit.cache import STORE
from engine.jit.decorators import KERNELS, Kernel
from engine.jit.digest import LAYERS, START
from engine.jit.parallel import compile_apart
from engine.jit.store import discard

Report = Callable[[str], None]


def warm_up(report: Report, layer: str = START) -> None:
    """Make every kernel of the imported modules ready to call, but for those of the layers above ``layer``.

    With a complete cache they are only loaded, some of them when they are first called, and ``report`` is not called
    unless something is wrong with the cache.
    Otherwise one start at a time compiles, on several processors in several processes (others that start meanwhile
    wait and then load what it made), and ``report`` gets a line for each stage, and one if nothing will be kept.
    """
    kernels = _missing(layer)
    if not kernels:  # plain Python, or not the first call
        return
    if _absent(kernels):
        STORE.inspect()
        _compile_and_keep(kernels, report, layer)
    else:
        _compile(kernels, [], report)
    _pass_on(report, compiling=False)


def _missing(layer: str) -> list[Kernel]:
    """The kernels of the imported modules that cannot be called yet, without those of the layers above ``layer``."""
    above = LAYERS[LAYERS.index(layer) + 1 :]
    return [kernel for kernel in KERNELS if kernel.layer not in above and not kernel.is_ready()]


def _absent(kernels: list[Kernel]) -> list[Kernel]:
    """Those that have to be compiled."""
    return [kernel for kernel in kernels if not kernel.fetch()]


def _pass_on(report: Report, compiling: bool) -> int:
    """Report what has happened to the cache; how many lines that were."""
    lines = list(STORE.remarks(compiling))
    for line in lines:
        report(line)
    return len(lines)


def _compile(kernels: list[Kernel], absent: list[Kernel], report: Report) -> None:
    """Load or compile ``kernels``, and report the stages that have some of the ``absent`` ones."""
    for stage, members in groupby(kernels, key=lambda kernel: kernel.stage):
        if any(kernel.stage == stage for kernel in absent):
            _pass_on(report, compiling=True)
            report(f"compiling {stage}")
        for kernel in members:
            kernel.prepare()


def _compile_apart(absent: list[Kernel], report: Report) -> list[Kernel]:
    """Have ``absent`` compiled in other processes; those that this one still has to compile."""
    begun: set[str] = set()

    def begin(kernel: Kernel) -> None:
        if kernel.stage not in begun:
            begun.add(kernel.stage)
            report(f"compiling {kernel.stage}")

    compile_apart(absent, begin, report)
    return _absent(absent) if begun else absent


def _compile_and_keep(kernels: list[Kernel], report: Report, layer: str) -> None:
    """Compile what cannot be loaded, unless another process does, and say why that is needed."""
    STORE.repair()
    place = STORE.prepare()
    explained = _pass_on(report, compiling=True) > 0
    if place is None:
        report("no cache directory can be written (set NUMBAT_CACHE_DIR): compiling for this run only")
        _compile(kernels, _absent(kernels), report)
        return
    with _turn(place / "compile.lock", report):
        absent = _absent(kernels)
        if not absent:
            _compile(kernels, absent, report)
            return
        if explained:
            pass
        elif any(STORE.holds_some(kernel.layer) for kernel in absent):
            report(f"some compiled code is missing from {STORE.used or place.parent}: compiling it again")
        elif layer == START:
            report("first start: compiling the engine, once (later starts take about half a second)")
        _compile(kernels, _compile_apart(absent, report), report)
        _pass_on(report, compiling=True)
        if STORE.prepare() is None:
            report("no cache directory can be written (set NUMBAT_CACHE_DIR): compiled for this run only")
        else:
            STORE.tidy()
            report("compiled")


@contextmanager
def _turn(path: Path, report: Report) -> Iterator[None]:
    """Hold the lock at ``path``, or none if it cannot be had: then two processes may do the same work."""
    from filelock import FileLock, Timeout  # late: most starts need no lock

    lock = FileLock(path)
    try:
        with suppress(IsADirectoryError):
            if path.is_dir():
                discard(path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            report("waiting for another Numbat that is compiling")
            lock.acquire()
    except (OSError, NotImplementedError) as error:
        report(f"cannot lock {path} ({type(error).__name__}): compiling without a lock")
    try:
        yield
    finally:
        lock.release()
