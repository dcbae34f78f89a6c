"""Compiling in several processes that fill one cache."""

import pytest

from engine.jit import INTERPRETED
from tests.jit.conftest import Miniature

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

#: Kernels that call each other and themselves; the largest is in the middle.
MANY = """
from numba import int64
from engine.board.low import step
from engine.jit import kernel

@kernel(int64(int64))
def first(x):
    return step(x) + 1

@kernel(int64(int64))
def second(x):
    return int64(0) if x <= 0 else 2 + second(x - int64(1))

@kernel(int64(int64, int64))
def largest(x, depth):
    if depth == 0:
        return second(x)
    total = first(x) + second(x)
    for number in range(3):
        total += largest(x + number, depth - int64(1))
    return total

@kernel(int64(int64))
def last(x):
    return largest(x, int64(2))
"""

MAIN = """
import json, os
from engine.board.many import last
from engine.jit.decorators import KERNELS
from engine.jit.warmup import warm_up
reports = []
warm_up(reports.append)
compiled = [kernel.dispatcher.py_func.__name__ for kernel in KERNELS if not kernel.cache.hits]
reports = [line for line in reports if "%" not in line]
print(json.dumps({"result": int(last(1)), "compiled": compiled, "reports": reports}))
"""

REPORTS = ["compiling the engine, once (later starts are fast)", "compiled"]

#: What ``last`` gives for 1 in plain Python.
RESULT = 83


def _run(detaching: Miniature) -> dict:
    (detaching.package / "board" / "many.py").write_text(MANY)
    return detaching.run(program=MAIN)


def _failing(function: str) -> str:
    return f"\ndef {function}(*ignored):\n    raise SystemExit(7)\n"


@pytest.mark.parametrize(
    ("processors", "more"), [(1, _failing("compiling")), (2, ""), (8, ""), (2, _failing("compiling"))]
)
def test_others_compile_and_this_one_loads(detaching: Miniature, processors: int, more: str) -> None:
    """On one processor by a single process; it also does what others that fail leave undone."""
    detaching.change("parallel", f"{more}\n_processors = lambda: {processors}\n")
    assert _run(detaching) == {"result": RESULT, "compiled": [], "reports": REPORTS}


@pytest.mark.parametrize("change", [_failing("main"), "\nsettings_digest = lambda: 'other'\n"])
def test_a_start_whose_compiler_fails_compiles_itself(detaching: Miniature, change: str) -> None:
    detaching.change("detached", change)
    told = _run(detaching)
    assert told == {"result": RESULT, "compiled": ["first", "second", "largest", "last"], "reports": REPORTS}
