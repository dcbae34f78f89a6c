"""Loading compiled code runs it, so code that another user could have written must not be loaded."""

import json
import os
import pickle
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.jit import INTERPRETED
from tests.forkserver import Child
from tests.jit.stores import file_of, new_store, plant, start
from tests.run_python import REPOSITORY

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no user numbers on this system"),
    pytest.mark.skipif(INTERPRETED, reason="nothing is compiled, so nothing is kept"),
]

as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")

#: Users that need not exist.
STRANGER, VISITOR = 4711, 4712


class Mark:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple:
        return os.mkdir, (str(self._path),)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A cache with planted code, which makes ``tmp_path / "ran"`` when it runs."""
    root = tmp_path / "above" / "cache"
    plant(root, pickle.dumps(Mark(tmp_path / "ran")))
    return root


def test_planted_code_runs_where_it_is_trusted(root: Path, tmp_path: Path) -> None:
    """So the other tests would notice."""
    start(new_store(root))
    assert (tmp_path / "ran").exists()


def _assert_refused(root: Path, ran: Path) -> None:
    result, hits, (line,) = start(new_store(root))
    assert (result, hits) == (42, 0)
    assert line.startswith("cannot keep")
    assert re.search(r"belongs to another user|others can write to", line)
    assert not ran.exists(), "planted code ran"


FOLDERS = pytest.mark.parametrize("folder", [lambda file: file.parent.parent, lambda file: file.parent])


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
@FOLDERS
def test_folders_writable_by_others_are_refused(
    root: Path, tmp_path: Path, folder: Callable[[Path], Path], mode: int
) -> None:
    folder(file_of(root)).chmod(mode)
    _assert_refused(root, tmp_path / "ran")


@as_root
@FOLDERS
def test_folders_of_others_are_refused(root: Path, tmp_path: Path, folder: Callable[[Path], Path]) -> None:
    os.chown(folder(file_of(root)), STRANGER, STRANGER)
    _assert_refused(root, tmp_path / "ran")


def _link(path: Path) -> None:
    path.symlink_to(path.rename(path.with_name("elsewhere")).name)


PLANTED: dict[str, Callable[[Path], object]] = {
    "writable by the group": lambda file: file.chmod(0o664),
    "writable by all": lambda file: file.chmod(0o646),
    "link": _link,
    "link to a folder": lambda file: _link(file.parent),
    "pipe": lambda file: (file.unlink(), os.mkfifo(file)),
}

if hasattr(os, "geteuid") and os.geteuid() == 0:
    PLANTED["of another user"] = lambda file: os.chown(file, STRANGER, STRANGER)


@pytest.mark.parametrize("expose", PLANTED.values(), ids=PLANTED.keys())
def test_a_file_of_others_is_replaced(root: Path, tmp_path: Path, expose: Callable[[Path], object]) -> None:
    expose(file_of(root))
    result, hits, (line,) = start(new_store(root))
    assert (result, hits) == (42, 0)
    assert line.startswith("cannot use some")
    assert not (tmp_path / "ran").exists(), "planted code ran"
    assert start(new_store(root)) == (42, 1, [])


@as_root
def test_a_link_of_others_is_replaced(root: Path, tmp_path: Path) -> None:
    folder = file_of(root).parent.parent
    folder.rename(root / "elsewhere")
    folder.symlink_to("elsewhere")
    os.chown(folder, STRANGER, STRANGER, follow_symlinks=False)
    result, hits, (line,) = start(new_store(root))
    assert (result, hits) == (42, 0)
    assert line.startswith("cannot use some")
    assert not (tmp_path / "ran").exists()
    assert start(new_store(root)) == (42, 1, [])


def test_a_folder_exchanged_after_its_check_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    store = new_store(folder)
    assert start(store) == (42, 0, [])
    (folder / "jit-here").rename(tmp_path / "away")
    plant(folder, pickle.dumps(Mark(tmp_path / "ran")))
    assert start(store) == (42, 1, [])
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("mode", [0o755, 0o777])
def test_parent_folders_are_not_checked(tmp_path: Path, mode: int) -> None:
    """Who exchanges the checked folder for another leaves one of his own there."""
    folder = tmp_path / "cache"
    start(new_store(folder))
    folder.chmod(mode)
    assert start(new_store(folder)) == (42, 1, [])


#: A start as another user: result, whether it was loaded, remarks. That user may not be able to read Python itself, so
#: all of numba is in memory by then.
CHILD = """
import json, os
from pathlib import Path
from tests.jit.stores import new_store, start
user, unused, folder = {words!r}
start(new_store(Path(unused)))
os.setgroups([])
os.setgid(int(user))
os.setuid(int(user))
print(json.dumps(start(new_store(Path(folder)))))
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that all users can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def _as_visitor(shared: Path, folder: Path) -> tuple[int, int, list[str]]:
    program = CHILD.format(words=(str(VISITOR), tempfile.mkdtemp(dir=shared), str(folder)))
    process = Child(REPOSITORY, os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}, program)
    out, error = process.communicate()
    assert process.returncode == 0, error
    result, hits, remarks = json.loads(out)
    return result, hits, remarks


def _let_read(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


@as_root
def test_other_users_load_a_readable_cache_of_root(shared: Path) -> None:
    folder = shared / "roots"
    start(new_store(folder))
    folder.chmod(0o755)
    result, hits, (line,) = _as_visitor(shared, folder)
    assert (result, hits) == (42, 0)
    assert line.startswith(f"cannot keep compiled code in {folder} (Permission denied)")
    _let_read(folder)
    os.utime(file_of(folder).parent, (0, 0))
    assert _as_visitor(shared, folder) == (42, 1, [])
