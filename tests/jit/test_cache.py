"""The cache of compiled code: kept where it can be, and never stale."""

import dataclasses
import os
import shutil
import sys
import time
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from engine.configuration import LEVELS, use_kernels
from engine.folders import cache_folder
from engine.jit import cache, codegen, digest
from tests.forkserver import Child
from tests.jit.conftest import HIGH, LOW, MAIN, Miniature

FIRST = ["compiling the engine, once (later starts are fast)", "compiled"]


limited = pytest.mark.skipif(sys.platform == "win32", reason="no limit for the size of files")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the real package that the digests are taken of."""
    copy = tmp_path / "engine"
    shutil.copytree(digest.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(digest, "PACKAGE", copy)
    return copy


def _digests() -> list[str]:
    return [digest.source_digest.__wrapped__(layer) for layer in digest.LAYERS]


def test_an_edit_changes_digests_from_its_layer_up(package: Path) -> None:
    before = _digests()
    assert len(set(before)) == len(digest.LAYERS)
    for number, layer in enumerate(digest.LAYERS):
        sources = sorted((package / layer).rglob("*.py"))
        for path in (sources[0], sources[-1]):
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


SETTINGS = [
    *((codegen.private.config, *setting) for setting in (
        ("OPT", 1), ("BOUNDSCHECK", 1), ("CPU_NAME", "generic"), ("CPU_FEATURES", "+sse2")
    )),
    *((codegen, "CHOICES", dataclasses.replace(codegen.CHOICES, **{name: not value}))
      for name, value in dataclasses.asdict(codegen.CHOICES).items()),
    (sys, "abiflags", "t"),  # a free-threaded Python lays out objects differently
]  # fmt: skip


@pytest.mark.parametrize(("place", "name", "value"), SETTINGS)
def test_settings_of_code_generation_change_the_digest(monkeypatch, place: object, name: str, value: object) -> None:
    before = digest.settings_digest()
    monkeypatch.setattr(place, name, value, raising=False)
    assert digest.settings_digest.__wrapped__() != before


#: Unoptimized, its code refers to the addresses of what it does not use.
CALLS = """
from numba import int64
from engine.board.low import step
from engine.jit import kernel

@kernel(int64(int64))
def inner(x):
    return step(x) if x > 0 else inner(x + 1)

@kernel(int64(int64))
def run(x):
    return inner(x) + step(x)
"""


SLIDERS = """
from numba import int64
from engine.jit import HAVE_PEXT, kernel

@kernel(int64(int64))
def run(x):
    return 20 if HAVE_PEXT else 21
"""


@pytest.mark.skipif(not codegen.CHOICES.pext, reason="this processor has no fast PEXT")
def test_pext_code_is_not_shared_with_a_named_processor(miniature: Miniature) -> None:
    """The name is that of the machine, so nothing else distinguishes the two."""
    (miniature.package / "board" / "high.py").write_text(SLIDERS)
    named = {"NUMBA_CPU_NAME": llvm.get_host_cpu_name()}
    starts = [miniature.run(environment) for environment in ({}, named, {})]
    assert [start["result"] for start in starts] == [20, 21, 20]
    assert [start["hits"] for start in starts] == [0, 0, 1]


def test_the_working_directory_does_not_configure_numba(miniature: Miniature) -> None:
    (miniature.folder / ".numba_config.yaml").write_text("disable_jit: 1")
    miniature.fresh = True  # others have loaded numba
    own = "from engine.configuration import ignore_config_files\nignore_config_files()\n" + MAIN
    assert miniature.run(program=own) == {"result": 20, "hits": 0, "reports": FIRST}


def test_code_for_a_level_of_processors_may_come_along(miniature: Miniature, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best that the processor has is loaded, unless the user's own settings say otherwise; nothing is compiled."""
    host = {name for name, exists in llvm.get_host_cpu_features().items() if exists}
    if not host >= LEVELS["x86-64-v3"]:
        pytest.skip("a processor of another kind")
    kernels, variables = miniature.folder / "kernels", ("NUMBAT_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
    for level in reversed(LEVELS):
        (kernels / level).mkdir(parents=True)
        for name in variables:
            monkeypatch.setenv(name, "")
            monkeypatch.delenv(name)
        use_kernels(str(kernels))
        assert [os.environ[name] for name in variables] == [str(kernels / level), level, ""]
    use_kernels(str(miniature.folder))
    assert os.environ["NUMBAT_CACHE_DIR"] == str(kernels / level)
    miniature.fresh = True  # others have loaded numba
    filled = {name: os.environ[name] for name in variables}
    assert miniature.run(filled)["reports"] == FIRST
    program = "from engine.configuration import use_kernels\nuse_kernels('kernels')\n" + MAIN
    assert miniature.run({"NUMBAT_CACHE_DIR": ""}, program) == {"result": 20, "hits": 1, "reports": []}


#: What a program sees of numba before and after it uses kernels, and a kernel of its own.
GUEST = """
import sys
import llvmlite.binding, numba, numpy
from numba.core import codegen, compiler, dispatcher, typeinfer, types

def state():
    places = [codegen.JITCPUCodegen, codegen.JITCodeLibrary, compiler.Compiler, compiler.CompilerBase]
    places += [dispatcher.Dispatcher, typeinfer.TypeInferer, types.Function, types.BaseFunction, types.Record]
    found = {(str(place), name): value for place in [*places, numba.config] for name, value in vars(place).items()}
    return found | {"callbacks": list(llvmlite.binding.ffi.lib._lock._cblist), "yaml": "yaml" in sys.modules}

before = state()
MAIN
after = state()
assert [name for name in before | after if before.get(name) != after.get(name)] == []

@numba.njit
def total(values, start=0):
    return start if len(values) == 0 else values[0] + total(values[1:], start)

assert total(numpy.array([1.5, 2])) == 3.5
"""


@pytest.mark.parametrize(
    ("settings", "kernels"), [({}, HIGH), ({"NUMBA_OPT": "0"}, CALLS)], ids=["plain", "unoptimized"]
)
def test_numba_is_left_as_it_was(miniature: Miniature, settings: dict[str, str], kernels: str) -> None:
    (miniature.package / "board" / "high.py").write_text(kernels)
    told = [miniature.run(settings, GUEST.replace("MAIN", MAIN)) for _ in range(2)]
    assert told[0]["result"] == told[1]["result"]
    assert [one["hits"] for one in told] == [0, 1]


def test_a_second_start_loads_compiled_code(miniature: Miniature) -> None:
    first = miniature.run()
    assert first == {"result": 20, "hits": 0, "reports": FIRST}
    files = miniature.snapshot()
    second = miniature.run()
    assert second == {"result": 20, "hits": 1, "reports": []}
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


def test_optional_code_is_compiled_on_demand(miniature: Miniature) -> None:
    assert miniature.run()["reports"] == FIRST
    wanted = {"ON_DEMAND": "1"}
    late = miniature.run(wanted)
    assert (late["result"], late["reports"]) == (200, ["compiling", "compiled"])
    files = miniature.snapshot()
    again = miniature.run(wanted)
    assert (again["result"], again["reports"]) == (200, [])
    assert miniature.snapshot() == files
    assert miniature.run()["reports"] == []


def _homes(folder: str | Path) -> dict[str, str]:
    """An environment without NUMBAT_CACHE_DIR in which the user's caches are in ``folder``."""
    names = ("XDG_CACHE_HOME", "WIN_PD_OVERRIDE_LOCAL_APPDATA", "HOME", "USERPROFILE")
    return {"NUMBAT_CACHE_DIR": "", **dict.fromkeys(names, str(folder))}


def test_the_users_cache_folder_is_the_default(miniature: Miniature) -> None:
    home = miniature.folder / "home"
    assert miniature.run(_homes(home))["reports"] == FIRST
    assert miniature.run(_homes(home))["hits"] == 1
    assert list((home / "numbat").rglob("run-*.nbc"))
    assert not list(miniature.package.rglob("*.nbc"))


def test_without_a_home_there_is_no_absolute_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Newer versions of platformdirs raise an error."""

    def refuse(*arguments: object, **names: object) -> None:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr("platformdirs.user_cache_path", refuse)
    assert not cache_folder().is_absolute()


#: Kernels that call each other by symbol, with a record.
RECORDS = """
from functools import partial
from numba import int64
from engine.jit import Record, kernel, new_record, record_type, structure
from engine.jit.decorators import on_demand

class Pair(Record):
    first: int
    second: int

PAIR = structure(Pair)

@kernel(int64(record_type(PAIR)))
def inner(pair):
    return pair.first + pair.second

@kernel(int64(record_type(PAIR)))
def outer(pair):
    return 10 * inner(pair)

@partial(on_demand, fastmath={"contract"})
def fast(pair):
    return inner(pair)

def run(x):
    pair = new_record(PAIR)
    pair["first"], pair["second"] = x, 1
    return outer(pair)
"""


#: numba numbers types in the order of their use.
OTHER_TYPES = """
import numba, numpy as np
for number in range(7):
    numba.from_dtype(np.dtype([(f"field{number}", "i8")]))
"""


#: numba gives a function some of the options of the caller for which it compiles it.
OTHER_OPTIONS = """
from engine.board.high import PAIR, fast
from engine.jit import new_record
fast(new_record(PAIR))
"""


@pytest.mark.parametrize("before", [OTHER_TYPES, OTHER_OPTIONS])
def test_kernels_of_different_processes_link(miniature: Miniature, before: str) -> None:
    (miniature.package / "board" / "high.py").write_text(RECORDS)
    assert miniature.run()["result"] == 20
    (inner,) = miniature.cache.rglob("inner-*.nbc")
    inner.unlink()
    for program in (before + MAIN, MAIN):
        assert miniature.run(program=program)["result"] == 20


def test_checkouts_share_the_folder(miniature: Miniature, tmp_path: Path) -> None:
    other = Miniature(tmp_path / "other")
    other.cache = miniature.cache
    assert [one.run()["hits"] for one in (miniature, other)] == [0, 1]


@limited
@pytest.mark.parametrize("limit", ["1000", "4000000"])
def test_file_size_limit_is_reported_in_one_line(miniature: Miniature, limit: str) -> None:
    told = miniature.run({"FILE_LIMIT": limit})
    assert told["result"] == 20
    (line,) = told["reports"]
    assert line.startswith(f"cannot keep compiled code in {miniature.cache} (")
    assert line.endswith("): compiling for this run only (set NUMBAT_CACHE_DIR to use another folder)")
    assert not [path for path in miniature.folder.rglob("*") if path.suffix in (".nbc", ".tmp")]


@limited
def test_code_is_loaded_where_nothing_can_be_saved(miniature: Miniature) -> None:
    miniature.run()
    full = {"FILE_LIMIT": "1000"}
    assert miniature.run(full) == {"result": 20, "hits": 1, "reports": []}
    late = miniature.run(full | {"ON_DEMAND": "1"})
    assert (late["result"], late["hits"]) == (200, 1)
    assert [line[:25] for line in late["reports"]] == ["cannot keep compiled code"]


def test_concurrent_first_starts_all_succeed(detaching: Miniature) -> None:
    processes = [detaching.start() for _ in range(3)]
    told = [detaching.finish(process) for process in processes]
    assert [one["result"] for one in told] == [20] * 3
    assert detaching.run()["hits"] == 1


def test_a_first_start_has_the_prober_compiled_later(detaching: Miniature) -> None:
    """So that no later start has to wait for it."""
    assert detaching.run({"LATER": "1"})["result"] == 20
    deadline = time.monotonic() + 60
    while not any("run_late" in path.name for path in detaching.cache.rglob("*")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert detaching.run({"ON_DEMAND": "1"})["reports"] == []


def test_cache_paths_are_short_enough_for_windows() -> None:
    """Windows has 260 characters for all of it."""

    def function(x: int) -> int:
        return x

    function.__name__ = "a_very_long_name" * 10
    name, _ = cache.KernelCache(function, "evaluation", cache.STORE).address("int64(int64)")
    folder = max(
        (str(cache.STORE.directory(layer).relative_to(cache.STORE.folder)) for layer in digest.LAYERS), key=len
    )
    assert len(str(Path(folder) / name)) <= 75


def test_cache_settings_of_numba_are_ignored(miniature: Miniature) -> None:
    """NUMBA_CACHE_LOCATOR_CLASSES would lead back to a cache that does not see edits in other modules."""
    elsewhere = miniature.folder / "numba"
    settings = {"NUMBA_CACHE_LOCATOR_CLASSES": "InTreeCacheLocator", "NUMBA_CACHE_DIR": str(elsewhere)}
    assert miniature.run(settings)["result"] == 20
    miniature.low.write_text(LOW.replace("x + 1", "x + 4"))
    assert miniature.run({"NUMBA_CACHE_LOCATOR_CLASSES": "no.such.Class"})["result"] == 50
    assert not elsewhere.exists()
    assert not list(miniature.package.rglob("*.nb?"))


def test_compiles_without_locks(miniature: Miniature) -> None:
    (miniature.package / "board" / "__init__.py").write_text(NO_LOCKS)
    assert miniature.run()["reports"] == ["compiled"]
    assert miniature.run()["reports"] == []


#: Imported by the miniature's main program before it warms up.
NO_LOCKS = """
import filelock

def refuse(*arguments, **names):
    raise OSError(37, "No locks available")

filelock.FileLock.acquire = refuse
"""


def test_two_copies_in_a_process_are_independent(tmp_path: Path) -> None:
    """Cold and warm, with the same file names, function names and symbols, and with one cache for both."""
    for name, weight in (("first", 7), ("second", 9)):
        (tmp_path / name).mkdir()
        copy = Miniature(tmp_path / name)
        (copy.package / "board" / "high.py").write_text(WEIGHED)
        (copy.package / "weight.json").write_text(str(weight))
    for _ in range(2):
        variables = os.environ | {"NUMBAT_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        process = Child(tmp_path, variables, COPIES)
        out, error = process.communicate()
        assert (process.returncode, out.split()) == (0, ["70", "90", "700", "900"]), error


#: The result of a copy depends on data that no digest covers, as the engine's does on its weights.
WEIGHED = """
import json, pathlib
from numba import int64
from engine.jit import Record, inlined, kernel, shared_record

class Weights(Record):
    weight: int

WEIGHTS, weights = shared_record("weights", Weights)
WEIGHTS["weight"] = json.loads(pathlib.Path(__file__).with_name("..").joinpath("weight.json").read_text())

@inlined
def weigh(x):
    return x * weights().weight

@kernel(int64(int64))
def run(x):
    return weigh(x)

@kernel(int64(int64))
def run_later(x):
    return 10 * weigh(x)
"""

COPIES = """
import os, sys
modules = []
for folder in ("first", "second"):
    for name in [name for name in sys.modules if name.split(".")[0] == "engine"]:
        del sys.modules[name]
    sys.path.insert(0, os.path.abspath(folder))
    from engine.board import high
    from engine.jit.warmup import warm_up
    high.run(10)  # the rest waits for the other copy
    modules.append((high, warm_up))
    sys.path.remove(os.path.abspath(folder))
for high, _ in modules:
    print(high.run(10))
for high, warm_up in modules:
    warm_up(lambda line: None)
    print(high.run_later(10))
"""
