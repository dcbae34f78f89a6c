"""Kernels compiled by processes beside a start: a person's Ctrl-C ends them too, a GUI's kill does not."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.jit import INTERPRETED, parallel
from tests.forkserver import Child
from tests.jit.conftest import Miniature

pytestmark = [
    pytest.mark.skipif(INTERPRETED, reason="nothing is compiled"),
    pytest.mark.skipif(sys.platform == "win32", reason="signals are a Unix matter"),
]

#: Kernels of which the last takes ``SECONDS`` to compile, or until there is a file ``go``; both are no part of its
#: cache's name.
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
    while time.monotonic() < end and not os.path.exists(os.path.join(os.environ["PIDS"], "..", "go")):
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
import json, os, threading
from engine.board.slow import last
from engine.jit import detached
from engine.jit.decorators import KERNELS
from engine.jit.warmup import warm_up

def report(line):
    print(line, flush=True)

if os.environ["BESIDE"] == "yes":
    threading.Thread(target=warm_up, args=(report,), daemon=True).start()
    try:
        threading.Event().wait(60)
    except KeyboardInterrupt:
        detached.end()
        os._exit(130)
try:
    warm_up(report)
except KeyboardInterrupt:
    raise SystemExit(130)
compiled = [kernel.dispatcher.py_func.__name__ for kernel in KERNELS if not kernel.cache.hits]
print(json.dumps([int(last(1)), compiled]))
"""

#: What ``last`` gives for 1 in plain Python.
RESULT = 63

FIRST = "compiling the engine, once (later starts are fast)"
JOINED = "an earlier start is still compiling"


#: Has a process that compiles leave a file with its number.
NOTE = """
_{function} = {function}

def {function}(*arguments):
    open(os.path.join(os.environ['PIDS'], f'{module}-{{os.getpid()}}'), 'w').close()
    return _{function}(*arguments)

_processors = lambda: int(os.environ["PROCESSORS"])
"""


def _set_up(detaching: Miniature) -> Path:
    """The folder for the processes' files."""
    (detaching.package / "board" / "slow.py").write_text(SLOW)
    for module, function in (("parallel", "compiling"), ("detached", "main")):
        detaching.change(module, NOTE.format(module=module, function=function))
    pids = detaching.folder / "pids"
    pids.mkdir()
    return pids


def _begin(detaching: Miniature, processors: int, beside: bool, seconds: int) -> Child:
    variables = {"PIDS": str(detaching.folder / "pids"), "PROCESSORS": str(processors), "SECONDS": str(seconds)}
    return detaching.start(variables | {"BESIDE": "yes" if beside else "no"}, MAIN)


def _wait_until(condition: Callable[[], object], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def _end_by(number: signal.Signals, *processes: Child) -> tuple[str, str]:
    """Send the signal to their whole groups, as a terminal does; the output of the last."""
    for process in processes:
        os.killpg(process.pid, number)
    outputs = [process.communicate(timeout=60) for process in processes]
    return outputs[-1]


def _finish(process: Child, compiled: list[str] | None = None) -> list[str]:
    """Its reports, once it has called the kernel; what it compiled itself is ``compiled`` (None: any kernels)."""
    said, errors = process.communicate(timeout=120)
    *reports, last = said.splitlines()
    result, own = json.loads(last)
    assert (process.returncode, errors, result) == (0, "", RESULT)
    assert compiled in (None, own)
    return [line for line in reports if "%" not in line]


def _alive(pids: Path, kind: str = "*") -> list[int]:
    """The processes that were started to compile and still run."""
    found = []
    for path in pids.glob(f"{kind}-*"):
        number = int(path.name.rpartition("-")[2])
        with suppress(ProcessLookupError):
            os.kill(number, 0)
            found.append(number)
    return found


def _files(cache: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in cache.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("processors", "beside"), [(1, False), (2, True)], ids=["one, in the main thread", "two, beside it"]
)
def test_ctrl_c_ends_all_compilers_and_the_next_start_resumes(
    detaching: Miniature, processors: int, beside: bool
) -> None:
    """The code compiled until then is loaded."""
    pids = _set_up(detaching)
    process = _begin(detaching, processors, beside, seconds=300)
    _wait_until(lambda: list(detaching.cache.rglob("third-*")))
    said, errors = _end_by(signal.SIGINT, process)
    assert (process.returncode, errors, said.splitlines()[:1]) == (130, "", [FIRST])
    assert len(list(pids.iterdir())) == (1 if processors == 1 else 1 + processors)
    _wait_until(lambda: not _alive(pids))
    files = _files(detaching.cache)
    assert not [name for name in files if name.endswith(".tmp")]
    assert _finish(_begin(detaching, processors, beside=False, seconds=0), []) == [FIRST, "compiled"]
    assert files.items() - {("compile.lock", files.get("compile.lock"))} <= _files(detaching.cache).items()


def test_killed_starts_share_a_compiler_that_the_next_one_joins(detaching: Miniature) -> None:
    """It outlives their process groups, and leaves nothing behind."""
    pids = _set_up(detaching)
    starts = [_begin(detaching, 2, beside=False, seconds=300) for _ in range(2)]
    _wait_until(lambda: list(detaching.cache.rglob("third-*")))
    _end_by(signal.SIGKILL, *starts)
    joining = _begin(detaching, 2, beside=False, seconds=300)
    _wait_until(lambda: f"{JOINED}\n" in joining.output())
    (detaching.folder / "go").touch()
    assert _finish(joining, []) == [JOINED, "compiled"]
    assert len(list(pids.glob("parallel-*"))) == 2
    _wait_until(lambda: not _alive(pids))
    assert {Path(name).suffix for name in _files(detaching.cache)} <= {".nbc", ".lock"}
    assert _finish(_begin(detaching, 2, beside=False, seconds=300)) == []


def test_a_start_takes_over_from_a_compiler_that_dies(detaching: Miniature) -> None:
    pids = _set_up(detaching)
    process = _begin(detaching, 1, beside=False, seconds=2)
    _wait_until(lambda: list(detaching.cache.rglob("first-*")))
    for number in _alive(pids):
        os.kill(number, signal.SIGKILL)
    assert _finish(process) == [FIRST, "compiled"]


FAILING = "\ndef {}(*ignored):\n    raise SystemExit(7)\n"
KERNELS = ["first", "largest", "third", "last"]


@pytest.mark.parametrize(
    ("module", "change", "compiled"),
    [
        ("parallel", FAILING.format("compiling"), []),  # the detached process does it alone
        ("detached", FAILING.format("main"), KERNELS),
        ("detached", "\nsettings_digest = lambda: 'other'\n", KERNELS),
    ],
)
def test_work_of_failed_compiler_processes_is_done_here(
    detaching: Miniature, module: str, change: str, compiled: list[str]
) -> None:
    _set_up(detaching)
    detaching.change(module, change)
    assert _finish(_begin(detaching, 2, beside=False, seconds=0), compiled) == [FIRST, "compiled"]


def test_kernel_that_no_process_delivers_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the sources are edited while several processes compile: each saves under a digest of its own."""
    monkeypatch.setattr(parallel, "_MAX_WAIT_SECONDS", 0.1)
    compiled: list[str] = []
    dispatcher = SimpleNamespace(signatures=[], compile=compiled.append)
    kernel: Any = SimpleNamespace(name="other", signature="()", fetch=lambda: False, dispatcher=dispatcher)
    given: Any = {"other"}
    parallel._PendingKernel(kernel, given)()
    assert compiled == ["()"]


def test_a_start_does_not_wait_for_a_stopped_compiler(detaching: Miniature) -> None:
    """It keeps what it compiles, so the next start waits for nothing, though the lock is still held."""
    pids = _set_up(detaching)
    detaching.change("warmup", "\n_PATIENCE_SECONDS = 2.0\n")
    process = _begin(detaching, 2, beside=False, seconds=300)
    _wait_until(lambda: list(detaching.cache.rglob("third-*")))
    stopped = _alive(pids)
    try:
        for number in stopped:
            os.kill(number, signal.SIGSTOP)
        (detaching.folder / "go").touch()
        assert _finish(process) == [FIRST, "the compiler process is stuck: compiling here", "compiled"]
        assert _finish(_begin(detaching, 2, beside=False, seconds=0)) == []
    finally:
        for number in stopped:
            os.kill(number, signal.SIGKILL)


def test_unfinished_files_of_killed_processes_are_removed(detaching: Miniature) -> None:
    """Long after it, since another process may be writing now."""
    _set_up(detaching)
    _finish(_begin(detaching, 1, beside=False, seconds=0))
    directory = next(path for path in detaching.cache.rglob("board-*") if path.is_dir())
    old = [directory / "old.tmp", directory.parent / "old.tmp"]
    new = [directory / "new.tmp", directory.parent / "new.tmp"]
    for path in old + new:
        path.write_bytes(b"half")
    for path in old:
        os.utime(path, (time.time() - 86_400,) * 2)
    for path in directory.glob("last-*"):
        path.unlink()
    _finish(_begin(detaching, 1, beside=False, seconds=0))
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in new)
