"""A warm start, and several first ones."""

import os
import platform
from contextlib import ExitStack
from pathlib import Path

import pytest

import uci_main
from tests.run_python import run_python
from tests.uci.process import COLD_TIMEOUT, UciProcess


def play(process: UciProcess) -> str:
    """A first search; its node count and move."""
    lines = process.ask("position startpos moves e2e4", "go depth 6", until="bestmove")
    report = [line for line in lines if line.startswith("info depth 6 ")][-1].split()
    return f"{report[report.index('nodes') + 1]} {lines[-1]}"


def test_the_first_search_after_a_warm_start_fits_a_short_clock(running):
    assert running.process.poll() is None
    with UciProcess() as process:
        process.send("uci", "isready", "position startpos", "go wtime 100 btime 100")
        process.read("uciok")
        assert process.read("readyok") == ["readyok"]  # it compiled nothing
        lines = process.read("bestmove")
        assert [line for line in lines if " score " in line]
        process.quit()


@pytest.mark.slow
def test_eight_first_starts_at_once(tmp_path):
    environment = {"NUMBAT_CACHE_DIR": str(tmp_path)}
    with ExitStack() as stack:
        processes = [stack.enter_context(UciProcess(environment=environment)) for _ in range(8)]
        for process in processes:
            process.send("uci", "isready")
        for process in processes:
            process.read("readyok", 2 * COLD_TIMEOUT)
        assert len({play(process) for process in processes}) == 1
        for process in processes:
            process.quit()


#: Commands that together call everything that is compiled.
EVERYTHING = (
    "position startpos moves e2e4\nexplain f7f6\neval\ngo mate 2\nsetoption name EvalType value Classical\n"
    "go depth 6\nsetoption name SyzygyPath value {tables}\nposition fen 8/8/8/8/8/4k3/8/2Q1K3 w - - 0 1\ngo depth 6\n"
)


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="other processors have other levels")
def test_a_folder_filled_for_older_processors_is_complete(tmp_path: Path, tables_folder: Path) -> None:
    """As it comes with the folder for Windows and in container images: no command compiles anything."""
    level, games = "x86-64-v2", tmp_path / "g.pgn"
    games.write_text("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMB")}
    filled = run_python(
        *(uci_main.__file__, "warmup", "--all", "--into", tmp_path / "kernels", "--cpu", level), env=environment
    )
    assert filled.returncode == 0, filled.stderr
    code = sorted((tmp_path / "kernels").rglob("*.nbc"))
    assert len(code) > 100
    environment |= {"NUMBAT_CACHE_DIR": str(tmp_path / "kernels"), "NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}
    for words in (["uci"], ["perft", "3"], ["bench", "4"], ["analyse", "--depth", "4", str(games)]):
        told = run_python(uci_main.__file__, *words, env=environment, input=EVERYTHING.format(tables=tables_folder))
        assert (told.returncode, "compil" in told.stdout + told.stderr) == (0, False), told.stdout
        assert sorted((tmp_path / "kernels").rglob("*.nbc")) == code
