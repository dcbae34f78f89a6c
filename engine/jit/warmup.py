"""Compiling or loading every kernel, once, ahead of the first search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby

from engine.jit.cache import STORE
from engine.jit.decorators import KERNELS, Kernel
from engine.jit.digest import LAYERS, START
from engine.jit.parallel import compile_apart

Report = Callable[[str], None]


def warm_up(report: Report, layer: str = START) -> None:
    """Make every kernel of the imported modules ready to call, except those of the layers above ``layer``.

    With a complete cache they are only loaded, some of them on their first call, and ``report`` is not called.
    Otherwise one start at a time compiles, in several processes on several processors (others wait and then load the
    code), and ``report`` gets a line for each stage. If the cache cannot be used, one more line gives the reason.
    """
    kernels = _missing(layer)
    if not kernels:  # plain Python, or not the first call
        return
    if not _absent(kernels):
        _prepare(kernels, [], report)
    elif STORE.prepare():
        with _turn(report):
            _compile_and_keep(kernels, report, layer)
    else:
        _pass_on(report)
        _prepare(kernels, _absent(kernels), report)
    _pass_on(report)


def _missing(layer: str) -> list[Kernel]:
    """The kernels of the imported modules that cannot be called yet, except those of the layers above ``layer``."""
    above = LAYERS[LAYERS.index(layer) + 1 :]
    return [kernel for kernel in KERNELS if kernel.layer not in above and not kernel.is_ready()]


def _absent(kernels: list[Kernel]) -> list[Kernel]:
    """Those that have to be compiled."""
    return [kernel for kernel in kernels if not kernel.fetch()]


def _pass_on(report: Report) -> None:
    """Report what went wrong with the cache."""
    for line in STORE.remarks():
        report(line)


def _compile_and_keep(kernels: list[Kernel], report: Report, layer: str) -> None:
    """Compile the kernels that cannot be loaded, and save them."""
    absent = _absent(kernels)
    _pass_on(report)
    if not absent:  # another process has compiled them
        _prepare(kernels, [], report)
        return
    if layer == START:
        report("compiling the engine, once (later starts take about half a second)")
    _prepare(kernels, _compile_apart(absent, report), report)
    _pass_on(report)
    if STORE.writable:
        STORE.tidy()
        report("compiled")


def _compile_apart(absent: list[Kernel], report: Report) -> list[Kernel]:
    """Have ``absent`` compiled in other processes; returns the kernels that this one still has to compile."""
    begun: set[str] = set()

    def begin(kernel: Kernel) -> None:
        if kernel.stage not in begun:
            begun.add(kernel.stage)
            report(f"compiling {kernel.stage}")

    compile_apart(absent, begin, report)
    return _absent(absent) if begun else absent


def _prepare(kernels: list[Kernel], absent: list[Kernel], report: Report) -> None:
    """Load or compile ``kernels``, and report the stages of the ``absent`` ones."""
    for stage, members in groupby(kernels, key=lambda kernel: kernel.stage):
        if any(kernel.stage == stage for kernel in absent):
            _pass_on(report)
            report(f"compiling {stage}")
        for kernel in members:
            kernel.prepare()


@contextmanager
def _turn(report: Report) -> Iterator[None]:
    """Hold the lock of the cache folder. If locking fails, two processes may do the same work."""
    from filelock import FileLock, Timeout  # late: most starts need no lock

    lock = FileLock(STORE.lock)
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            report("waiting for another Numbat that is compiling")
            lock.acquire()
    except (OSError, NotImplementedError) as error:
        report(f"cannot lock {STORE.lock} ({type(error).__name__}): compiling without a lock")
    try:
        yield
    finally:
        lock.release()
