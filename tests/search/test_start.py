"""Cold start, warm start and start without numba: three ways to the same moves.

The first start of a process on an empty cache compiles everything, so what needs one of its own is slow.
"""

import json
import os
from pathlib import Path
from typing import Any

import chess
import pytest

from tests.run_python import REPOSITORY, run_python
from tests.search.child import search
from tests.search.positions import random_board

DEPTH = 8
FENS = [chess.STARTING_FEN, *(random_board(seed, 40).fen() for seed in (11, 12))]


def child(command: str, depth: int, fens: list[str], **environment: str) -> dict[str, Any]:
    """The answer of a process started with ``environment``; a crash fails with what it wrote."""
    words = ("-m", "tests.search.child", command, depth, *fens)
    process = run_python(*words, env=os.environ | environment, cwd=REPOSITORY, timeout=900)
    assert process.returncode == 0, process.stderr
    answer = json.loads(process.stdout)
    assert isinstance(answer, dict)
    return answer


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def cold(cache: Path) -> dict[str, Any]:
    """The first start on an empty cache."""
    return child("lint", DEPTH, FENS, NUMBAT_CACHE_DIR=str(cache))


@pytest.mark.slow
def test_a_second_process_loads_compiled_code(cold: dict[str, Any], cache: Path) -> None:
    assert len(cold["messages"]) >= 3
    assert cold["faults"] == []
    before = {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb?")}
    assert before
    warm = child("search", DEPTH, FENS, NUMBAT_CACHE_DIR=str(cache))
    assert warm["messages"] == []
    assert warm["found"] == cold["found"]
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb?")} == before


def test_another_process_compiles_nothing_and_searches_alike() -> None:
    found = search(DEPTH, FENS)["found"]  # everything is compiled by now
    assert child("search", DEPTH, FENS) == {"messages": [], "found": found}


def test_uncompiled_the_search_finds_the_same() -> None:
    fens = [FENS[1], "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"]
    plain = child("search", 2, fens, NUMBA_DISABLE_JIT="1")
    assert ["NUMBA_DISABLE_JIT" in line for line in plain["messages"]] == [True]
    assert plain["found"] == search(2, fens)["found"]


@pytest.mark.slow
def test_no_kernel_reads_or_writes_beyond_its_arrays(cold: dict[str, Any], tmp_path: Path) -> None:
    checked = child("search", DEPTH, FENS, NUMBA_BOUNDSCHECK="1", NUMBAT_CACHE_DIR=str(tmp_path))
    assert checked["found"] == cold["found"]
