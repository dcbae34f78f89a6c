"""Compiles kernels in several processes at once; each saves its code in the cache.

numba compiles under a lock, so threads would wait for each other. Kernels are started in the order of definition: a
kernel comes after those it calls, so it can start while they are compiled, and waits only to learn their symbols.
If a process fails, the caller compiles the rest."""

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from importlib import import_module
from time import monotonic, sleep

from engine.jit import private
from engine.jit.decorators import KERNELS, Kernel
from engine.jit.digest import settings_digest
from engine.processes import LostProcess, Report, can_start, run

_MIN_KERNELS = 4  # the fewest kernels for which starting processes pays
_MAX_PROCESSES = 3  # more processes would be idle while the search is compiled, and each takes memory
_POLL_SECONDS = 0.02  # seconds between looks for code that another process compiles
_MAX_WAIT_SECONDS = 300.0  # seconds to wait for it: after an edit in the meantime it never comes
_COLLECT_AFTER = 50_000  # numba's objects live long, so frequent garbage collection only costs time


class NotCompiled(RuntimeError):
    """A kernel cannot be compiled into the cache by another process."""


def compile_in_processes(kernels: list[Kernel]) -> None:
    """Compile ``kernels``, in order of definition, into the cache by other processes, as far as possible. Does nothing
    on one processor, or if there is little to do."""
    count = min(_processors(), _MAX_PROCESSES, len(kernels))
    if count < 2 or len(kernels) < _MIN_KERNELS or not can_start():
        return
    modules = list(dict.fromkeys(kernel.module for kernel in kernels))
    names = [kernel.name for kernel in kernels]
    compiled = run(partial(compiling, settings_digest(), modules, names), names, count, ordered=False)
    with suppress(OSError, NotCompiled, LostProcess), closing(compiled):
        all(completed.error is None for completed in compiled)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def import_kernels(settings: str, modules: Iterable[str]) -> None:
    """Import ``modules`` to compile their kernels. Raises NotCompiled if this process has other ``settings``."""
    if settings_digest() != settings:
        raise NotCompiled("the settings of numba differ")
    for module in modules:
        import_module(module)
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)


@contextmanager
def compiling(settings: str, modules: list[str], names: list[str], report: Report) -> Iterator[Callable[[str], None]]:
    """The job of a process: compile the kernels of ``modules`` that are called ``names``, which are given in order."""
    import_kernels(settings, modules)
    given = _Assignments(names)
    pending = {kernel.name: _PendingKernel(kernel, given) for kernel in KERNELS}
    for kernel in KERNELS:
        private.postpone(kernel.dispatcher, kernel.signature, pending[kernel.name])

    def compile_kernel(name: str) -> None:
        given.last = name
        pending[name].compile()
        if not pending[name].kernel.fetch():
            raise NotCompiled(f"{name} cannot be saved")

    yield compile_kernel


class _Assignments:
    """The kernels that were given to processes: all up to ``last``, which this process compiles."""

    def __init__(self, names: list[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self.last = names[0]

    def __contains__(self, name: str) -> bool:
        return self._places.get(name, len(self._places)) < self._places[self.last]


class _PendingKernel:
    """Loads or compiles ``kernel`` on its first call."""

    def __init__(self, kernel: Kernel, given: _Assignments) -> None:
        self.kernel = kernel
        self._given = given
        self._is_compiling = False

    def can_defer(self) -> bool:
        """Whether callers may be typed before it is compiled. It must not wait for itself."""
        return not self._is_compiling and not self.kernel.dispatcher.signatures

    def __call__(self) -> None:
        """Load it once another process has compiled it, or compile it here."""
        if self.can_defer():
            end = monotonic() + _MAX_WAIT_SECONDS
            while self.kernel.name in self._given and not self.kernel.fetch() and monotonic() < end:
                sleep(_POLL_SECONDS)
            self.compile()

    def compile(self) -> None:
        """Compile it, or load it if it is in the cache."""
        self._is_compiling = True
        self.kernel.dispatcher.compile(self.kernel.signature)
