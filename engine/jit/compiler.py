"""One of the processes that compile kernels in parallel into the same cache.

:mod:`engine.jit.parallel` starts it and writes one line per event to its standard input: ``compile NAME`` is an order,
``taken NAME`` means that another process is compiling that kernel, ``settled NAME`` that it is done. The process
answers ``done NAME``. It exits as soon as its input ends, so it never outlives the process that started it.
"""

from __future__ import annotations

import gc
import os
import queue
import threading
from collections.abc import Iterable
from importlib import import_module

from engine.jit import private
from engine.jit.decorators import KERNELS, Kernel
from engine.jit.digest import settings_digest

#: Exit code of a process whose settings differ from its parent's.
OTHER_SETTINGS = 3


#: numba's objects live long, so frequent garbage collection only costs time.
_COLLECT_AFTER = 50_000


def import_kernels(settings: str, modules: Iterable[str]) -> bool:
    """Import ``modules`` to compile their kernels. False if this process has other ``settings`` than its parent."""
    if settings_digest() != settings:
        return False
    for module in modules:
        import_module(module)
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)
    return True


class CompilationStatus:
    """Which kernels are being compiled, and which are done, in all processes."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._settled: set[str] = set()
        self._changed = threading.Condition()
        self.orders: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen(self, lines: Iterable[str]) -> None:
        """Read events from ``lines`` until they end."""
        for line in lines:
            event, name = line.split()
            with self._changed:
                match event:
                    case "compile":
                        self.orders.put(name)
                    case "taken":
                        self._taken.add(name)
                    case "settled":
                        self._settled.add(name)
                self._changed.notify_all()

    def await_other(self, name: str) -> None:
        """Wait while another process compiles ``name``."""
        with self._changed:
            self._changed.wait_for(lambda: name not in self._taken or name in self._settled)


class PendingKernel:
    """Loads or compiles ``kernel`` on its first call."""

    def __init__(self, kernel: Kernel, status: CompilationStatus) -> None:
        self._kernel, self._status = kernel, status
        self._at_work = False

    def may_wait(self) -> bool:
        """Whether callers may be typed before it is compiled. It must not wait for itself."""
        return not self._at_work and not self._kernel.dispatcher.signatures

    def __call__(self) -> None:
        """Load it once another process has compiled it, or compile it here."""
        if self.may_wait():
            self._status.await_other(self._kernel.name)
            self.compile()

    def compile(self) -> None:
        """Compile it, or load it if it is in the cache."""
        self._at_work = True
        self._kernel.dispatcher.compile(self._kernel.signature)


def main(settings: str, modules: list[str], lines: Iterable[str]) -> None:
    """Compile the kernels of ``modules`` that ``lines`` order, if the settings match ``settings``.

    The caller ends the process at the end of its input.
    """
    status = CompilationStatus()
    threading.Thread(target=status.listen, args=(lines,), daemon=True).start()
    if not import_kernels(settings, modules):
        os._exit(OTHER_SETTINGS)
    pending = {kernel.name: PendingKernel(kernel, status) for kernel in KERNELS}
    for kernel in KERNELS:
        private.postpone(kernel.dispatcher, kernel.signature, pending[kernel.name])
    while True:
        name = status.orders.get()
        pending[name].compile()
        print("done", name, flush=True)
