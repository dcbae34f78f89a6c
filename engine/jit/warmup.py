"""Compiles or loads the kernels ahead of the first search."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.jit import detached
from engine.jit.cache import STORE
from engine.jit.decorators import FUNCTIONS, KERNELS, Kernel, not_ready
from engine.jit.digest import LAYERS, START

Report = Callable[[str], None]

#: Seconds between checks of the cache, and between progress reports.
_LOOK, _REPORT = 0.1, 2.0


def warm_up(report: Report, layer: str = START, spare: bool = False) -> None:
    """Make every kernel of the imported modules ready to call, except those of layers above ``layer``.

    If the cache is complete, kernels are only loaded, spare ones on their first call, and ``report`` is not called.
    Otherwise a detached process compiles (see :mod:`engine.jit.detached`); this one waits for the kernels that a game
    needs, and with ``spare`` for all, and reports progress. KeyboardInterrupt ends the detached process too. If the
    cache is unusable, this process compiles, and one more report gives the reason.
    """
    kernels = not_ready(layer) + [kernel for kernel in KERNELS if spare and kernel.is_postponed()]
    absent = [kernel for kernel in _absent(kernels) if spare or not kernel.spare]
    if absent and STORE.prepare():
        _pass_on(report)
        absent = _absent(_let_compile(absent, layer, report))
        if absent:
            with _turn(report):
                _compile(_absent(absent), report)
        if STORE.writable:
            report("compiled")
    else:
        _pass_on(report)
        _compile(absent, report)
    for kernel in not_ready(layer):
        kernel.prepare()
    _pass_on(report)


def _absent(kernels: list[Kernel]) -> list[Kernel]:
    """Fetch the code of ``kernels``; returns those that must be compiled."""
    return [kernel for kernel in kernels if not kernel.fetch()]


def _pass_on(report: Report) -> None:
    """Report problems with the cache."""
    for line in STORE.remarks():
        report(line)


def _let_compile(absent: list[Kernel], layer: str, report: Report) -> list[Kernel]:
    """Wait while a detached process, new or running, compiles ``absent``; returns the kernels that it could not."""
    own = None
    reported, shown = time.monotonic(), 0
    try:
        if detached.is_at_work():
            report("an earlier start is still compiling")
        else:
            own = _begin(layer, report)
        while absent := _absent(absent):
            code = own.poll() if own else detached.BUSY
            if code == detached.BUSY and not detached.is_at_work():  # it has ended, or was killed
                own = _begin(layer, report)
            elif code not in (None, detached.BUSY):
                break
            time.sleep(_LOOK)
            if time.monotonic() > reported + _REPORT and (percentage := _percentage(layer)) > shown:
                reported, shown = time.monotonic(), percentage
                report(f"compiling: {percentage}%")
    except KeyboardInterrupt:
        detached.end()
        raise
    except (OSError, NotImplementedError):  # locking or starting a process failed
        pass
    return absent


def _begin(layer: str, report: Report) -> subprocess.Popen[bytes]:
    """Start a detached process. Raises OSError."""
    report("compiling the engine, once (later starts are fast)" if layer == START else "compiling")
    return detached.begin(layer, dict.fromkeys(kernel.module for kernel in KERNELS))


def _percentage(layer: str) -> int:
    """The percentage of the functions up to ``layer`` that are in the cache, at most 99."""
    layers = LAYERS[: LAYERS.index(layer) + 1]
    return min(99, 100 * STORE.count(layers) // max(1, sum(FUNCTIONS[layer] for layer in layers)))


def _compile(kernels: list[Kernel], report: Report) -> None:
    """Compile ``kernels`` in this process."""
    for number, kernel in enumerate(kernels):
        report(f"compiling: {100 * number // len(kernels)}%")
        kernel.dispatcher.compile(kernel.signature)


@contextmanager
def _turn(report: Report) -> Iterator[None]:
    """Hold the lock of the cache folder. If locking fails, processes may duplicate work."""
    from filelock import FileLock  # imported late: most starts need no lock

    lock = FileLock(STORE.lock)
    try:
        lock.acquire()
    except (OSError, NotImplementedError) as error:
        report(f"cannot lock {STORE.lock} ({type(error).__name__}): compiling without a lock")
    try:
        yield
    finally:
        lock.release()
