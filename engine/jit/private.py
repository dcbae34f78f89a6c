"""The only module that uses numba's private interfaces.

Other programs use numba too: what :class:`Compiler` changes in it holds only while it compiles a function, under
numba's compiler lock. ``tests/jit/test_private.py`` fails if a new version of numba changes these interfaces;
``pyproject.toml`` limits numba to the newest version that passes."""

import hashlib
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import llvmlite
import numba
from llvmlite import ir
from numba.core import (
    caching,
    cgutils,
    codegen,
    compiler,
    config,
    serialize,
    typed_passes,
    typeinfer,
    types,
    typing,
    untyped_passes,
    utils,
)
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.runtime import rtsys

INTERPRETED = bool(config.DISABLE_JIT)  # true when the kernels run as plain Python, for reading them in a debugger


def settings() -> tuple[Any, ...]:
    """The version of numba and LLVM, the processor, and the settings that change the code they generate."""
    return (
        numba.__version__,
        llvmlite.__version__,
        llvmlite.binding.get_process_triple(),
        config.CPU_NAME or llvmlite.binding.get_host_cpu_name(),
        codegen.get_host_cpu_features() if config.CPU_FEATURES is None else config.CPU_FEATURES,
        config.OPT,
        config.BOUNDSCHECK,
        config.LOOP_VECTORIZE,
        config.SLP_VECTORIZE,
        config.DEBUGINFO_DEFAULT,
    )


def names_another_processor() -> bool:
    """Whether the user has set the processor that numba compiles for."""
    return bool(config.CPU_NAME) or config.CPU_FEATURES is not None


class CacheBase(caching._Cache):
    """A cache as numba expects it. Subclasses add ``load_overload(signature, target_context)``, which returns a compile
    result or None, and ``save_overload(signature, result)``."""

    cache_path = None

    def enable(self) -> None:
        """Does nothing: it is always enabled."""

    def disable(self) -> None:
        """Does nothing: it cannot be disabled."""

    def flush(self) -> None:
        """Does nothing: new code replaces the old."""


def attach(dispatcher: Any, cache: CacheBase) -> None:
    """Make ``dispatcher`` use ``cache``, regardless of NUMBA_CACHE_DIR and NUMBA_CACHE_LOCATOR_CLASSES."""
    dispatcher._cache = cache


def pack(result: Any) -> bytes | None:
    """A compile result as bytes; None if numba cannot serialize it (it contains addresses of this process)."""
    if result.lifted or result.library.has_dynamic_globals:
        return None
    called = {function.name: _BY_SYMBOL.get(function.name) for function in result.library._final_module.functions}
    called = {symbol: place for symbol, place in called.items() if place and symbol != result.fndesc.llvm_func_name}
    packed: bytes = serialize.dumps((called, result._reduce()))
    return packed


def unpack(target_context: Any, data: bytes) -> Any:
    """The compile result that :func:`pack` turned into ``data``. Runs the code in it; may raise anything. numba's own
    loader would first import the whole compiler and scipy; compiled code needs only the runtime."""
    rtsys.initialize(target_context)
    called, result = pickle.loads(data)
    for module, name, signature in called.values():
        getattr(import_module(module), name).compile(signature)  # otherwise the linker ends the process
    _BY_SYMBOL.update(called)
    code = target_context.codegen()
    loader = SimpleNamespace(
        codegen=lambda: SimpleNamespace(unserialize_library=lambda state: _unserialized(code, state)),
        get_executable=target_context.get_executable,
        typing_context=target_context.typing_context,
    )
    rebuilt = compiler.CompileResult._rebuild(loader, *result)
    return rebuilt._replace(target_context=target_context)


_BY_SYMBOL: dict[str, tuple[str, str, Any]] = {}  # the functions called by symbol: module, name and signature


def call_by_symbol(dispatcher: Any, signature: Any) -> None:
    """Make callers of ``dispatcher`` call its code for ``signature`` by symbol: a copy would be optimized again."""
    function = dispatcher.py_func
    keys: list[object] = []
    function.__numbat_kernel__ = True

    def compile_by_signature(wanted: Any) -> Any:
        # Callers give only the argument types; the cache must not hold the code under both keys.
        return type(dispatcher).compile(dispatcher, signature if wanted == signature.args else wanted)

    def get_overload(arguments: Any) -> Any:
        if tuple(arguments) != signature.args:
            return type(dispatcher).get_overload(dispatcher, arguments)
        if not keys:
            keys.append(object())
            described = dispatcher.overloads[signature.args].fndesc
            dispatcher.targetctx.insert_user_function(keys[0], described)
            _BY_SYMBOL[described.llvm_func_name] = function.__module__, function.__qualname__, signature
        return keys[0]

    dispatcher.compile, dispatcher.get_overload = compile_by_signature, get_overload


class _InnerLibrary(codegen.JITCodeLibrary):
    """The code of a function that only compiled code calls; it becomes machine code only within its callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Complete the code; returns 0, because it has no address."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """The library itself: numba only calls its :meth:`set_env`."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Does nothing: no machine code reads it."""

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """The state for :func:`_unserialized`."""
        return self.name, _INNER, self._get_module_for_linking().as_bitcode()


_INNER = "inner"


def _unserialized(own: Any, state: tuple[str, str, Any]) -> Any:
    """The library whose ``serialize_using_object_code`` returned ``state``."""
    name, kind, data = state
    if kind != _INNER:
        return own.unserialize_library(state)
    library = _InnerLibrary(own, name)
    library._final_module = library._shared_module = llvmlite.binding.parse_bitcode(data)
    library._finalized = True
    return library


def pipeline() -> Any:
    """The stages of numba, without those for closures, literals, array expressions and ``with``: no kernel has any."""
    stages = PassManager("numbat")
    for stage in (
        untyped_passes.TranslateByteCode,
        untyped_passes.FixupArgs,
        untyped_passes.IRProcessing,
        untyped_passes.RewriteSemanticConstants,
        untyped_passes.DeadBranchPrune,
        untyped_passes.GenericRewrites,
        untyped_passes.ReconstructSSA,
        typed_passes.NopythonTypeInference,
        typed_passes.PreLowerStripPhis,
        typed_passes.InlineOverloads,
        typed_passes.IRLegalization,
        typed_passes.NativeLowering,
        typed_passes.NoPythonBackend,
    ):
        stages.add_pass(stage, stage.__name__)
    stages.finalize()
    return stages


class Compiler(compiler.Compiler):
    """numba's compiler, except for the linker symbols of functions with a tag (see :func:`tagged`)."""

    def compile_extra(self, func: Any) -> Any:
        """Compile ``func``; the caller holds numba's compiler lock."""
        with _adapted():
            return super().compile_extra(func)

    def define_pipelines(self) -> Any:
        """The stages. Also sets the symbols: by now the function has the number that makes them unique."""
        identity, flags = self.state.func_id, self.state.flags
        tag = getattr(identity.func, "__numbat_tag__", "")
        if tag:
            number = "" if hasattr(identity.func, "__numbat_kernel__") else identity.unique_id
            identity.unique_id = f"{number}{tag}"
        if flags.no_cpython_wrapper and flags.no_cfunc_wrapper:
            self.state.library = _InnerLibrary(self.state.targetctx.codegen(), identity.func_qualname)
        return [pipeline()]


_infer_return_type = typeinfer.TypeInferer.return_types_from_partial


def _declared_return_type(inferer: Any) -> Any:
    """The return type of a function that calls itself: for tagged functions, the declared one. numba would infer it
    from the rest of the function again for each such call, which is slow."""
    if hasattr(inferer.func_id.func, "__numbat_tag__"):
        for variable in inferer._get_return_vars():
            if inferer.typevars[variable.name].locked:
                return inferer.typevars[variable.name].getone()
    return _infer_return_type(inferer)


_infer_call = types.BaseFunction.get_call_type
_numeric_calls: dict[Any, Any] = {}


def _cached_call_type(function: Any, context: Any, arguments: Any, keywords: Any) -> Any:
    """The signature of a call of an operator or built-in function; numba would try all overloads for each ``+``."""
    if keywords or not all(isinstance(argument, types.Number | types.Boolean) for argument in arguments):
        return _infer_call(function, context, arguments, keywords)
    call = function, arguments
    if call not in _numeric_calls:
        _numeric_calls[call] = _infer_call(function, context, arguments, keywords)
    return _numeric_calls[call]


_cached_text = cache(types.Record.__repr__)  # numba formats the types of all arguments at every stage


@cache
def _mangling_args(record: Any) -> tuple[str, tuple[int]]:
    """What linker symbols say of a type of records: a digest of its text. numba takes a number that depends on which
    types the process has used before, so that code from several processes would not find each other."""
    return "Record", (int.from_bytes(hashlib.sha256(_cached_text(record).encode()).digest()[:6]),)


@contextmanager
def _adapted() -> Iterator[None]:
    """Have numba infer types faster, use the same symbols in all processes, and optimize, as caching requires."""
    level = type(config.OPT)(max(1, config.OPT))
    changes: list[tuple[Any, str, Any]] = [
        (typeinfer.TypeInferer, "return_types_from_partial", _declared_return_type),
        (types.BaseFunction, "get_call_type", _cached_call_type),
        (types.Record, "__repr__", _cached_text),
        (types.Record, "mangling_args", property(_mangling_args)),
        (config, "OPT", level),
    ]
    previous = [vars(place)[name] for place, name, _ in changes]
    try:
        for place, name, value in changes:
            setattr(place, name, value)
        yield
    finally:
        for (place, name, _), value in zip(changes, previous, strict=True):
            setattr(place, name, value)


def tagged(function: Any, tag: str) -> Any:
    """Make the linker symbols of ``function`` contain ``tag`` when :class:`Compiler` compiles it. numba builds symbols
    from module, function and a number that starts at 1 in each process. So two copies of a package loaded from caches
    into one process may share symbols, and one would run the other's code."""
    function.__numbat_tag__ = tag
    return function


def c_address(dispatcher: Any, signature: Any) -> int:
    """The address of the function of ``signature`` that follows the C calling convention. numba generates it for every
    function, as for a ``cfunc``; a separate ``cfunc`` would compile the function twice."""
    result = dispatcher.get_compile_result(signature)
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))


def c_type(context: Any, signature: Any) -> Any:
    """The LLVM type of the function at :func:`c_address`."""
    arguments = [context.get_value_type(argument) for argument in signature.args]
    return ir.FunctionType(context.get_value_type(signature.return_type), arguments)


def external_function(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """The declaration of the function ``name``, an LLVM intrinsic or a registered symbol."""
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)


def external_address(builder: Any, name: str) -> Any:
    """A pointer to the object registered as the symbol ``name``."""
    try:
        return builder.module.get_global(name)
    except KeyError:
        symbol = ir.GlobalVariable(builder.module, ir.IntType(8), name)
        symbol.linkage = "external"
        return symbol


def record_pointer_type(context: Any, record_type: Any) -> Any:
    """The LLVM type of a pointer to a record, as which records are passed."""
    return context.get_value_type(record_type)


def array_address(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """A pointer to the first element of ``array``, which is of numba's type ``kind``."""
    return context.make_array(kind)(context, builder, value=array).data


def stack_slots(builder: Any, kind: Any, count: int) -> Any:
    """Stack space for ``count`` values, allocated at the function's entry, as LLVM would otherwise not inline it."""
    return cgutils.alloca_once(builder, kind, size=count)


#: Options of functions that only compiled code calls: no wrappers for Python and C, which take longer to compile than
#: small functions.
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def redirect_python_calls(dispatcher: Any, other: Callable[[], Any]) -> None:
    """Redirect Python's calls of ``dispatcher``, with :data:`INNER`, to the one that ``other`` makes on first call."""
    once = cache(other)
    dispatcher._insert = lambda *ignored, **others: None  # its compiled code has no entry for Python
    dispatcher._compile_for_args = lambda *ignored, **others: once()  # numba calls what it gets


def load_when_called(dispatcher: Any, signature: Any) -> None:
    """Make ``dispatcher`` load its code for ``signature``, its only one, when Python or new code first calls it.

    (numba itself would look up the argument types in the cache.)"""
    waits = True

    def load() -> Any:
        nonlocal waits
        with global_compiler_lock:  # concurrent callers wait here
            if waits:
                waits = False
                dispatcher.compile(signature)
                for name in _ENTRIES:
                    del dispatcher.__dict__[name]
        return type(dispatcher)

    def compile_for_args(*arguments: Any, **keywords: Any) -> Any:
        return load()._compile_for_args(dispatcher, *arguments, **keywords)

    def get_call_template(args: Any, keywords: Any) -> Any:
        return load().get_call_template(dispatcher, args, keywords)

    dispatcher._compile_for_args, dispatcher.get_call_template = compile_for_args, get_call_template


_ENTRIES = ("_compile_for_args", "get_call_template")  # the dispatcher methods that :func:`load_when_called` overrides


def is_postponed(dispatcher: Any) -> bool:
    """Whether ``dispatcher`` still awaits its first call after :func:`load_when_called`."""
    return _ENTRIES[0] in dispatcher.__dict__


def postpone(dispatcher: Any, signature: Any, ready: Any) -> None:
    """Type callers of ``dispatcher`` by its ``signature``; its code is needed only when they are lowered. ``ready()``
    is then called and must compile or load it; it may have done so earlier."""

    def get_call_template(args: Any, keywords: Any) -> Any:
        if keywords or tuple(args) != signature.args or not ready.can_defer():
            return type(dispatcher).get_call_template(dispatcher, args, keywords)
        name = dispatcher.py_func.__name__
        template = typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=[signature])
        return template, utils.pysignature(dispatcher.py_func), args, keywords

    get_kernel = dispatcher.get_overload

    def get_overload(wanted: Any) -> Any:
        ready()
        return get_kernel(wanted)

    dispatcher.get_call_template, dispatcher.get_overload = get_call_template, get_overload
