"""Compiling in several processes that fill one cache."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.jit import INTERPRETED, parallel
from engine.jit.compiler import OTHER_SETTINGS
from engine.jit.digest import settings_digest
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


_FAILS = "\n_PROGRAM = 'raise SystemExit(7)'\n"


@pytest.mark.parametrize(("processors", "more"), [(1, _FAILS), (2, ""), (8, ""), (2, _FAILS)])
def test_others_compile_and_this_one_loads(detaching: Miniature, processors: int, more: str) -> None:
    """On one processor by a single process; it also does what others that fail leave undone."""
    detaching.change("parallel", f"{more}\n_processors = lambda: {processors}\n")
    assert _run(detaching) == {"result": RESULT, "compiled": [], "reports": REPORTS}


def test_a_start_whose_compiler_fails_compiles_itself(detaching: Miniature) -> None:
    detaching.change("detached", _FAILS)
    told = _run(detaching)
    assert told == {"result": RESULT, "compiled": ["first", "second", "largest", "last"], "reports": REPORTS}


def test_a_process_ends_with_its_input() -> None:
    """No orphan goes on compiling, however its parent ended."""
    path = json.dumps(sys.path)
    for settings, expected in ((settings_digest(), 0), ("others", OTHER_SETTINGS)):
        process = subprocess.Popen(
            [sys.executable, "-c", parallel._PROGRAM, path, settings, "engine.search.alphabeta"],
            stdin=subprocess.PIPE,
            text=True,
        )
        if expected == 0:
            process.stdin.write("compile engine.search.alphabeta.search\n")
            process.stdin.close()
        assert process.wait(timeout=120) == expected
        process.stdin.close()


def test_its_standard_input_stays_free_while_it_listens(tmp_path: Path) -> None:
    """On Windows a library that looks at standard input while it is loaded waits for any read of it to end."""
    module = tmp_path / "engine" / "jit" / "compiler.py"
    module.parent.mkdir(parents=True)
    for package in (module.parent, module.parent.parent):
        (package / "__init__.py").touch()
    module.write_text("import os\ndef main(settings, modules, lines):\n    print(os.read(0, 1), next(lines), end='')")
    with subprocess.Popen(
        [sys.executable, "-c", parallel._PROGRAM, json.dumps([str(tmp_path), *sys.path]), "settings"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            process.stdin.write("taken one\n")
            process.stdin.flush()
            assert process.stdout.readline() == "b'' taken one\n"
        finally:
            process.kill()
