"""Compiled code on disks that fail: the function always comes up, and one line gives the reason if it took longer."""

import errno
import os
import pickle
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.jit import INTERPRETED, private
from engine.jit.store import KEPT_STATES, UNUSED_SECONDS
from tests.jit.stores import file_of, new_store, plant, start

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


def _rewrite(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda root: file_of(root).write_bytes(change(file_of(root).read_bytes())) and None


def _flip(place: float) -> Callable[[Path], None]:
    def flip(content: bytes) -> bytes:
        changed = bytearray(content)
        changed[int(place * (len(content) - 1))] ^= 1
        return bytes(changed)

    return _rewrite(flip)


def _put_a_file(above: int) -> Callable[[Path], None]:
    """Put a file in place of a folder above the file, of which 0 is its own."""

    def replace(root: Path) -> None:
        folder = file_of(root).parents[above]
        folder.rename(root.parent / "away")
        folder.touch()

    return replace


def _sealed(data: bytes) -> Callable[[Path], None]:
    """Save something else, with the right checksum."""

    return lambda root: plant(root, data)


class Trap:
    """Raises when it is unpickled."""

    def __reduce__(self) -> tuple:
        return divmod, (1, 0)


DAMAGE: dict[str, Callable[[Path], None]] = {
    "emptied": _rewrite(lambda content: b""),
    "one byte short": _rewrite(lambda content: content[:-1]),
    "one byte too long": _rewrite(lambda content: content + b"\0"),
    "bit in the header": _flip(0),
    "bit in the checksum": _flip(0.002),
    "bit in the code": _flip(0.5),
    "last bit": _flip(1),
    "sealed nonsense": _sealed(b"nonsense"),
    "sealed tuple of wrong length": _sealed(pickle.dumps((1, 2, 3))),
    "sealed trap": _sealed(pickle.dumps(Trap())),
    "file for the layer": _put_a_file(0),
    "file for the settings": _put_a_file(1),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_reported_in_one_line_and_repaired(root: Path, damage: Callable[[Path], None]) -> None:
    damage(root)
    result, hits, remarks = start(new_store(root))
    assert (result, hits, len(remarks)) == (42, 0, 1)
    assert remarks[0].startswith(f"cannot use some compiled code in {root} (")
    assert remarks[0].endswith("): compiling it again")
    assert start(new_store(root)) == (42, 1, [])
    assert not list(root.rglob("*.tmp"))


GONE: dict[str, Callable[[Path], None]] = {
    "file": lambda root: file_of(root).unlink(),
    "layer": lambda root: shutil.rmtree(file_of(root).parent),
    "everything": shutil.rmtree,
}


@pytest.mark.parametrize("remove", GONE.values(), ids=GONE.keys())
def test_missing_code_is_not_damage(root: Path, remove: Callable[[Path], None]) -> None:
    remove(root)
    assert start(new_store(root)) == (42, 0, [])
    assert start(new_store(root)) == (42, 1, [])


@pytest.mark.parametrize("change", [*GONE.values(), DAMAGE["file for the layer"], DAMAGE["file for the settings"]])
def test_code_is_kept_where_files_have_no_owners(tmp_path, change, monkeypatch):
    """As on Windows, which also reports a path below a file as missing."""
    real = os.open

    def windows(path: Any, *arguments: Any, **names: Any) -> int:
        try:
            return real(path, *arguments, **names)
        except NotADirectoryError as error:
            raise FileNotFoundError(errno.ENOENT, "Path not found") from error

    monkeypatch.delattr(os, "geteuid", raising=False)
    monkeypatch.setattr(os, "open", windows)
    root = tmp_path / "new" / "cache"
    assert new_store(root).prepare()
    assert [start(new_store(root)) for _ in range(2)] == [(42, 0, []), (42, 1, [])]
    change(root)
    assert start(new_store(root)) == (42, 0, [])
    assert start(new_store(root)) == (42, 1, [])


def test_file_of_another_kernel_is_refused(root: Path) -> None:
    store = new_store(root)
    store.write("low", "other.nbc", "other", b"something")
    (root / "jit-here" / "low-now" / "other.nbc").replace(_moved(root))
    assert "holds another function" in start(new_store(root))[2][0]


def _moved(root: Path) -> Path:
    return next(path for path in root.rglob("*.nbc") if path.name != "other.nbc")


def _cannot_keep(folder: Path, number: int) -> str:
    return (
        f"cannot keep compiled code in {folder} ({os.strerror(number)}): compiling for this run only "
        "(set NUMBAT_CACHE_DIR to use another folder)"
    )


def test_irreparable_damage_is_reported_in_one_line(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    file_of(root).write_bytes(b"")
    monkeypatch.setattr("engine.jit.store.os.replace", refuse)
    assert start(new_store(root)) == (42, 0, [_cannot_keep(root, errno.EROFS)])


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
@pytest.mark.parametrize("step", ["mkdir", "open", "replace"])
def test_unwritable_folder_is_reported_in_one_line(tmp_path, step, number, monkeypatch):
    full = tmp_path / "full"
    real = getattr(os, step)

    def fail(path: Any, *arguments: Any, **names: Any) -> Any:
        writes = step != "open" or (arguments and arguments[0] & os.O_CREAT)
        if full in (Path(path), *Path(path).parents) and writes:
            raise OSError(number, os.strerror(number), str(path))
        return real(path, *arguments, **names)

    monkeypatch.setattr(f"engine.jit.store.os.{step}", fail)
    store = new_store(full)
    assert start(store) == (42, 0, [_cannot_keep(full, number)])
    assert start(store) == (42, 0, [])
    assert not store.prepare()
    assert not list(full.rglob("*.*"))


def _touched(path: Path) -> Path:
    path.touch()
    return path


def _linked(path: Path, target: str) -> Path:
    path.symlink_to(target)
    return path


UNUSABLE: dict[str, Callable[[Path], Path]] = {
    "a file": _touched,
    "below a file": lambda path: _touched(path) / "cache",
    "relative": lambda path: Path("here"),
    "too long": lambda path: path / ("x" * 300),
    "a line break": lambda path: _touched(path) / "\nbestmove e2e4",
    "not text": lambda path: _touched(path) / "\udcff",
}

if sys.platform == "linux":
    UNUSABLE |= {
        "a device": lambda path: Path("/dev/null"),
        "no file system": lambda path: Path("/proc/numbat"),
        "a link to itself": lambda path: _linked(path, path.name),
        "a link to nowhere": lambda path: _linked(path, "nowhere"),
    }


@pytest.mark.parametrize("make", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_unusable_folder_is_reported_in_one_line(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    store = new_store(make(tmp_path / "there"))
    assert start(store)[:2] == (42, 0)
    again = new_store(store.folder)
    assert not again.prepare()
    (line,) = again.warnings()
    assert line.startswith("cannot keep compiled code in ")
    assert line.isprintable()
    assert start(again) == (42, 0, [])


def test_an_unreadable_file_is_replaced(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests may run as root, who can read anything."""
    unreadable = file_of(root)
    real = os.open

    def refuse(path: Any, *arguments: Any, **names: Any) -> int:
        if Path(path).name == unreadable.name:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(path, *arguments, **names)

    with monkeypatch.context() as patched:
        patched.setattr("engine.jit.store.os.open", refuse)
        line = f"cannot use some compiled code in {root} (Permission denied): compiling it again"
        assert start(new_store(root)) == (42, 0, [line])
    assert start(new_store(root)) == (42, 1, [])


def test_unpicklable_code_is_not_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(root)
    monkeypatch.setattr(private.serialize, "dumps", lambda thing: pickle.dumps(lambda: None))
    result, hits, remarks = start(new_store(root))
    assert (result, hits) == (42, 0)
    assert len(remarks) == 1
    assert "cannot be saved" in remarks[0]


def _aged(path: Path, seconds: float) -> Path:
    """A directory last used some seconds ago."""
    path.mkdir(parents=True)
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def test_tidy_drops_unused_code_only(tmp_path: Path) -> None:
    """Checkouts share the folder, and so may computers with different processors."""
    mine = tmp_path / "jit-here"
    low = [_aged(mine / f"low-{number:012x}", 1000 * number) for number in range(1, KEPT_STATES + 5)]
    high = [_aged(mine / f"high-{number:012x}", number) for number in (60, UNUSED_SECONDS + 60)]
    others = []
    for name in ("jit-00000000aa", "jit-00000000bb", "jit-somebody's"):
        _aged(tmp_path / name / "low-0123456789ab", UNUSED_SECONDS + 60)
        others.append(tmp_path / name)
        os.utime(others[-1], (time.time() - UNUSED_SECONDS - 60,) * 2)
    os.utime(others[0] / "low-0123456789ab")
    store = new_store(tmp_path)
    store.write("low", "a.nbc", "a", b"")
    os.utime(mine / "low-now", (0, 0))
    store.tidy()
    assert {path for path in mine.iterdir()} == {mine / "low-now", *low[: KEPT_STATES - 1], high[0]}
    assert set(tmp_path.iterdir()) == {mine, others[0], others[2]}


def test_start_marks_the_code_as_used(root: Path) -> None:
    """Or another checkout would drop it."""
    layer = file_of(root).parent
    os.utime(layer, (0, 0))
    assert start(new_store(root))[1] == 1
    assert layer.stat().st_mtime > time.time() - 60


@posix
def test_directories_and_files_are_the_users_alone(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        store = new_store(tmp_path / "new" / "cache")
        assert start(store)[0] == 42
    finally:
        os.umask(mask)
    for path in (store.folder, *store.folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o644), path
