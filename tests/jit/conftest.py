"""A package in miniature: the real ``engine.jit`` below two modules that compile in no time."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import engine.configuration
import engine.folders
import engine.jit
import engine.messages
import engine.processes
from engine.jit import digest
from tests.forkserver import Child

LOW = """
from engine.jit import inlined

@inlined
def step(x):
    return x + 1
"""

HIGH = """
from numba import int64
from engine.board.low import step
from engine.jit import kernel

@kernel(int64(int64))
def run(x):
    return 10 * step(x)
"""

LATE = """
from numba import int64
from engine.board.low import step
from engine.jit import kernel

@kernel(int64(int64))
def run_late(x):
    return 100 * step(x)
"""

#: Warms up, calls the kernel, and prints what it saw.
MAIN = """
import json, os, sys
if "FILE_LIMIT" in os.environ:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(os.environ["FILE_LIMIT"]),) * 2)
from engine.jit.warmup import warm_up
from engine.board.high import run
reports = []

def report(line):
    if "%" not in line:  # how often depends on the machine
        reports.append(line)

warm_up(report, later=("engine.syzygy.late",) if "LATER" in os.environ else ())
result = run(1)
if "ON_DEMAND" in os.environ:
    from engine.syzygy.late import run_late
    warm_up(report, "syzygy")
    result = run_late(1)
hits = sum(run.stats.cache_hits.values()) if hasattr(run, "stats") else 0
print(json.dumps({"result": int(result), "hits": hits, "reports": reports}))
"""


class Miniature:
    """The package on disk, and processes that run it."""

    def __init__(self, folder: Path, detaches: bool = False) -> None:
        self.folder = folder
        self.fresh = False
        self.package = folder / "engine"
        self.cache = folder / "cache"
        self.low = self.package / "board" / "low.py"
        shutil.copytree(
            Path(engine.jit.__file__).parent, self.package / "jit", ignore=shutil.ignore_patterns("__pycache__")
        )
        for layer in digest.LAYERS[1:]:
            (self.package / layer).mkdir()
            (self.package / layer / "__init__.py").touch()
        (self.package / "__init__.py").touch()
        for module in (engine.configuration, engine.folders, engine.messages, engine.processes):
            shutil.copy(module.__file__, self.package)
        self.low.write_text(LOW)
        (self.package / "board" / "high.py").write_text(HIGH)
        (self.package / "syzygy" / "late.py").write_text(LATE)
        if not detaches:  # a process more takes a second
            self.change("detached", "\ndef begin(*ignored):\n    raise OSError\n")

    def change(self, module: str, lines: str) -> None:
        """Append ``lines`` to a ``module`` of the package's engine.jit."""
        with (self.package / "jit" / f"{module}.py").open("a") as file:
            file.write(lines)

    def start(self, environment: Mapping[str, str] | None = None, program: str = MAIN) -> Child:
        """One process on the package; its cache is ``self.cache`` if ``environment`` names no other."""
        variables = {key: value for key, value in os.environ.items() if not key.startswith("NUMB")}
        variables |= {"PYTHONPATH": str(self.folder), "NUMBAT_CACHE_DIR": str(self.cache)}
        variables |= {"PYTHONDONTWRITEBYTECODE": "1"} | dict(environment or {})
        return Child(self.folder, variables, program, self.fresh)

    @staticmethod
    def finish(process: Child) -> dict[str, Any]:
        """The process's output."""
        out, error = process.communicate(timeout=600)
        assert process.returncode == 0, error
        assert error == ""
        return json.loads(out)

    def run(self, environment: Mapping[str, str] | None = None, program: str = MAIN) -> dict[str, Any]:
        """Start a process and wait for its output."""
        return self.finish(self.start(environment, program))

    def snapshot(self) -> dict[Path, int]:
        """Every file of the cache with the time of its last change."""
        return {path: path.stat().st_mtime_ns for path in self.cache.rglob("*")}


@pytest.fixture
def miniature(tmp_path: Path) -> Miniature:
    """A fresh miniature with an empty cache."""
    return Miniature(tmp_path)


@pytest.fixture
def detaching(tmp_path: Path) -> Miniature:
    """One whose starts have a detached process compile; the others do it themselves."""
    return Miniature(tmp_path, detaches=True)
