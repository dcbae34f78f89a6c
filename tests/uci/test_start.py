"""The first start, later ones, and starts without a cache."""

import gc
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from engine.uci.session import _no_collection
from tests.uci.process import COLD_TIMEOUT, MAIN, UciProcess


def start(process: UciProcess) -> list[str]:
    """Bring the engine up; return what it remarked on the way."""
    process.ask("uci", until="uciok")
    said = process.synchronise(COLD_TIMEOUT)
    assert [line for line in said if not line.startswith("info string ")] == []
    return [line.removeprefix("info string ") for line in said]


def play(process: UciProcess) -> str:
    """A first search; its node count and move."""
    lines = process.ask("position startpos moves e2e4", "go depth 6", until="bestmove")
    report = [line for line in lines if line.startswith("info depth 6 ")][-1].split()
    return f"{report[report.index('nodes') + 1]} {lines[-1]}"


@pytest.mark.usefixtures("running")
def test_a_warm_start_compiles_nothing_and_plays():
    """A recursive kernel that numba cached wrongly would crash here, and only here."""
    with UciProcess() as process:
        assert start(process) == []
        play(process)
        process.quit()


def test_the_first_search_after_a_warm_start_fits_a_short_clock(running):
    assert running.process.poll() is None
    with UciProcess() as process:
        process.send("uci", "isready", "position startpos", "go wtime 100 btime 100")
        process.read("readyok")
        lines = process.read("bestmove")
        assert [line for line in lines if " score " in line]
        process.quit()


def test_the_garbage_collector_rests_only_while_the_engine_is_loaded():
    """A compiler leaves much behind, so it may not rest longer than that."""
    with _no_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    gc.unfreeze()


@pytest.mark.slow
def test_cold_caches_are_filled_and_stale_code_never_runs(tmp_path):
    """Remarks on the progress on a cold cache, silence on a warm one, and no stale code after an edit."""
    main = install(tmp_path / "install")
    environment = {"NUMBAT_CACHE_DIR": str(tmp_path / "cache")}
    with UciProcess(environment=environment, main=main) as process:
        stages = start(process)
        assert [stage for stage in stages if stage.startswith("compiling ")]
        assert len(set(stages)) == len(stages)
        cold = play(process)
        process.quit()
    with UciProcess(environment=environment, main=main) as process:
        assert start(process) == []
        assert play(process) == cold
        process.quit()
    edited = main.parent / "engine" / "search" / "alphabeta.py"
    edited.write_text(edited.read_text() + "\n# edited\n")
    with UciProcess(environment=environment, main=main) as process:
        assert [stage for stage in start(process) if stage.startswith("compiling ")]
        assert play(process) == cold
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


@pytest.mark.slow
def test_no_place_for_a_cache(tmp_path):
    """Every start compiles, says so once, and plays."""
    (tmp_path / "cache").write_text("in the way")
    with UciProcess(environment={"NUMBAT_CACHE_DIR": str(tmp_path / "cache")}) as process:
        assert len([remark for remark in start(process) if "NUMBAT_CACHE_DIR" in remark]) == 1
        play(process)
        process.quit()


def install(folder: Path) -> Path:
    """A copy of the engine; the path of its ``uci_main.py``."""
    shutil.copytree(MAIN.parent / "engine", folder / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(MAIN, folder)
    return folder / MAIN.name
