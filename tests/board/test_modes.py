"""The same rules uncompiled, with bounds checked, and with magics in place of PEXT.

numba reads its settings once, so each mode is a process of its own, which runs some of the tests beside this one.
"""

import os
from pathlib import Path

import pytest

from tests.run_python import run_python

QUICK = (
    "board/test_games.py::test_the_beginning_of_a_game",
    "board/test_perft.py::test_small_counts",
    "board/test_see.py::test_see_agrees_with_exchanges_counted_by_hand",
    "board/test_draws.py::test_insufficient_material_agrees_with_python_chess",
    "board/test_draws.py::test_twice_in_the_search_is_a_repetition",
    "board/test_draws.py::test_once_in_the_game_and_once_in_the_search_is_not_yet_one",
    "board/test_notation.py::test_castling_is_read_in_both_ways",
    "board/test_notation.py::test_the_illegal_move_is_named",
    "jit/test_intrinsics.py",
    "jit/test_memory.py",
    "jit/test_pointers.py",
    "jit/test_vectors.py",
)

THOROUGH = (
    *QUICK,
    "board/test_attacks.py::test_the_shared_table_holds_every_set_once",
    "board/test_make.py::test_long_walks_stay_sound_and_lead_back",
    "board/test_draws.py::test_repetitions_of_random_games_match_python_chess",
    "board/test_draws.py::test_a_long_game_forgets_the_old_and_knows_the_new",
    "board/test_perft.py::test_known_counts",
)


def _run(tests: tuple[str, ...], cache: Path, **settings: str) -> None:
    folder = Path(__file__).resolve().parents[1]
    done = run_python(
        *["-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"], *(folder / test for test in tests),
        cwd=folder.parent, env=os.environ | {"NUMBAT_CACHE_DIR": str(cache)} | settings,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


def test_the_rules_hold_without_compilation(tmp_path: Path) -> None:
    """So that a reader can step through the kernels in a debugger."""
    _run(QUICK, tmp_path, NUMBA_DISABLE_JIT="1")
    assert not list(tmp_path.rglob("*.nbc"))


@pytest.mark.slow
def test_compiled_for_any_processor_with_bounds_checked(tmp_path: Path) -> None:
    """No index leaves its array, and the magics serve where PEXT must not be used."""
    _run(THOROUGH, tmp_path, NUMBA_BOUNDSCHECK="1", NUMBA_CPU_NAME="generic")
    assert list(tmp_path.rglob("*.nbc"))
