"""The cache of compiled code: kept where it can be, and never stale."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from engine.jit import cache, codegen, digest
from tests.jit.conftest import LOW, Miniature
from tests.nursery import Nursery

FIRST = [
    "first start: compiling the engine, once (later starts take about half a second)",
    "compiling the miniature",
    "compiled",
]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the real package that the digests are taken of."""
    copy = tmp_path / "engine"
    shutil.copytree(digest.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(digest, "PACKAGE", copy)
    return copy


def _digests() -> list[str]:
    return [digest.source_digest.__wrapped__(layer) for layer in digest.LAYERS]


def test_an_edit_changes_the_digest_of_its_layer_and_of_those_above(package: Path) -> None:
    before = _digests()
    assert len(set(before)) == len(digest.LAYERS)
    for number, layer in enumerate(digest.LAYERS):
        sources = sorted((package / layer).rglob("*.py"))
        assert sources
        for path in sources:
            text = path.read_bytes()
            path.write_bytes(text + b"#")
            after = _digests()
            assert after[:number] == before[:number], path
            assert not set(after[number:]) & set(before), path
            path.write_bytes(text)
    assert _digests() == before


def test_a_new_or_a_renamed_file_changes_the_digest(package: Path) -> None:
    before = _digests()
    (package / "board" / "fresh.py").write_text("")
    fresh = _digests()
    assert fresh[0] == before[0]
    assert fresh[1] != before[1]
    (package / "board" / "fresh.py").rename(package / "board" / "other.py")
    assert _digests()[1] not in (fresh[1], before[1])


def test_the_workbench_stands_on_all_layers(package: Path) -> None:
    workbench = package.parent / digest.WORKBENCH
    workbench.mkdir()
    (workbench / "kernels.py").write_text("")
    engine, before = _digests(), digest.source_digest.__wrapped__(digest.WORKBENCH)
    (workbench / "kernels.py").write_text("#")
    edited = digest.source_digest.__wrapped__(digest.WORKBENCH)
    assert _digests() == engine
    (package / digest.LAYERS[0] / "fresh.py").write_text("")
    assert len({before, edited, digest.source_digest.__wrapped__(digest.WORKBENCH), *engine}) == len(engine) + 3


def test_layers_above_the_compiled_ones_and_data_do_not_matter(package: Path) -> None:
    before = _digests()
    for path in (package / "messages.py", package / "uci" / "parse.py", package / "board" / "magics.json"):
        path.write_bytes(path.read_bytes() + b" ")
    assert _digests() == before


@pytest.mark.parametrize(
    ("name", "value"), [("OPT", 1), ("BOUNDSCHECK", 1), ("CPU_NAME", "generic"), ("CPU_FEATURES", "+sse2")]
)
def test_settings_of_code_generation_matter(name: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest.settings_digest()
    monkeypatch.setattr(codegen.private.config, name, value)
    assert digest.settings_digest.__wrapped__() != before


@pytest.mark.parametrize("choice", [field.name for field in dataclasses.fields(codegen.Choices)])
def test_whatever_is_chosen_about_the_code_matters(choice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest.settings_digest()
    other = dataclasses.replace(codegen.CHOICES, **{choice: not getattr(codegen.CHOICES, choice)})
    monkeypatch.setattr(codegen, "CHOICES", other)
    assert digest.settings_digest.__wrapped__() != before


SLIDERS = """
from numba import int64
from engine.jit import HAVE_PEXT, kernel

@kernel(int64(int64), "the miniature")
def run(x):
    return 20 if HAVE_PEXT else 21
"""


@pytest.mark.skipif(not codegen.CHOICES.pext, reason="this processor has no fast PEXT")
def test_a_named_processor_never_gets_code_with_pext_nor_the_other_way_round(miniature: Miniature) -> None:
    """The name is that of the machine, so nothing else tells the two apart."""
    (miniature.package / "board" / "high.py").write_text(SLIDERS)
    named = {"NUMBA_CPU_NAME": llvm.get_host_cpu_name()}
    starts = [miniature.run(environment) for environment in ({}, named, {}, named)]
    assert [start["result"] for start in starts] == [20, 21, 20, 21]
    assert [start["hits"] for start in starts] == [0, 0, 1, 1]


PERFT = """
import chess, numpy as np
from engine.board.fen import set_fen
from engine.board.perft import perft
from engine.board.setup import new_position
position = new_position()
set_fen(position, chess.STARTING_FEN, False)
print(perft(position, 4, 1))
"""


@pytest.mark.slow
def test_the_rules_hold_under_the_name_of_the_machine(tmp_path: Path, repository: Path) -> None:
    named = {"NUMBA_CPU_NAME": llvm.get_host_cpu_name()}
    for environment in ({}, named, {}, named):
        done = subprocess.run(
            [sys.executable, "-c", PERFT],
            env=os.environ | {"NUMBAT_CACHE_DIR": str(tmp_path)} | environment,
            cwd=repository,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == ["197281"], environment


def test_the_layers_are_the_folders_of_the_package() -> None:
    for layer in digest.LAYERS:
        assert (digest.PACKAGE / layer / "__init__.py").is_file()


def test_a_second_start_loads_what_the_first_compiled(miniature: Miniature) -> None:
    first = miniature.run()
    assert first == {"result": 20, "hits": 0, "root": str(miniature.cache), "reports": FIRST}
    files = miniature.snapshot()
    second = miniature.run()
    assert second == {"result": 20, "hits": 1, "root": str(miniature.cache), "reports": []}
    assert miniature.snapshot() == files  # it wrote nothing: a read-only cache will do


def test_an_edit_below_is_never_served_stale(miniature: Miniature) -> None:
    """The edit is in another module than the kernel, of the same length and with the same time stamp."""
    assert miniature.run()["result"] == 20
    stamp = miniature.low.stat()
    miniature.low.write_text(LOW.replace("x + 1", "x + 4"))
    os.utime(miniature.low, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    edited = miniature.run()
    assert (edited["result"], edited["hits"], edited["reports"]) == (50, 0, FIRST)
    miniature.low.write_text(LOW)
    again = miniature.run()
    assert (again["result"], again["hits"], again["reports"]) == (20, 1, [])


def test_an_edit_above_keeps_what_is_below_and_a_setting_does_not(miniature: Miniature) -> None:
    miniature.run()
    (miniature.package / "search" / "__init__.py").write_text("# new\n")
    assert miniature.run()["hits"] == 1
    assert miniature.run({"NUMBA_OPT": "1"})["hits"] == 0


def test_what_few_need_is_compiled_when_it_is_asked_for(miniature: Miniature) -> None:
    assert miniature.run()["reports"] == FIRST
    wanted = {"ON_DEMAND": "1"}
    late = miniature.run(wanted)
    assert (late["result"], late["reports"]) == (200, ["compiling the rest", "compiled"])
    files = miniature.snapshot()
    again = miniature.run(wanted)
    assert (again["result"], again["reports"]) == (200, [])
    assert miniature.snapshot() == files
    assert miniature.run()["reports"] == []


def test_an_edit_of_it_leaves_the_start_as_it_was(miniature: Miniature) -> None:
    miniature.run({"ON_DEMAND": "1"})
    file = miniature.package / "syzygy" / "late.py"
    file.write_text(file.read_text().replace("100", "300"))
    assert miniature.run()["reports"] == []
    assert miniature.run({"ON_DEMAND": "1"})["result"] == 600


def test_the_package_holds_the_cache_if_nothing_else_is_said(miniature: Miniature) -> None:
    told = miniature.run({"NUMBAT_CACHE_DIR": ""})
    assert told["root"] == str(miniature.package / "__pycache__")


@pytest.mark.parametrize("name", cache.INSTALLED)
def test_where_pip_installs_nothing_is_added(tmp_path: Path, nursery: Nursery | None, name: str) -> None:
    """pip removes only what it has installed: a cache beside it would outlive the package."""
    (tmp_path / name).mkdir()
    miniature = Miniature(tmp_path / name, nursery)
    told = miniature.run({"NUMBAT_CACHE_DIR": ""} | miniature.homes())
    assert told["root"] == str(miniature.folder / "home" / "numbat")
    assert not (miniature.package / "__pycache__").exists()


def _block(path: Path) -> Path:
    """A file where a directory would have to be: nothing can be made there, not even by root."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    return path


def test_a_package_that_cannot_be_written_falls_back_to_the_users_cache(miniature: Miniature) -> None:
    _block(miniature.package / "__pycache__")
    home = miniature.folder / "home"
    environment = {"NUMBAT_CACHE_DIR": "", "XDG_CACHE_HOME": ""}
    environment |= dict.fromkeys(("HOME", "WIN_PD_OVERRIDE_LOCAL_APPDATA"), str(home))
    first = miniature.run(environment)
    assert first["result"] == 20
    assert home in Path(first["root"]).parents
    assert miniature.run(environment)["hits"] == 1


def test_a_relative_users_cache_is_not_used(miniature: Miniature) -> None:
    _block(miniature.package / "__pycache__")
    environment = {"NUMBAT_CACHE_DIR": "", "XDG_CACHE_HOME": "here", "WIN_PD_OVERRIDE_LOCAL_APPDATA": "here"}
    temporary = dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), str(miniature.folder / "temporary"))
    (miniature.folder / "temporary").mkdir()
    told = miniature.run(environment | temporary)
    assert told["result"] == 20
    assert miniature.folder / "temporary" in Path(told["root"]).parents


def test_without_a_home_the_temporary_directory_serves(miniature: Miniature) -> None:
    nowhere = str(_block(miniature.package / "__pycache__"))
    environment = dict.fromkeys(("NUMBAT_CACHE_DIR", "XDG_CACHE_HOME", "WIN_PD_OVERRIDE_LOCAL_APPDATA"), nowhere)
    told = miniature.run(environment | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(miniature.folder)))
    assert told["result"] == 20
    assert Path(told["root"]).parent == miniature.folder


def test_with_no_place_at_all_it_still_runs_and_says_so(miniature: Miniature) -> None:
    nowhere = str(_block(miniature.package / "__pycache__"))
    environment = dict.fromkeys(("NUMBAT_CACHE_DIR", "XDG_CACHE_HOME", "WIN_PD_OVERRIDE_LOCAL_APPDATA"), nowhere)
    told = miniature.run(environment | {"NO_TEMPORARY": "1"})
    assert (told["result"], told["root"]) == (20, "None")
    assert told["reports"] == [
        f"cannot save compiled code in {nowhere}: Not a directory",
        "no cache directory can be written (set NUMBAT_CACHE_DIR): compiling for this run only",
        "compiling the miniature",
    ]


def test_uncompiled_there_is_nothing_to_keep(miniature: Miniature) -> None:
    told = miniature.run({"NUMBA_DISABLE_JIT": "1"})
    assert (told["result"], told["reports"]) == (20, [])


def test_several_first_starts_at_once_all_come_up(miniature: Miniature) -> None:
    processes = [miniature.start() for _ in range(3)]
    told = [miniature.finish(process) for process in processes]
    assert [one["result"] for one in told] == [20] * 3
    assert sum(one["reports"][-1:] == ["compiled"] for one in told) == 1
    assert miniature.run()["hits"] == 1


def test_paths_stay_short_where_the_system_limits_them() -> None:
    """Windows has 260 characters for all of it."""

    def function(x: int) -> int:
        return x

    function.__name__ = "a_very_long_name" * 10
    name, _ = cache.KernelCache(function, "evaluation", cache.STORE)._address("int64(int64)")
    folder = max((str(cache.STORE.directory(Path(), layer)) for layer in digest.LAYERS), key=len)
    assert len(str(Path(folder) / name)) <= 75


def test_numbas_own_settings_of_its_cache_change_nothing(miniature: Miniature) -> None:
    """NUMBA_CACHE_LOCATOR_CLASSES would lead back to a cache that does not see edits in other modules."""
    elsewhere = miniature.folder / "numba"
    settings = {"NUMBA_CACHE_LOCATOR_CLASSES": "InTreeCacheLocator", "NUMBA_CACHE_DIR": str(elsewhere)}
    assert miniature.run(settings)["result"] == 20
    miniature.low.write_text(LOW.replace("x + 1", "x + 4"))
    assert miniature.run(settings)["result"] == 50
    assert miniature.run(settings)["hits"] == 1
    assert miniature.run({"NUMBA_CACHE_LOCATOR_CLASSES": "no.such.Class"})["hits"] == 1
    assert not elsewhere.exists()
    assert not list(miniature.package.rglob("*.nb?"))


def test_code_that_is_gone_is_compiled_again_and_this_is_said(miniature: Miniature) -> None:
    """Helpers are still there, so nothing but the kernel's absence tells."""
    miniature.run()
    (kernel,) = miniature.cache.rglob("run-*.nbc")
    kernel.unlink()
    said = [f"some compiled code is missing from {miniature.cache}: compiling it again", *FIRST[1:]]
    assert miniature.run()["reports"] == said
    assert miniature.run() == {"result": 20, "hits": 1, "root": str(miniature.cache), "reports": []}


def test_a_damaged_file_is_named_and_compiled_again(miniature: Miniature) -> None:
    miniature.run()
    (kernel,) = miniature.cache.rglob("run-*.nbc")
    content = bytearray(kernel.read_bytes())
    content[len(content) // 2] ^= 4
    kernel.write_bytes(content)
    told = miniature.run()
    what = f"damaged compiled code in {miniature.cache} (board: {kernel.name} has a wrong checksum)"
    assert (told["result"], told["reports"]) == (20, [f"{what}: compiling it again", *FIRST[1:]])
    assert miniature.run()["reports"] == []


def test_a_directory_for_a_lock_is_no_obstacle(miniature: Miniature) -> None:
    miniature.run()
    (lock,) = miniature.cache.rglob("compile.lock")
    shutil.rmtree(lock.parent)
    lock.mkdir(parents=True)
    (lock / "inside").touch()
    assert miniature.run()["reports"] == FIRST
    assert miniature.run()["reports"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
@pytest.mark.parametrize("limit", ["1000", "4000000"])
def test_where_files_find_no_room_it_still_runs_and_says_so(miniature: Miniature, limit: str) -> None:
    """The system refuses files of more than some bytes, wherever they are."""
    told = miniature.run({"FILE_LIMIT": limit, "NUMBAT_CACHE_DIR": ""} | miniature.homes())
    assert told["result"] == 20
    assert told["root"] == "None"
    said = [line for line in told["reports"] if "cannot save" in line]
    assert len(said) == len(set(said)) == 3
    assert all(line.endswith("File too large") for line in said)
    assert len([line for line in told["reports"] if "NUMBAT_CACHE_DIR" in line]) == 1
    assert not list(miniature.folder.rglob("*.nbc")) + list(miniature.folder.rglob("*.tmp"))


def test_two_copies_in_a_process_share_nothing(tmp_path: Path) -> None:
    """Cold and warm, with the same file names, function names and symbols, and with one cache for both."""
    for name, weight in (("first", 7), ("second", 9)):
        (tmp_path / name).mkdir()
        copy = Miniature(tmp_path / name)
        (copy.package / "board" / "high.py").write_text(WEIGHED)
        (copy.package / "weight.json").write_text(str(weight))
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", COPIES, str(tmp_path / "first"), str(tmp_path / "second")],
            env=os.environ | {"NUMBAT_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout.split()) == (0, ["70", "90", "700", "900"]), done.stderr


#: What a copy computes depends on data that no digest knows, as the engine's does on its weights.
WEIGHED = """
import json, pathlib
from numba import int64
from engine.jit import helper, kernel, shared_record, structure

WEIGHTS, weights = shared_record("weights", structure(("weight", "i8")))
WEIGHTS["weight"] = json.loads(pathlib.Path(__file__).with_name("..").joinpath("weight.json").read_text())

@helper
def weigh(x):
    return x * weights().weight

@kernel(int64(int64), "the miniature")
def run(x):
    return weigh(x)

@kernel(int64(int64), "the miniature")
def run_later(x):
    return 10 * weigh(x)
"""

COPIES = """
import sys
modules = []
for folder in sys.argv[1:]:
    for name in [name for name in sys.modules if name.split(".")[0] == "engine"]:
        del sys.modules[name]
    sys.path.insert(0, folder)
    from engine.board import high
    from engine.jit.warmup import warm_up
    high.run(10)  # the rest waits for the other copy
    modules.append((high, warm_up))
    sys.path.remove(folder)
for high, _ in modules:
    print(high.run(10))
for high, warm_up in modules:
    warm_up(lambda line: None)
    print(high.run_later(10))
"""
