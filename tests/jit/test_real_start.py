"""The engine itself on a damaged cache."""

import shutil
from pathlib import Path

import pytest

from engine.board.perft import count_leaves
from engine.jit import INTERPRETED
from engine.jit.cache import STORE
from engine.jit.digest import LAYERS
from tests.uci.process import COLD_TIMEOUT, UciProcess


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled, so nothing is kept")
def test_a_flipped_bit_costs_one_kernel_once(tmp_path: Path) -> None:
    with UciProcess() as process:  # fills the cache
        process.synchronise(COLD_TIMEOUT)
    folder = tmp_path / "cache"
    for layer in LAYERS:
        directory = STORE.directory(layer)
        if directory.exists():
            shutil.copytree(directory, folder / directory.relative_to(STORE.folder))
    kernels = list(folder.rglob(f"{count_leaves.__name__[:16]}-*.nbc"))  # a process with two copies has one for each
    for kernel in kernels:
        content = bytearray(kernel.read_bytes())
        content[-1000] ^= 16
        kernel.write_bytes(content)
    damaged, repaired = (_start(folder) for _ in range(2))
    faults = [f"({kernel.name} has a wrong checksum): compiling it again" for kernel in kernels]
    assert damaged[0].endswith(tuple(faults))
    assert len(damaged) == 1  # perft is spare: it waits for its call
    assert repaired == []


def _start(cache: Path) -> list[str]:
    """The remarks of a start that counts moves correctly."""
    with UciProcess(environment={"NUMBAT_CACHE_DIR": str(cache)}) as process:
        said = process.synchronise(COLD_TIMEOUT)
        lines = process.ask("position startpos", "go perft 4", until="Nodes searched")
        assert lines[-1].split()[-1] == "197281"
        process.quit()
    return [line for line in said if line.startswith("info string ")]
