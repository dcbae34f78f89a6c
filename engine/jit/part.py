"""A process that compiles some of the kernels while others compile the rest, all into the same cache.

:mod:`engine.jit.crew` starts it and writes to its standard input, a line for each event: ``compile NAME`` is an order,
``taken NAME`` says that another process has one, ``settled NAME`` that its end. It answers ``done NAME``. At the end of
its input, which is also that of whoever started it, it ends at once, whatever it is at.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterable
from importlib import import_module

from engine.jit import private
from engine.jit.decorators import KERNELS, Kernel
from engine.jit.digest import settings_digest

#: Exit code of a process that would compile other code than the one that started it.
OTHER_SETTINGS = 3


class Board:
    """Who compiles what, as far as this process was told."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._settled: set[str] = set()
        self._changed = threading.Condition()
        self.orders: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen(self, lines: Iterable[str]) -> None:
        """Note what ``lines`` say, for ever."""
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


class Need:
    """How ``kernel`` comes about in this process when a caller needs it."""

    def __init__(self, kernel: Kernel, board: Board) -> None:
        self._kernel, self._board = kernel, board
        self._at_work = False

    def may_wait(self) -> bool:
        """Whether callers can be typed before it is compiled: not itself."""
        return not self._at_work and not self._kernel.dispatcher.signatures

    def __call__(self) -> None:
        """Load what another process makes of it, or compile it."""
        if self.may_wait():
            self._board.await_other(self._kernel.name)
            self.compile()

    def compile(self) -> None:
        """Compile it, or load it if it is in the cache."""
        self._at_work = True
        self._kernel.dispatcher.compile(self._kernel.signature)


def main(settings: str, modules: list[str], lines: Iterable[str]) -> None:
    """Compile the kernels of ``modules`` that are asked for in ``lines``, if the code is that of ``settings``.

    Whoever calls this ends the process at the end of its input.
    """
    board = Board()
    threading.Thread(target=board.listen, args=(lines,), daemon=True).start()
    if settings_digest() != settings:
        os._exit(OTHER_SETTINGS)
    for module in modules:
        import_module(module)
    needs = {kernel.name: Need(kernel, board) for kernel in KERNELS}
    for kernel in KERNELS:
        private.postpone(kernel.dispatcher, kernel.signature, needs[kernel.name])
    while True:
        name = board.orders.get()
        needs[name].compile()
        print("done", name, flush=True)
