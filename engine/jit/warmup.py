"""Compiles or loads the kernels ahead of the first search."""

import subprocess
import time
from collections.abc import Callable

from engine.jit import detached
from engine.jit.cache import STORE
from engine.jit.decorators import FUNCTIONS, KERNELS, Kernel, not_ready
from engine.jit.digest import LAYERS, START

Report = Callable[[str], None]

_POLL_SECONDS, _REPORT_SECONDS = 0.1, 2.0  # seconds between checks of the cache, and between progress reports

#: Seconds without progress after which a start no longer waits for another process, which may have been stopped. On a
#: slow machine it waits as long again as compilation took up to then.
_PATIENCE_SECONDS = 60.0


def warm_up(report: Report, layer: str = START, deferred: bool = False, later: tuple[str, ...] = ()) -> None:
    """Make every kernel of the imported modules ready to call, except those of layers above ``layer``.

    If the cache is complete, kernels are only loaded, deferred ones on their first call, and ``report`` is not called.
    Otherwise a detached process compiles (see :mod:`engine.jit.detached`); this one waits for the kernels that a game
    needs, and with ``deferred`` for all, and reports progress. KeyboardInterrupt ends the detached process too. If the
    cache is unusable, or that process is stuck, this one compiles, and one more report gives the reason. The
    detached process then goes on with the modules called ``later``, for which this one does not wait."""
    kernels = not_ready(layer) + [kernel for kernel in KERNELS if deferred and kernel.is_postponed()]
    absent = [kernel for kernel in _absent(kernels) if deferred or not kernel.deferred]
    if absent and STORE.prepare():
        _report_cache_problems(report)
        absent = _absent(_wait_for_others(absent, layer, report, later))
        _compile(absent, report)
        if STORE.writable:
            report("compiled")
    else:
        _report_cache_problems(report)
        _compile(absent, report)
    for kernel in not_ready(layer):
        kernel.prepare()
    _report_cache_problems(report)


def _absent(kernels: list[Kernel]) -> list[Kernel]:
    """Fetch the code of ``kernels``; returns those that must be compiled."""
    return [kernel for kernel in kernels if not kernel.fetch()]


def _report_cache_problems(report: Report) -> None:
    for line in STORE.warnings():
        report(line)


def _wait_for_others(absent: list[Kernel], layer: str, report: Report, later: tuple[str, ...]) -> list[Kernel]:
    """Wait while a detached process, new or running, compiles ``absent``; returns the kernels that it could not."""
    own = None
    begun = looked = progressed = time.monotonic()
    count, shown = _count(layer), 0
    try:
        if detached.is_running():
            report("an earlier start is still compiling")
        else:
            own = _begin(layer, report, later)
        while absent := _absent(absent):
            code = own.poll() if own else detached.BUSY
            if code == detached.BUSY and not detached.is_running():  # it has ended, or was killed
                own = _begin(layer, report, later)
            elif code not in (None, detached.BUSY):
                break
            time.sleep(_POLL_SECONDS)
            now = time.monotonic()
            if now < looked + _REPORT_SECONDS:
                continue
            looked = now
            if _count(layer) > count:
                count, progressed = _count(layer), now
                if (percentage := min(99, 100 * count // max(1, _total(layer)))) > shown:
                    shown = percentage
                    report(f"compiling: {percentage}%")
            elif now - progressed > max(_PATIENCE_SECONDS, progressed - begun):
                report("the compiler process is stuck: compiling here")
                break
    except KeyboardInterrupt:
        detached.end()
        raise
    except (OSError, NotImplementedError):  # locking or starting a process failed
        pass
    return absent


def _begin(layer: str, report: Report, later: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """Start a detached process. Raises OSError."""
    report("compiling the engine, once (later starts are fast)" if layer == START else "compiling")
    modules = dict.fromkeys([*(kernel.module for kernel in KERNELS), *later])
    return detached.begin(LAYERS[-1] if later else layer, modules)


def _layers_up_to(layer: str) -> tuple[str, ...]:
    return LAYERS[: LAYERS.index(layer) + 1]


def _count(layer: str) -> int:
    """The number of functions up to ``layer`` that are in the cache."""
    return STORE.count(_layers_up_to(layer))


def _total(layer: str) -> int:
    return sum(FUNCTIONS[below] for below in _layers_up_to(layer))


def _compile(kernels: list[Kernel], report: Report) -> None:
    """Compile ``kernels`` in this process, unless they are in the cache by then."""
    for number, kernel in enumerate(kernels):
        report(f"compiling: {100 * number // len(kernels)}%")
        kernel.dispatcher.compile(kernel.signature)
