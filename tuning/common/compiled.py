"""The decorator of the workbench's own numerical kernels."""

from collections.abc import Callable
from typing import Any, TypeVar

from engine.jit.decorators import on_demand

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile ``function`` at its first call, free of the interpreter lock while it runs.

    Sums of floating-point numbers may be taken in any order, so that the compiler can vectorise them."""
    fastmath = {"reassoc", "contract", "nsz"}
    return on_demand(function, fastmath)
