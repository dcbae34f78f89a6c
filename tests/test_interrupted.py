"""Ctrl-C while a command compiles: one line says so, and the exit code is 130."""

import os
import pkgutil
import re
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import chess
import pytest

import tuning
from engine.commandline import INTERRUPTED
from engine.jit import INTERPRETED
from tests.run_python import WARNINGS_AS_ERRORS, run_python

#: A warm-up that takes long.
SLOW = """
import time
import engine.jit.warmup
def warm_up(report, *rest, **named):
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
    "perft": ("uci_main", "perft", "3"),
    "suite in processes": ("uci_main", "suite", "s.epd", "--jobs", "2", "--json", "out.json"),
    "analyse": ("uci_main", "analyse", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
    "uci": ("uci_main",),
}

#: The commands of the workbench; the others are packages.
WORKBENCH = [module.name for module in pkgutil.iter_modules(tuning.__path__) if not module.ispkg]

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="signals are a Unix matter")


def _interrupted(words: tuple[str, ...], folder: Path, program: tuple[str, ...]) -> tuple[int, list[str]]:
    """Exit code, and what is said from the interrupt on, on either stream."""
    root = str(Path(__file__).resolve().parent.parent)
    (folder / "s.epd").write_text(f"{chess.Board().epd(bm=chess.Move.from_uci('e2e4'))}\n" * 2)
    with subprocess.Popen(
        [sys.executable, *program, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": root, "NUMBAT_CACHE_DIR": str(folder / "cache"), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            begun = any(re.match("(info string |numbat: )?compiling ", line) for line in process.stdout)
            os.killpg(process.pid, signal.SIGINT)
            said, _ = process.communicate(timeout=60)
            assert begun
            return process.returncode, [line for line in said.splitlines() if line]
        finally:
            process.kill()


@UNIX
@pytest.mark.parametrize("command", ["bench", "suite in processes", "analyse", "uci"])
def test_an_interrupt_prints_one_line(command: str, tmp_path: Path) -> None:
    code, said = _interrupted(COMMANDS[command], tmp_path, (*WARNINGS_AS_ERRORS, "-c", SLOW + RUN))
    assert code == INTERRUPTED, said
    assert len(said) == 1, said
    assert "interrupted" in said[0]


@pytest.mark.slow
@UNIX
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_an_interrupt_of_a_compilation_prints_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    code, said = _interrupted(words, tmp_path, ("-c", RUN))
    assert code == INTERRUPTED, said
    assert "interrupted" in said[-1]
    assert [line for line in said[:-1] if "compiling" not in line] == []
    assert list((tmp_path / "cache").rglob("*.tmp")) == []


#: Runs ``uci_main.py`` with an interrupt at one moment: the import of a module, the clean-up, the end of the process.
STRIKE = """
import atexit, os, runpy, signal, sys, time

def strike(*ignored, **others):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.5)  # an interrupt comes at the next instruction of the main thread

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == moment and not struck:
            struck.append(name)
            strike()

path, moment, *sys.argv[1:] = sys.argv[1:]
struck = []
match moment:
    case "end":
        atexit.register(strike)
    case "clean-up":
        import engine.commandline
        said = engine.commandline.interrupted
        def twice(*words):
            code = said(*words)
            strike()
            return code
        engine.commandline.interrupted = twice
        sys.meta_path.insert(0, Finder())
        moment = "engine.uci.jobs"
    case _:
        sys.meta_path.insert(0, Finder())
sys.argv[0] = path
runpy.run_path(path, run_name="__main__")
"""

#: Modules imported by each command, early and late.
IMPORTS = [
    ("engine.version", "bench"),
    ("engine.uci.loop", ""),
    ("engine.analysis.cli", "analyse"),
    ("numpy", "analyse"),
]


def _struck(moment: str, *words: str) -> tuple[int, list[str]]:
    """Exit code, and what is said on either stream, when the interrupt comes at ``moment``."""
    path = str(Path(__file__).resolve().parent.parent / "uci_main.py")
    process = run_python(
        "-c", STRIKE, path, moment, *words,
        env=os.environ | {"PYTHONPATH": str(Path(path).parent)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return process.returncode, [line for line in process.stdout.splitlines() if line]


@UNIX
@pytest.mark.parametrize(("module", "command"), IMPORTS)
def test_an_interrupt_during_imports_prints_one_line(module: str, command: str) -> None:
    words = (command, "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1") if command == "analyse" else (command,) * bool(command)
    assert _struck(module, *words) == (INTERRUPTED, ["numbat: interrupted"])


@UNIX
def test_second_interrupt_aborts_cleanup_silently() -> None:
    assert _struck("clean-up", "bench", "1") == (INTERRUPTED, ["numbat: interrupted"])


@UNIX
def test_interrupt_at_exit_is_silent() -> None:
    code, said = _struck("end", "version")
    assert code == INTERRUPTED
    assert [line for line in said if "nterrupt" in line or "Traceback" in line] == []


@pytest.mark.parametrize("name", WORKBENCH)
def test_an_interrupt_of_the_workbench_prints_one_line(name, monkeypatch, capsys):
    """Wherever in it the interrupt strikes."""
    if name == "train":
        pytest.importorskip("torch")
    command = import_module(f"tuning.{name}")

    def interrupt(*words: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("argparse.ArgumentParser.parse_known_args", interrupt)
    assert command.main([]) == INTERRUPTED
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "interrupted\n")
