"""The decorator of the workbench's own numerical kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

from engine.jit.cache import ROOT


def compiled(function: Callable) -> Any:
    """Compile ``function`` at its first call, free of the interpreter lock while it runs.

    Sums of floating-point numbers may be taken in any order, which is what lets the compiler vectorise them. Call it
    with the same types always: two processes that add different ones to a cache at once can spoil it.
    """
    fastmath = {"reassoc", "contract", "nsz"}
    return njit(nogil=True, error_model="numpy", fastmath=fastmath, cache=ROOT is not None)(function)
