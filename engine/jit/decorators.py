"""The two decorators of every compiled function: :func:`kernel` and :func:`helper`.

A *kernel* is called from Python or calls itself; it has one explicit signature, so that no literal argument
can give it a second one (numba's cache crashes on recursion between overloads). A *helper* is called from
compiled code only and is left for LLVM to inline. With ``NUMBA_DISABLE_JIT=1`` both are the plain functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import from_dtype, njit
from numba.core import config

from engine.jit.cache import ROOT

#: True when the kernels run as plain Python, for reading them in a debugger.
INTERPRETED = bool(config.DISABLE_JIT)

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "cache": ROOT is not None}

# Keys and magic products wrap around, as they do when compiled. numpy keeps the setting for each thread, so
# besides the importing thread every call of a kernel sets it.
_wrapping = np.errstate(over="ignore")
if INTERPRETED:
    np.seterr(over="ignore")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A compiled entry point: its dispatcher, its only signature, and the stage of the warm-up it belongs to."""

    dispatcher: Any
    signature: Any
    stage: str

    @property
    def layer(self) -> str:
        """The part of the engine that it is in (see :data:`engine.jit.cache.LAYERS`), or the package beside it."""
        return self.dispatcher.py_func.__module__.removeprefix("engine.").split(".")[0]


#: Every kernel of the modules imported so far, in the order of definition.
KERNELS: list[Kernel] = []


def helper(function: Callable) -> Any:
    """Compile a function that only compiled code calls."""
    return njit(**_OPTIONS)(function)


def kernel(signature: Any, stage: str) -> Callable[[Callable], Any]:
    """Compile an entry point under its one ``signature``, at the warm-up or at its first call.

    ``stage`` is what the warm-up reports while it compiles.
    """

    def decorate(function: Callable) -> Any:
        if INTERPRETED:
            return _wrapping(function)
        dispatcher = njit(**_OPTIONS)(function)
        KERNELS.append(Kernel(dispatcher, signature, stage))
        return dispatcher

    return decorate


def record_type(dtype: np.dtype) -> Any:
    """The numba type of a record of ``dtype``, for signatures."""
    return from_dtype(dtype)
