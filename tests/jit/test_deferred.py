"""A deferred kernel is loaded on its first call, or with a kernel that calls it."""

import sys
from pathlib import Path

import pytest

from engine.jit import INTERPRETED
from tests.jit.conftest import Miniature

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

KERNELS = """
from numba import int64
from engine.board.low import step
from engine.jit import inlined, kernel

@kernel(int64(int64, int64), deferred=True)
def total(x, depth):
    return x if depth == 0 else step(x) + total(x + 1, depth - int64(1))

@inlined
def total_of_two(x):
    return total(x, int64(2))

@kernel(int64(int64))
def search(x):
    return total_of_two(x)

@kernel(int64(int64), deferred=True)
def twice(x):
    return 2 * step(x)
"""

#: Warms up twice, then calls a deferred kernel from Python, from new code, or not at all.
MAIN = """
import json, os, sys
from engine.board.deferred import search, total, total_of_two, twice
from engine.jit.cache import STORE
from engine.jit.decorators import KERNELS
from engine.jit.warmup import warm_up
reports = []
warm_up(reports.append)
warm_up(reports.append)
heavy = [name for name in ("scipy.linalg", "numba.np.arraymath", "filelock") if name in sys.modules]
loaded = [kernel.dispatcher.py_func.__name__ for kernel in KERNELS if kernel.dispatcher.signatures]
match os.environ["CALL"]:
    case "python":
        result = [twice(1), twice(2), total(1, 0)]
    case "compiled":
        import numba
        inner = numba.njit(lambda x: twice(x) + search(x) + total_of_two(x))
        result = [inner(1)]
    case _:
        result = [search(1)]
hits = {kernel.dispatcher.py_func.__name__: kernel.cache.hits for kernel in KERNELS}
told = {"reports": reports, "heavy": heavy, "loaded": loaded, "result": [int(value) for value in result], "hits": hits}
told["signatures"] = len(twice.signatures)
print(json.dumps(told))
"""


def _start(miniature: Miniature, call: str) -> dict:
    (miniature.package / "board" / "deferred.py").write_text(KERNELS)
    return miniature.run({"CALL": call}, MAIN)


def _file(miniature: Miniature, function: str) -> Path:
    (file,) = miniature.cache.rglob(f"{function}-*.nbc")
    return file


def test_deferred_kernels_load_on_call_or_with_callers(miniature: Miniature) -> None:
    """It is never compiled again, nor under another signature."""
    assert _start(miniature, "python")["result"] == [4, 6, 1]
    _start(miniature, "compiled")  # also compiles the code that reaches a kernel through an inlined function
    files = miniature.snapshot()
    for call, result, hits in (("search", [8], 0), ("python", [4, 6, 1], 1), ("compiled", [20], 1)):
        told = _start(miniature, call)
        assert (told["reports"], told["loaded"]) == ([], ["total", "search"])
        assert told["result"] == result
        assert told["hits"] == {"total": 1, "search": 1, "twice": hits}
        assert told["signatures"] == hits
        assert miniature.snapshot() == files


def test_a_warm_start_imports_no_compiler(miniature: Miniature) -> None:
    _start(miniature, "search")
    miniature.fresh = True  # others have all of that in memory
    assert _start(miniature, "search")["heavy"] == []


@pytest.mark.parametrize("damage", [lambda file: file.write_bytes(file.read_bytes()[:-1]), Path.unlink])
def test_a_damaged_callee_is_compiled_again(miniature: Miniature, damage) -> None:
    """The caller finds it by its symbol, although another process has compiled it."""
    _start(miniature, "search")
    caller = _file(miniature, "search").read_bytes()
    damage(_file(miniature, "total"))
    told = _start(miniature, "search")
    assert (told["result"], told["hits"]["total"], told["hits"]["search"]) == ([8], 0, 1)
    assert len(told["reports"]) <= 1  # of the damage: nothing was compiled ahead of the call
    told = _start(miniature, "search")
    assert (told["reports"], told["result"], told["hits"]["total"]) == ([], [8], 1)
    assert _file(miniature, "search").read_bytes() == caller


@pytest.mark.skipif(sys.platform != "linux", reason="looks for ELF files")
def test_helpers_have_no_machine_code_of_their_own(miniature: Miniature) -> None:
    _start(miniature, "search")
    assert b"\x7fELF" not in _file(miniature, "step").read_bytes()
    assert b"\x7fELF" in _file(miniature, "search").read_bytes()
