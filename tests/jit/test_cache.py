"""The cache of compiled code: kept where it can be, and never stale."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engine.jit import cache
from tests.jit.conftest import LOW, Miniature

FIRST = [
    "first start: compiling the engine, once (later starts take a second or two)",
    "compiling the miniature",
    "compiled",
]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the real package that the digests are taken of."""
    copy = tmp_path / "engine"
    shutil.copytree(cache.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache, "PACKAGE", copy)
    return copy


def _digests() -> list[str]:
    return [cache.digest.__wrapped__(layer) for layer in cache.LAYERS]


def test_an_edit_changes_the_digest_of_its_layer_and_of_those_above(package: Path) -> None:
    before = _digests()
    assert len(set(before)) == len(cache.LAYERS)
    for number, layer in enumerate(cache.LAYERS):
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
    workbench = package.parent / cache.WORKBENCH
    workbench.mkdir()
    (workbench / "kernels.py").write_text("")
    engine, before = _digests(), cache.digest.__wrapped__(cache.WORKBENCH)
    (workbench / "kernels.py").write_text("#")
    edited = cache.digest.__wrapped__(cache.WORKBENCH)
    assert _digests() == engine
    (package / cache.LAYERS[0] / "fresh.py").write_text("")
    assert len({before, edited, cache.digest.__wrapped__(cache.WORKBENCH), *engine}) == len(engine) + 3


def test_layers_above_the_compiled_ones_and_data_do_not_matter(package: Path) -> None:
    before = _digests()
    for path in (package / "messages.py", package / "uci" / "parse.py", package / "board" / "magics.json"):
        path.write_bytes(path.read_bytes() + b" ")
    assert _digests() == before


@pytest.mark.parametrize(
    ("name", "value"), [("OPT", 1), ("BOUNDSCHECK", 1), ("CPU_NAME", "generic"), ("CPU_FEATURES", "+sse2")]
)
def test_settings_of_code_generation_matter(name: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _digests()
    monkeypatch.setattr(cache.config, name, value)
    assert not set(_digests()) & set(before)


def test_the_layers_are_the_folders_of_the_package() -> None:
    for layer in cache.LAYERS:
        assert (cache.PACKAGE / layer / "__init__.py").is_file()


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
def test_where_pip_installs_nothing_is_added(tmp_path: Path, name: str) -> None:
    """pip removes only what it has installed: a cache beside it would outlive the package."""
    (tmp_path / name).mkdir()
    miniature = Miniature(tmp_path / name)
    home = tmp_path / "home"
    told = miniature.run({"NUMBAT_CACHE_DIR": "", "XDG_CACHE_HOME": str(home), "LOCALAPPDATA": ""})
    assert told["root"] == str(home / "numbat")
    assert not (miniature.package / "__pycache__").exists()


def _block(path: Path) -> Path:
    """A file where a directory would have to be: nothing can be made there, not even by root."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    return path


def test_a_package_that_cannot_be_written_falls_back_to_the_users_cache(miniature: Miniature) -> None:
    _block(miniature.package / "__pycache__")
    home = miniature.folder / "home"
    environment = {"NUMBAT_CACHE_DIR": "", "XDG_CACHE_HOME": "", "LOCALAPPDATA": "", "HOME": str(home)}
    first = miniature.run(environment)
    assert (first["result"], first["root"]) == (20, str(home / ".cache" / "numbat"))
    assert miniature.run(environment)["hits"] == 1


def test_without_a_home_the_temporary_directory_serves(miniature: Miniature) -> None:
    nowhere = str(_block(miniature.package / "__pycache__"))
    environment = {"NUMBAT_CACHE_DIR": nowhere, "XDG_CACHE_HOME": nowhere, "TMPDIR": str(miniature.folder)}
    told = miniature.run(environment)
    assert told["result"] == 20
    assert Path(told["root"]).parent == miniature.folder


def test_with_no_place_at_all_it_still_runs_and_says_so(miniature: Miniature) -> None:
    nowhere = str(_block(miniature.package / "__pycache__"))
    environment = {"NUMBAT_CACHE_DIR": nowhere, "XDG_CACHE_HOME": nowhere, "NO_TEMPORARY": "1"}
    told = miniature.run(environment)
    assert (told["result"], told["root"]) == (20, "None")
    assert told["reports"] == [
        "no cache directory can be written (set NUMBAT_CACHE_DIR): compiling for this run only",
        "compiling the miniature",
    ]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no user numbers on this system")
def test_another_users_directory_among_the_temporary_ones_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "numbat-4711"
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(cache.os, "getuid", lambda: 4711)
    assert shared in list(cache._candidates())
    shared.mkdir()  # by us, who are not 4711
    assert shared not in list(cache._candidates())


def test_uncompiled_there_is_nothing_to_keep(miniature: Miniature) -> None:
    told = miniature.run({"NUMBA_DISABLE_JIT": "1"})
    assert (told["result"], told["reports"]) == (20, [])


def test_several_first_starts_at_once_all_come_up(miniature: Miniature) -> None:
    processes = [miniature.start() for _ in range(3)]
    told = [miniature.finish(process) for process in processes]
    assert [one["result"] for one in told] == [20] * 3
    assert sum(one["reports"][-1:] == ["compiled"] for one in told) == 1
    assert miniature.run()["hits"] == 1


def test_old_directories_are_dropped(tmp_path: Path) -> None:
    for number in range(cache.KEPT_DIRECTORIES + 5):
        old = tmp_path / f"jit-search-{number}"
        old.mkdir()
        os.utime(old, (number, number))
    for layer in cache.LAYERS:
        cache.directory_of(tmp_path, layer).mkdir()
    assert not cache.is_complete(tmp_path)
    cache.mark_complete(tmp_path)
    assert cache.is_complete(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left >= {cache.directory_of(tmp_path, layer).name for layer in cache.LAYERS}
    assert {f"jit-search-{number}" for number in range(5)} & left == set()
    assert len(left) == cache.KEPT_DIRECTORIES + len(cache.LAYERS)
