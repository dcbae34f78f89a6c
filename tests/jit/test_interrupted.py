"""Ctrl-C while kernels are compiled: all of it ends, nothing is left half written, the next start goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.jit import INTERPRETED
from tests.jit.conftest import Miniature

pytestmark = [
    pytest.mark.skipif(INTERPRETED, reason="nothing is compiled"),
    pytest.mark.skipif(sys.platform == "win32", reason="signals are a Unix matter"),
]

#: Kernels of which the last takes ``SECONDS`` to compile, which are no part of its cache's name.
SLOW = """
import os, time
from numba import int64
from numba.extending import overload
from engine.board.low import step
from engine.jit import kernel

def pause(x):
    return x

@overload(pause)
def type_pause(x):
    end = time.monotonic() + float(os.environ["SECONDS"])
    while time.monotonic() < end:
        time.sleep(0.01)
    return lambda x: x

@kernel(int64(int64))
def first(x):
    return step(x) + 1

@kernel(int64(int64, int64))
def largest(x, depth):
    if depth == 0:
        return first(x)
    total = first(x)
    for number in range(3):
        total += largest(x + number, depth - int64(1))
    return total

@kernel(int64(int64))
def third(x):
    return first(x) + largest(x, int64(2))

@kernel(int64(int64))
def last(x):
    return pause(third(x))
"""

#: Warms up, in the main thread, or beside it as the subcommands and the UCI loop do.
MAIN = """
import json, os, sys, threading
from engine.board.slow import last
from engine.jit import parallel
from engine.jit.decorators import KERNELS
from engine.jit.warmup import warm_up
parallel._processors = lambda: int(os.environ["PROCESSORS"])
note = "import os; open(os.path.join(os.environ['PIDS'], str(os.getpid())), 'w').close(); "
parallel._PROGRAM = note + parallel._PROGRAM

def report(line):
    print(line, flush=True)

if os.environ["BESIDE"] == "yes":
    threading.Thread(target=warm_up, args=(report,), daemon=True).start()
    try:
        threading.Event().wait(60)
    except KeyboardInterrupt:
        os._exit(130)
try:
    warm_up(report)
except KeyboardInterrupt:
    raise SystemExit(130)
compiled = [kernel.dispatcher.py_func.__name__ for kernel in KERNELS if not kernel.cache.hits]
print(json.dumps({"result": int(last(1)), "compiled": compiled}))
"""

#: What ``last`` gives for 1 in plain Python.
RESULT = 63


def _begin(miniature: Miniature, processors: int, beside: bool, seconds: int) -> subprocess.Popen:
    (miniature.package / "board" / "slow.py").write_text(SLOW)
    (miniature.folder / "pids").mkdir(exist_ok=True)
    variables = {key: value for key, value in os.environ.items() if not key.startswith("NUMB")}
    variables |= {"NUMBAT_CACHE_DIR": str(miniature.cache), "PIDS": str(miniature.folder / "pids")}
    variables |= {"PROCESSORS": str(processors), "BESIDE": "yes" if beside else "no", "SECONDS": str(seconds)}
    return subprocess.Popen(
        [sys.executable, "-c", MAIN],
        cwd=miniature.folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        start_new_session=True,
    )


def _interrupt(miniature: Miniature, processors: int, beside: bool, when: str) -> str:
    """The output of a start after Ctrl-C behind the line ``when``. The terminal sends it to the whole group."""
    with _begin(miniature, processors, beside, seconds=300) as process:
        assert process.stdout is not None
        try:
            begun = when in map(str.strip, process.stdout)
            os.killpg(process.pid, signal.SIGINT)
            said, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (begun, process.returncode, errors) == (True, 130, "")
    return said


def _alive(folder: Path) -> list[int]:
    """The processes that were started to compile and still run."""
    found = []
    for path in folder.iterdir():
        try:
            os.kill(int(path.name), 0)
            found.append(int(path.name))
        except ProcessLookupError:
            pass
    return found


def _left_after(seconds: float, folder: Path) -> list[int]:
    """Those that still run then; at once when there are none."""
    end = time.monotonic() + seconds
    while _alive(folder) and time.monotonic() < end:
        time.sleep(0.05)
    return _alive(folder)


@pytest.mark.parametrize(
    ("processors", "beside"), [(1, False), (2, True)], ids=["one, in the main thread", "two, beside it"]
)
def test_ctrl_c_ends_all_and_the_next_start_goes_on(miniature: Miniature, processors: int, beside: bool) -> None:
    """The code compiled until then is loaded."""
    assert _interrupt(miniature, processors, beside, "compiling four") == ""
    pids = miniature.folder / "pids"
    assert len(list(pids.iterdir())) == (0 if processors == 1 else processors)
    assert _left_after(20, pids) == []
    assert list(miniature.cache.rglob("*.tmp")) == []
    with _begin(miniature, processors, beside=False, seconds=0) as process:
        said, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    told = json.loads(said.splitlines()[-1])
    assert told["result"] == RESULT
    assert told["compiled"][-1] == "last"
    assert not {"first", "largest"} & set(told["compiled"])


def test_processes_that_have_just_begun_end_too(miniature: Miniature) -> None:
    """They are not said to have failed: Ctrl-C does not reach them."""
    assert "failed" not in _interrupt(miniature, 2, True, "compiling two")
    assert _left_after(20, miniature.folder / "pids") == []


def test_unfinished_files_of_killed_processes_are_removed(miniature: Miniature) -> None:
    """Long after it, since another process may be writing now."""
    with _begin(miniature, 1, beside=False, seconds=0) as process:
        assert process.wait(120) == 0
    directory = next(path for path in miniature.cache.rglob("board-*") if path.is_dir())
    old = [directory / "old.tmp", directory.parent / "old.tmp"]
    new = [directory / "new.tmp", directory.parent / "new.tmp"]
    for path in old + new:
        path.write_bytes(b"half")
    for path in old:
        os.utime(path, (time.time() - 86_400,) * 2)
    for path in directory.glob("last-*"):
        path.unlink()
    with _begin(miniature, 1, beside=False, seconds=0) as process:
        assert process.wait(120) == 0
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in new)
