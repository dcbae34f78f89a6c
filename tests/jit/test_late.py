"""A start with a complete cache loads only the code that a first search needs."""

import json
import os

import pytest

from engine.jit import INTERPRETED
from tests.jit.conftest import Miniature
from tests.nursery import start

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

KERNELS = """
from numba import int64
from engine.board.low import step
from engine.jit import kernel

@kernel(int64(int64, int64), late=True)
def total(x, depth):
    return x if depth == 0 else step(x) + total(x + 1, depth - int64(1))

@kernel(int64(int64))
def search(x):
    return total(x, int64(2))
"""

#: Warms up twice, then calls the late kernel from Python, from new code, or not at all.
MAIN = """
import json, os, sys
from engine.board.late import search, total
from engine.jit import helper
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
        result = [total(1, 2), total(1, 0)]
    case "compiled":
        import numba
        inner = numba.njit(lambda x: total(x, numba.int64(2)) + search(x))
        result = [inner(1)]
    case _:
        result = [search(1)]
hits = {kernel.dispatcher.py_func.__name__: kernel.cache.hits for kernel in KERNELS}
told = {"reports": reports, "heavy": heavy, "loaded": loaded, "result": [int(value) for value in result], "hits": hits}
told["signatures"] = len(total.signatures)
print(json.dumps(told))
"""


def _start(miniature: Miniature, call: str, fresh: bool = False) -> dict:
    (miniature.package / "board" / "late.py").write_text(KERNELS)
    variables = {key: value for key, value in os.environ.items() if not key.startswith("NUMB")}
    variables |= {"NUMBAT_CACHE_DIR": str(miniature.cache), "CALL": call}
    process = start(None if fresh else miniature.nursery, miniature.folder, variables, MAIN)
    out, error = process.communicate(timeout=600)
    assert (process.returncode, error) == (0, "")
    return json.loads(out)


def test_a_late_kernel_is_loaded_on_its_first_call(miniature: Miniature) -> None:
    """From Python or from new code; it is never compiled again, nor under another signature."""
    assert _start(miniature, "search")["loaded"] == ["total", "search"]
    files = miniature.snapshot()
    for call, result, hits in (("search", [8], 0), ("python", [8, 1], 1), ("compiled", [16], 1)):
        told = _start(miniature, call)
        assert (told["reports"], told["loaded"]) == ([], ["search"])
        assert told["result"] == result
        assert told["hits"] == {"total": hits, "search": 1}
        assert told["signatures"] == hits
        assert miniature.snapshot() == files


def test_a_warm_start_leaves_out_what_only_a_compiler_needs(miniature: Miniature) -> None:
    _start(miniature, "search")
    assert _start(miniature, "search", fresh=True)["heavy"] == []


def test_damage_of_a_late_kernel_is_found_at_the_start(miniature: Miniature) -> None:
    _start(miniature, "search")
    (file,) = miniature.cache.rglob("total-*.nbc")
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    told = _start(miniature, "python")
    assert "has a wrong checksum" in told["reports"][0]
    assert told["reports"][-1] == "compiled"
    assert told["result"] == [8, 1]
