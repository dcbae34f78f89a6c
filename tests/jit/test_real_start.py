"""The engine itself on a damaged cache."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.board.perft import count_leaves
from engine.jit import INTERPRETED
from engine.jit.cache import STORE
from engine.jit.decorators import KERNELS
from engine.jit.digest import LAYERS
from tests.uci.process import COLD_TIMEOUT, UciProcess


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled, so nothing is kept")
def test_a_flipped_bit_costs_one_layer_once(tmp_path: Path) -> None:
    """The layer of the search is whole and is loaded; that of the rules is compiled again."""
    with UciProcess() as process:  # fills the cache
        process.synchronise(COLD_TIMEOUT)
    (kernel,) = _copy_of_the_cache(tmp_path / "cache")
    content = bytearray(kernel.read_bytes())
    content[-1000] ^= 16
    kernel.write_bytes(content)
    damaged, mended = (_start(tmp_path / "cache") for _ in range(2))
    assert len([line for line in damaged if line.startswith("info string damaged compiled code")]) == 1
    assert "info string compiling perft" in damaged
    assert "info string compiling the search" not in damaged
    assert mended == []


def _copy_of_the_cache(folder: Path) -> list[Path]:
    """Copy the code of the present sources; the files of perft's kernel."""
    found = STORE.read("board", *_perft())
    assert found is not None
    for layer in LAYERS:
        directory = STORE.directory(found.root.path, layer)
        if directory.exists():
            shutil.copytree(directory, STORE.directory(folder, layer))
    return list(folder.rglob(f"{count_leaves.__name__[:16]}-*.nbc"))


def _perft() -> tuple[str, str]:
    (kernel,) = (kernel for kernel in KERNELS if kernel.dispatcher is count_leaves)
    assert kernel.cache is not None
    return kernel.cache._address(kernel.signature)


def _start(cache: Path) -> list[str]:
    """What a start remarks; the rules are right."""
    with UciProcess(environment={"NUMBAT_CACHE_DIR": str(cache)}) as process:
        said = process.synchronise(COLD_TIMEOUT)
        lines = process.ask("position startpos", "go perft 4", until="Nodes searched")
        assert lines[-1].split()[-1] == "197281"
        process.quit()
    return [line for line in said if line.startswith("info string ")]
