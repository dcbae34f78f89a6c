"""Compiled code on disks that fail: whatever is damaged, the function is there, one line says why it took longer."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.jit import INTERPRETED, private
from engine.jit.store import KEPT_DIRECTORIES, Store
from tests.jit.stores import new_store, plant, start, unchosen_store

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled, so nothing is kept")

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has none of these")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the function."""
    root = tmp_path_factory.mktemp("filled") / "cache"
    assert start(new_store(root)) == (42, 0, [])
    return root


@pytest.fixture
def root(filled: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    copy = tmp_path / "cache"
    shutil.copytree(filled, copy)
    return copy


def _file(root: Path) -> Path:
    (path,) = root.rglob("*.nbc")
    return path


def _rewrite(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda root: _file(root).write_bytes(change(_file(root).read_bytes())) and None


def _flip(place: float) -> Callable[[Path], None]:
    def flip(content: bytes) -> bytes:
        changed = bytearray(content)
        changed[int(place * (len(content) - 1))] ^= 1
        return bytes(changed)

    return _rewrite(flip)


def _replace(make: Callable[[Path], Any], which: int = 0) -> Callable[[Path], None]:
    """Have something else in the place of the file (0), of its folder (1), or of the folder above (2)."""

    def replace(root: Path) -> None:
        place = [_file(root), *_file(root).parents][which]
        place.rename(root.parent / "away")
        make(place)

    return replace


def _sealed(data: bytes) -> Callable[[Path], None]:
    """Have something else in the file, with the right checksum."""

    return lambda root: plant(root, data)


class Trap:
    """Raises when it is unpickled."""

    def __reduce__(self) -> tuple:
        return divmod, (1, 0)


def _full_directory(place: Path) -> None:
    place.mkdir()
    (place / "inside").touch()


DAMAGE: dict[str, Callable[[Path], None]] = {
    "emptied": _rewrite(lambda content: b""),
    "one byte left": _rewrite(lambda content: content[:1]),
    "only the header": _rewrite(lambda content: content[:48]),
    "cut in half": _rewrite(lambda content: content[: len(content) // 2]),
    "one byte short": _rewrite(lambda content: content[:-1]),
    "one byte too long": _rewrite(lambda content: content + b"\0"),
    "twice": _rewrite(lambda content: 2 * content),
    "zeros": _rewrite(lambda content: bytes(len(content))),
    "numba's own format": _rewrite(lambda content: pickle.dumps("0.68.1") + pickle.dumps(("stamp", {}))),
    "text": _rewrite(lambda content: b"<html>503</html>"),
    "bit in the header": _flip(0),
    "bit in the checksum": _flip(0.002),
    "bit in the code": _flip(0.5),
    "last bit": _flip(1),
    "directory": _replace(Path.mkdir),
    "full directory": _replace(_full_directory),
    "sealed nonsense": _sealed(b"nonsense"),
    "sealed nothing": _sealed(b""),
    "sealed tuple of wrong length": _sealed(pickle.dumps((1, 2, 3))),
    "sealed number": _sealed(pickle.dumps(7)),
    "sealed trap": _sealed(pickle.dumps(Trap())),
    "sealed class that is gone": _sealed(b"cengine.jit.nowhere\nGone\n."),
    "file for the layer": _replace(Path.touch, 1),
    "file for the settings": _replace(Path.touch, 2),
}

if hasattr(os, "mkfifo"):
    DAMAGE |= {
        "FIFO": _replace(os.mkfifo),
        "link to nowhere": _replace(lambda place: place.symlink_to("nowhere")),
        "link to itself": _replace(lambda place: place.symlink_to(place)),
        "endless file": _replace(lambda place: place.symlink_to("/dev/zero")),
        "layer linked to itself": _replace(lambda place: place.symlink_to(place), 1),
    }


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_said_in_one_line_and_mended(root: Path, damage: Callable[[Path], None]) -> None:
    damage(root)
    result, hits, remarks = start(new_store(root))
    assert (result, hits, len(remarks)) == (42, 0, 1)
    assert remarks[0].startswith(f"damaged compiled code in {root} (low: ")
    assert remarks[0].endswith(": compiling it again")
    assert "\n" not in remarks[0]
    assert start(new_store(root)) == (42, 1, [])
    assert not list(root.rglob("*.tmp"))


GONE: dict[str, Callable[[Path], None]] = {
    "file": lambda root: _file(root).unlink(),
    "layer": lambda root: shutil.rmtree(_file(root).parent),
    "everything": shutil.rmtree,
}


@pytest.mark.parametrize("remove", GONE.values(), ids=GONE.keys())
def test_what_is_gone_is_no_damage(root: Path, remove: Callable[[Path], None]) -> None:
    remove(root)
    assert start(new_store(root)) == (42, 0, [])
    assert start(new_store(root)) == (42, 1, [])


@pytest.mark.parametrize("change", [*GONE.values(), DAMAGE["file for the layer"], DAMAGE["file for the settings"]])
def test_where_files_have_no_owners_code_is_kept_as_well(
    tmp_path: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, which also says of what would lie below a file that it is missing."""
    former = os.stat

    def windows(path: Any, *arguments: Any, **names: Any) -> Any:
        try:
            return former(path, *arguments, **names)
        except NotADirectoryError as error:
            raise FileNotFoundError(errno.ENOENT, "Path not found") from error

    monkeypatch.delattr(os, "geteuid", raising=False)
    monkeypatch.setattr(os, "stat", windows)
    root = tmp_path / "new" / "cache"
    assert new_store(root).prepare() == root / "jit-here"
    assert [start(new_store(root)) for _ in range(2)] == [(42, 0, []), (42, 1, [])]
    change(root)
    result, hits, remarks = start(new_store(root))
    assert (result, hits, len(remarks)) == (42, 0, 0 if change in GONE.values() else 1)
    assert start(new_store(root)) == (42, 1, [])


def test_a_file_in_the_place_of_another_is_noticed(root: Path) -> None:
    store = new_store(root)
    store.write("low", "other.nbc", "other", b"something")
    (root / "jit-here" / "low-now" / "other.nbc").replace(_moved(root))
    assert "is another function" in start(new_store(root))[2][0]


def _moved(root: Path) -> Path:
    return next(path for path in root.rglob("*.nbc") if path.name != "other.nbc")


def test_damage_that_comes_back_ends_the_use_of_the_directory(root: Path, tmp_path: Path) -> None:
    store = new_store(root, tmp_path / "next")
    for _ in range(2):
        _file(root).write_bytes(b"")
        result, hits, remarks = start(store)
        assert (result, hits, len(remarks)) == (42, 0, 1)
    assert remarks[0].endswith("for the second time: not using this directory")
    assert start(store)[:2] == (42, 1)
    assert store.used == tmp_path / "next"


def test_damage_that_cannot_be_removed_ends_it_too(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    _file(root).write_bytes(b"")
    store = new_store(root, tmp_path / "next")
    with monkeypatch.context() as patched:
        patched.setattr("engine.jit.store.os.rename", refuse)
        result, hits, remarks = start(store)
    assert (result, hits) == (42, 0)
    assert remarks[0].endswith("cannot be removed (Permission denied): not using this directory")
    assert start(store) == (42, 1, [])
    assert store.used == tmp_path / "next"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO, errno.EFBIG])
@pytest.mark.parametrize("step", ["mkdir", "open", "replace"])
def test_a_directory_that_cannot_be_written_is_left_for_the_next(
    tmp_path: Path, step: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, room = tmp_path / "full", tmp_path / "room"
    former = getattr(os, step)

    def fail(path: Any, *arguments: Any, **names: Any) -> Any:
        writes = step != "open" or (arguments and arguments[0] & os.O_CREAT)
        if full in (Path(path), *Path(path).parents) and writes:
            raise OSError(number, os.strerror(number), str(path))
        return former(path, *arguments, **names)

    monkeypatch.setattr(f"engine.jit.store.os.{step}", fail)
    store = new_store(full, room)
    result, hits, remarks = start(store)
    assert (result, hits, remarks) == (42, 0, [f"cannot save compiled code in {full}: {os.strerror(number)}"])
    assert store.used == room
    assert start(store) == (42, 1, [])
    assert not list(full.rglob("*.*"))
    nowhere = new_store(full)
    assert start(nowhere)[:2] == (42, 0)
    assert nowhere.used is None


def test_a_directory_that_is_too_small_leads_to_what_the_next_one_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the second start as at the first, though the user has chosen the small one."""
    full, room = tmp_path / "full", tmp_path / "room"
    monkeypatch.setattr(Store, "_try_out", _unless(full, Store._try_out))
    for hits in (0, 1):
        store = new_store(full, room)
        assert store.read("low", "a.nbc", "a") is None
        assert store.prepare() == room / "jit-here"
        assert start(store) == (42, hits, [f"cannot save compiled code in {full}: No space left on device"])


def test_what_was_saved_before_the_room_ran_out_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = new_store(tmp_path / "first", tmp_path / "second")
    store.write("low", "a.nbc", "a", b"one")
    with monkeypatch.context() as patched:
        patched.setattr(Store, "_save", _unless(tmp_path / "first", Store._save))
        store.write("low", "b.nbc", "b", b"two")
    found = [store.read("low", f"{key}.nbc", key) for key in "ab"]
    assert [place.data for place in found if place] == [b"one", b"two"]
    assert [place.root.path.name for place in found if place] == ["first", "second"]


def _unless(folder: Path, save: Any) -> Any:
    def limited(self: Store, root: Any, *arguments: Any) -> None:
        if root.path == folder:
            raise OSError(errno.ENOSPC, "No space left on device")
        save(self, root, *arguments)

    return limited


def test_an_unreadable_directory_is_passed_over(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that root filled under umask 077; root itself may read anything, so the system's answer is played."""
    former = os.open

    def refuse(path: Any, *arguments: Any, **names: Any) -> int:
        if root in Path(path).parents:
            raise PermissionError(errno.EACCES, "Permission denied")
        return former(path, *arguments, **names)

    monkeypatch.setattr("engine.jit.store.os.open", refuse)
    store = unchosen_store(root, tmp_path / "mine")
    assert start(store) == (42, 0, [f"cannot read the compiled code in {root} (Permission denied)"])
    assert store.used == tmp_path / "mine"
    assert start(store) == (42, 1, [])


def test_a_read_only_cache_is_used_where_it_stands(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Store, "_save", refuse)
    monkeypatch.setattr("engine.jit.store.os.mkdir", refuse)
    assert start(new_store(root)) == (42, 1, [])


def test_code_that_cannot_be_pickled_is_not_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(root)
    monkeypatch.setattr(private.serialize, "dumps", lambda thing: pickle.dumps(lambda: None))
    result, hits, remarks = start(new_store(root))
    assert (result, hits) == (42, 0)
    assert len(remarks) == 1
    assert "cannot be saved" in remarks[0]


def test_only_former_sources_of_the_same_settings_are_dropped(tmp_path: Path) -> None:
    """So a home directory may serve any number of kinds of processors."""
    for number in range(30):
        new_store(tmp_path, settings=f"{number:010x}").write("low", "a.nbc", "a", b"")
    mine = tmp_path / "jit-here"
    for number in range(KEPT_DIRECTORIES + 5):
        old = mine / f"low-{number:012x}"
        old.mkdir(parents=True)
        os.utime(old, (number, number))
    former = [tmp_path / f"jit-board-{digit * 20}" for digit in "ab"]
    for path in former:
        path.mkdir()
    os.utime(former[0], (0, 0))
    (tmp_path / "jit-gone-0123abcd").mkdir()
    (tmp_path / "somebody's").mkdir()
    store = new_store(tmp_path)
    store.write("low", "a.nbc", "a", b"")
    store.tidy()
    left = {path.name for path in mine.iterdir()}
    assert left == {f"low-{number:012x}" for number in range(5, KEPT_DIRECTORIES + 5)} | {"low-now"}
    others = {f"jit-{number:010x}" for number in range(30)}
    assert {path.name for path in tmp_path.iterdir()} == others | {"jit-here", former[1].name, "somebody's"}


@posix
def test_directories_and_files_are_the_users_alone(tmp_path: Path) -> None:
    former = os.umask(0)
    try:
        store = new_store(tmp_path / "new" / "cache")
        assert start(store)[0] == 42
    finally:
        os.umask(former)
    for path in (tmp_path / "new", *(tmp_path / "new").rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o644), path
