"""Calls compiled code by an address that is known only at run time, by the C calling convention.

So callers compile without the code they call, and before it. An address of 0 in a record means nothing to call."""

import ctypes
from collections.abc import Callable
from typing import Any, cast

from numba.extending import intrinsic

from engine.jit import private
from engine.jit.decorators import INTERPRETED

_FUNCTIONS: dict[int, Any] = {}  # uncompiled functions by the numbers that stand for their addresses


def address_of(kernel: Any, signature: Any) -> int:
    """The address of the machine code of ``kernel`` for its ``signature``; compiles it if necessary. The address is
    valid as long as the kernel's module stays loaded."""
    if INTERPRETED:
        _FUNCTIONS[id(kernel)] = kernel
        return id(kernel)
    return private.c_address(kernel, signature)


def function_at(signature: Any) -> Callable[[Any, Any, Any], Any]:
    """A function ``(address, first, second) -> result`` that calls the kernel at ``address``, which has this
    ``signature`` of two arguments and raises nothing."""
    if INTERPRETED:
        return lambda address, first, second: _FUNCTIONS[int(address)](first, second)

    @intrinsic
    def call(typing_context: Any, address: Any, first: Any, second: Any) -> Any:
        def codegen(context: Any, builder: Any, call_signature: Any, arguments: Any) -> Any:
            function = builder.inttoptr(arguments[0], private.c_type(context, signature).as_pointer())
            return builder.call(function, arguments[1:])

        return signature.return_type(address, *signature.args), codegen

    return cast("Callable[[Any, Any, Any], Any]", call)


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def callback(function: Callable[[int, int], int]) -> tuple[int, object]:
    """The address at which compiled code calls the Python ``function`` of two int64, and an object to keep as long. The
    function may raise nothing. It takes the interpreter's lock, also from code that runs without it."""
    if INTERPRETED:
        _FUNCTIONS[id(function)] = function
        return id(function), function
    kept = _CALLBACK(function)
    return ctypes.cast(kept, ctypes.c_void_p).value or 0, kept
