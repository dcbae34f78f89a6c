"""Calling compiled code that is known at run time only, by its address.

So a caller need not be compiled together with what it may call, nor at the same time, nor know whether it exists: an
address of 0 in a record says that there is nothing to call. The calls follow the C calling convention.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import intrinsic

from engine.jit import private
from engine.jit.decorators import INTERPRETED

#: Uncompiled functions by what stands for their addresses.
_FUNCTIONS: dict[int, Any] = {}


def address_of(kernel: Any, signature: Any) -> int:
    """Where the machine code of ``kernel`` for its ``signature`` is; compiles it unless that is done.

    The address holds as long as the kernel's module stays loaded.
    """
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
    def call(typing_context, address, first, second):
        def codegen(context, builder, call_signature, arguments):
            function = builder.inttoptr(arguments[0], private.c_type(context, signature).as_pointer())
            return builder.call(function, arguments[1:])

        return signature.return_type(address, *signature.args), codegen

    return call
