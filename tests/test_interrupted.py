"""Ctrl-C while a command compiles: one line says so, and the exit code is 130."""

from __future__ import annotations

import os
import pkgutil
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import tuning
from engine.commandline import INTERRUPTED
from engine.jit import INTERPRETED
from tests.strict import STRICT

#: A warm-up that takes long.
SLOW = """
import time
import engine.jit.warmup
def warm_up(report, layer="search"):
    report("compiling the search")
    time.sleep(300)
engine.jit.warmup.warm_up = warm_up
"""

RUN = """
import runpy, sys
name, *sys.argv[1:] = sys.argv[1:]
runpy.run_module(name, run_name="__main__", alter_sys=True)
"""

COMMANDS = {
    "warmup": ("uci_main", "warmup"),
    "bench": ("uci_main", "bench", "3"),
    "analyse": ("uci_main", "analyse"),
    "play": ("uci_main", "play"),
    "datagen": ("tuning.datagen", "data", "--games", "2"),
    "arena": ("tuning.arena", "--new", "name=one", "--base", "name=two", "--games", "2"),
    "uci": ("uci_main",),
}

#: The commands of the workbench; the others are packages.
WORKBENCH = [module.name for module in pkgutil.iter_modules(tuning.__path__) if not module.ispkg]

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="signals are a Unix matter")


def _interrupted(words: tuple[str, ...], folder: Path, program: tuple[str, ...]) -> tuple[int, list[str]]:
    """Exit code, and what is said from the interrupt on, on either stream."""
    root = str(Path(__file__).resolve().parent.parent)
    with subprocess.Popen(
        [sys.executable, *program, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": root, "NUMBAT_CACHE_DIR": str(folder / "cache"), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            begun = any(line.removeprefix("info string ").startswith("compiling ") for line in process.stdout)
            os.killpg(process.pid, signal.SIGINT)
            said, _ = process.communicate(timeout=60)
            assert begun
            return process.returncode, [line for line in said.splitlines() if line]
        finally:
            process.kill()


@UNIX
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_one_line_says_so(words: tuple[str, ...], tmp_path: Path) -> None:
    code, said = _interrupted(words, tmp_path, (*STRICT, "-c", SLOW + RUN))
    assert code == INTERRUPTED, said
    assert len(said) == 1, said
    assert "interrupted" in said[0]


@pytest.mark.slow
@UNIX
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_one_line_says_so_where_it_really_compiles(words: tuple[str, ...], tmp_path: Path) -> None:
    code, said = _interrupted(words, tmp_path, ("-c", RUN))
    assert code == INTERRUPTED, said
    assert "interrupted" in said[-1]
    assert [line for line in said[:-1] if "compiling" not in line] == []
    assert list((tmp_path / "cache").rglob("*.tmp")) == []


@pytest.mark.parametrize("name", WORKBENCH)
def test_every_command_of_the_workbench_says_so(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever in it the interrupt strikes."""
    if name == "train":
        pytest.importorskip("torch")
    command = import_module(f"tuning.{name}")

    def interrupt(*words: object) -> None:
        raise KeyboardInterrupt

    for first in ("parser", "parse_arguments", "find_magic"):
        if hasattr(command, first):
            monkeypatch.setattr(command, first, interrupt)
    assert command.main() == INTERRUPTED
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "interrupted\n")
