"""The two decorators of every compiled function: :func:`kernel` and :func:`inlined`.

A *kernel* is called from Python, calls itself, or is compiled once for all its callers. It has one explicit
signature, so that no literal argument can give it a second one (numba's cache crashes on recursion between overloads).
An *inlined* function is called only from compiled code, and LLVM may inline it there. With ``NUMBA_DISABLE_JIT=1``
both are the plain functions."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numba import config, from_dtype, njit

from engine.jit import private
from engine.jit.cache import KernelCache, cache_of
from engine.jit.digest import LAYERS, layer_of_source, settings_digest, source_digest

INTERPRETED = private.INTERPRETED  # :data:`engine.jit.private.INTERPRETED`, for other packages
CHECKED = INTERPRETED or bool(config.BOUNDSCHECK)  # whether array bounds and the assertions of kernels are checked

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: A function without them would take the last three from the caller for which numba compiles it first. Its symbol
#: contains them, so that processes would not agree on it.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": False, "forceinline": False}

# Interpreted, keys and magic products must wrap around as compiled ones do. numpy keeps the setting per thread, so
# every kernel call sets it too.
_wrapping = np.errstate(over="ignore")
if INTERPRETED:
    np.seterr(over="ignore")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A compiled entry point: its dispatcher, its only signature, its cache if any, and whether it is ``deferred``."""

    dispatcher: Any
    signature: Any
    cache: KernelCache | None
    deferred: bool

    @property
    def layer(self) -> str:
        """Its layer of the engine (see :data:`engine.jit.digest.LAYERS`), or the package beside the engine."""
        return self.module.removeprefix("engine.").split(".")[0]

    @property
    def module(self) -> str:
        return str(self.dispatcher.py_func.__module__)

    @property
    def name(self) -> str:
        """Its full name, unique among all kernels."""
        return f"{self.module}.{self.dispatcher.py_func.__qualname__}"

    def fetch(self) -> bool:
        """Read its code from the cache; False if it must be compiled."""
        return self.cache is not None and self.cache.fetch(self.signature)

    def is_ready(self) -> bool:
        return bool(self.dispatcher.signatures) or self.is_postponed()

    def is_postponed(self) -> bool:
        """Whether it is loaded or compiled on its first call."""
        return private.is_postponed(self.dispatcher)

    def prepare(self) -> None:
        """Load or compile it now, or on its first call if it is deferred."""
        if self.deferred:
            private.load_when_called(self.dispatcher, self.signature)
        else:
            self.dispatcher.compile(self.signature)


KERNELS: list[Kernel] = []  # every kernel of the modules imported so far, in the order of definition
FUNCTIONS: Counter[str] = Counter()  # the number of functions in each layer of those modules, inlined ones included


def not_ready(layer: str) -> list[Kernel]:
    """The kernels that cannot be called yet, except those of the layers above ``layer``."""
    above = LAYERS[LAYERS.index(layer) + 1 :]
    return [kernel for kernel in KERNELS if kernel.layer not in above and not kernel.is_ready()]


def compiled(function: Callable[..., Any], **options: Any) -> tuple[Any, KernelCache | None]:
    """The dispatcher of ``function`` under numba's further ``options``, and the cache of its code."""
    layer = layer_of_source(function.__code__.co_filename)
    if layer is not None:
        FUNCTIONS[layer] += 1
        private.tagged(function, f"{settings_digest()}{source_digest(layer)}")
    dispatcher = njit(pipeline_class=private.Compiler, **_OPTIONS | options)(function)
    cache = cache_of(function)
    if cache is not None:
        private.attach(dispatcher, cache)
    return dispatcher, cache


def on_demand(function: _Function, fastmath: bool | set[str] = False) -> _Function:
    """Compile ``function`` at its first call, and keep the code between starts."""
    return function if INTERPRETED else cast(_Function, compiled(function, fastmath=fastmath)[0])


def inlined(function: _Function) -> _Function:
    """Compile a function into its compiled callers. For calls from Python, as in tests, it is compiled again."""
    if INTERPRETED:
        return function
    dispatcher, _ = compiled(function, **private.INNER)
    private.redirect_python_calls(dispatcher, lambda: njit(pipeline_class=private.Compiler, **_OPTIONS)(function))
    return cast(_Function, dispatcher)


def kernel(signature: Any, deferred: bool = False) -> Callable[[_Function], _Function]:
    """Compile an entry point under its one ``signature``, at the warm-up or at its first call. Compiled callers call it
    by its symbol and contain no copy of it. If no game calls it, it is ``deferred``, no start waits for it."""

    def decorate(function: _Function) -> _Function:
        if INTERPRETED:
            return _wrapping(function)
        dispatcher, cache = compiled(function)
        private.call_by_symbol(dispatcher, signature)
        KERNELS.append(Kernel(dispatcher, signature, cache, deferred))
        return cast(_Function, dispatcher)

    return decorate


def record_type(dtype: np.dtype[Any]) -> Any:
    """The numba type of a record of ``dtype``, for signatures."""
    return from_dtype(dtype)
