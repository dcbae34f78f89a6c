"""What engine/jit/private.py takes from numba's inside is still there, and still does what it did."""

import itertools
import operator
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from llvmlite import ir
from numba import boolean, from_dtype, int64, njit, types, uint64
from numba.core import compiler
from numba.core.registry import cpu_target

from engine.jit import INTERPRETED, clock_ticks, inlined, private

compiled_only = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

SIGNATURE = int64(int64)


@compiled_only
def test_symbols_carry_their_tag() -> None:
    @njit(int64(int64), pipeline_class=private.Compiler)
    @partial(private.tagged, tag="c0ffee")
    def factorial(x):
        return x * factorial(x - 1) if x > 1 else 1

    result = factorial.get_compile_result(int64(int64))
    assert "c0ffee" in result.fndesc.llvm_func_name, "numba numbers its functions otherwise: see Compiler"
    assert factorial(5) == 120, "a function with a tag does not find itself any more: see Compiler"


@compiled_only
@pytest.mark.parametrize("operation", [operator.add, operator.and_, operator.lt, operator.floordiv])
def test_operators_have_the_types_that_numba_gives_them(operation: Any) -> None:
    """A literal is a type of its own, and so is a boolean."""
    context = cpu_target.typing_context
    function = context.resolve_value_type(operation)
    kinds = (int64, uint64, boolean, types.literal(3))
    for arguments in itertools.product(kinds, repeat=2):
        expected = function.get_call_type(context, arguments, {})
        for _ in range(2):
            assert private._cached_call_type(function, context, arguments, {}) == expected, "see _cached_call_type()"


@compiled_only
def test_record_types_have_distinct_names() -> None:
    texts = {private._cached_text(from_dtype(np.dtype([("x", kind)]))) for kind in ("i8", "u1", "i8")}
    assert len(texts) == 2


def test_pipeline_omits_only_known_stages() -> None:
    """A new version may have a stage that kernels need."""
    flags = compiler.Flags()
    flags.enable_ssa = True
    state = SimpleNamespace(func_ir=None, flags=flags)
    usual = {stage.name() for stage, _ in compiler.DefaultPassBuilder.define_nopython_pipeline(state).passes}
    own = {stage.name() for stage, _ in private.pipeline().passes}
    left_out = {"Rewrite dynamic raises", "with_lifting", "annotate_types", "dump_parfor_diagnostics"}
    left_out |= {"LiteralPropagation", "find_literally", "literal_unroll"}
    left_out |= {"inline_closure_likes", "inline_inlinables", "make_function_op_code_to_jit_function"}
    left_out |= {"nopython_rewrites", "nopython_supported_feature_validation"}
    assert (own - usual, usual - own) == (set(), left_out), "numba compiles in other stages: see pipeline()"


@compiled_only
def test_stack_slots_are_in_the_entry_block() -> None:
    @njit
    def last_tick(rounds):
        tick = 0
        for _ in range(rounds):
            tick = clock_ticks()
        return tick

    last_tick(1)
    module = ir.Module()
    builder = ir.IRBuilder(ir.Function(module, ir.FunctionType(ir.VoidType(), []), "f").append_basic_block("entry"))
    loop = builder.append_basic_block("loop")
    builder.branch(loop)
    builder.position_at_end(loop)
    private.stack_slots(builder, ir.IntType(64), 2)
    entry = str(builder.function.entry_basic_block)
    assert "alloca" in entry, "numba takes room on the stack where it stands: see stack_slots()"
    assert "alloca" not in str(loop)


@compiled_only
def test_python_can_call_helpers() -> None:
    """An inlined function has no entry for Python, whether it was compiled for a caller before or not."""

    @inlined
    def twice(x):
        return 2 * x

    @njit
    def caller(x):
        return twice(x) + 1

    assert twice(3) == 6
    assert caller(3) == 7
    assert (twice(4), twice(1.5), twice(x=5)) == (8, 3.0, 10)
    assert "_ZN7cpython" not in twice.inspect_llvm(caller.signatures[0])
    assert "_ZN7cpython" in caller.inspect_llvm(caller.signatures[0])


#: Parts of numba's own tests: functions that call themselves, records and dispatchers, as the engine uses them.
SMOKE = ("usecases", "recursion", "record_dtype.TestRecordDtype", "dispatcher.TestDispatcher")

BESIDE_THE_ENGINE = """
import sys, unittest
import chess
from engine import Engine, Limits
with Engine(hash=1) as engine:
    engine.search(chess.Board(), Limits(nodes=500))
unittest.main(module=None, argv=["numba", *(f"numba.tests.test_{part}" for part in sys.argv[1:])])
"""


@compiled_only
@pytest.mark.slow
def test_numba_passes_its_own_tests_beside_the_engine(repository: Path) -> None:
    pytest.importorskip("numba.tests")
    words = [sys.executable, "-c", BESIDE_THE_ENGINE, *SMOKE]
    done = subprocess.run(words, cwd=repository, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
