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
from engine.jit.trust import Unusable, check_folder
from tests.jit.stores import new_store, plant, start
from tests.strict import REPOSITORY, run_python

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no user numbers on this system"),
    pytest.mark.skipif(INTERPRETED, reason="nothing is compiled, so nothing is kept"),
]

as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")

#: Users and a group that need not exist.
STRANGER, VISITOR, CLUB = 4711, 4712, 4713


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


def _file(root: Path) -> Path:
    (path,) = root.rglob("*.nbc")
    return path


def _chmod(choose: Callable[[Path], Path], mode: int, group: int = -1) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        if group != -1:
            os.chown(choose(root), -1, group)
        choose(root).chmod(mode)

    return change


def _give_away(choose: Callable[[Path], Path]) -> Callable[[Path], None]:
    return lambda root: os.chown(choose(root), STRANGER, STRANGER)


def _link(owner: int) -> Callable[[Path], None]:
    """The cache is somewhere else, with a symbolic link of ``owner`` in its place."""

    def link(root: Path) -> None:
        root.rename(root.parent / "elsewhere")
        root.symlink_to("elsewhere")
        os.chown(root, owner, -1, follow_symlinks=False)

    return link


def _link_to_a_strangers_link(root: Path) -> None:
    _link(STRANGER)(root)
    root.rename(root.parent / "link")
    root.symlink_to("link")


def _link_to_a_strangers(root: Path) -> None:
    root.rename(root.parent / "elsewhere")
    root.symlink_to(root.parent / "elsewhere")
    os.chown(root.parent / "elsewhere", STRANGER, -1)


def _the_root(root: Path) -> Path:
    return root


def _settings(root: Path) -> Path:
    return _file(root).parent.parent


def _layer(root: Path) -> Path:
    return _file(root).parent


def _above(root: Path) -> Path:
    return root.parent


OPEN: dict[str, Callable[[Path], None]] = {
    "anybody writes the root": _chmod(_the_root, 0o777),
    "sticky root": _chmod(_the_root, 0o1777),
    "anybody writes the settings": _chmod(_settings, 0o777),
    "anybody writes the layer": _chmod(_layer, 0o722),
    "anybody writes the file": _chmod(_file, 0o666),
    "anybody writes above": _chmod(_above, 0o777),
}

FOREIGN: dict[str, Callable[[Path], None]] = {
    "a club writes the root": _chmod(_the_root, 0o770, CLUB),
    "a stranger's root": _give_away(_the_root),
    "a stranger's settings": _give_away(_settings),
    "a stranger's layer": _give_away(_layer),
    "a stranger's file": _give_away(_file),
    "a stranger's above": _give_away(_above),
    "a stranger's link": _link(STRANGER),
    "a link to a stranger's link": _link_to_a_strangers_link,
    "a link to a stranger's": _link_to_a_strangers,
}


def _assert_refused(root: Path, ran: Path, change: Callable[[Path], None]) -> None:
    """The code is compiled instead; of a file alone, the next start finds a new one."""
    change(root)
    status = _file(root).stat()
    only_the_file = status.st_uid == STRANGER or bool(status.st_mode & 0o022)
    result, hits, remarks = start(new_store(root))
    assert not ran.exists(), "planted code ran"
    assert (result, hits, len(remarks)) == (42, 0, 1)
    assert remarks[0].startswith("cannot use some" if only_the_file else "cannot keep")
    assert re.search(r"belongs to another user|others can write to", remarks[0])
    assert start(new_store(root)) == ((42, 1, []) if only_the_file else (42, 0, remarks))
    assert not ran.exists()


def test_planted_code_runs_if_it_is_trusted(root: Path, tmp_path: Path) -> None:
    """So the other tests would notice."""
    start(new_store(root))
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("change", OPEN.values(), ids=OPEN.keys())
def test_code_writable_by_others_is_refused(root: Path, tmp_path: Path, change: Callable[[Path], None]) -> None:
    _assert_refused(root, tmp_path / "ran", change)


@as_root
@pytest.mark.parametrize("change", FOREIGN.values(), ids=FOREIGN.keys())
def test_code_of_others_is_refused(root: Path, tmp_path: Path, change: Callable[[Path], None]) -> None:
    _assert_refused(root, tmp_path / "ran", change)


FINE: dict[str, Callable[[Path], None]] = {
    "sticky above": _chmod(_above, 0o1777),
    "others read": _chmod(_the_root, 0o755),
    "own link": _link(os.geteuid() if hasattr(os, "geteuid") else 0),
}


@pytest.mark.parametrize("change", FINE.values(), ids=FINE.keys())
def test_code_of_the_user_is_used(tmp_path: Path, change: Callable[[Path], None]) -> None:
    root = tmp_path / "above" / "cache"
    start(new_store(root))
    change(root)
    assert start(new_store(root)) == (42, 1, [])


@as_root
def test_a_container_that_does_not_know_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There the directories above the user's show another owner; the user's own never do."""
    folder = tmp_path / "above" / "cache"
    folder.mkdir(parents=True)
    os.chown(folder.parent, STRANGER, STRANGER)
    monkeypatch.setattr("engine.jit.trust._unmapped_root", lambda: STRANGER)
    check_folder(folder)
    os.chown(folder, STRANGER, STRANGER)
    with pytest.raises(Unusable):
        check_folder(folder)


#: A start as another user: result, whether it was loaded, remarks. That user may not be able to read Python itself, so
#: all of numba is in memory by then.
CHILD = """
import json, os, sys
from pathlib import Path
from tests.jit.stores import new_store, start
user, unused, folder = sys.argv[1:]
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
    words = ("-c", CHILD, VISITOR, tempfile.mkdtemp(dir=shared), folder)
    done = run_python(*words, cwd=REPOSITORY, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr
    result, hits, remarks = json.loads(done.stdout)
    return result, hits, remarks


def _let_read(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


@as_root
def test_other_users_load_a_readable_cache_of_root(shared: Path) -> None:
    folder = shared / "roots"
    start(new_store(folder))
    for readable in (folder, _file(folder).parent):
        readable.chmod(0o755)
        _file(folder).chmod(0o600)
        result, hits, (line,) = _as_visitor(shared, folder)
        assert (result, hits) == (42, 0)
        assert line.startswith(f"cannot keep compiled code in {folder} (Permission denied)")
    _let_read(folder)
    os.utime(_file(folder).parent, (0, 0))
    assert _as_visitor(shared, folder) == (42, 1, [])


@as_root
def test_other_users_do_not_run_planted_code(shared: Path) -> None:
    folder, ran = shared / "strangers", shared / "open" / "ran"
    ran.parent.mkdir()
    os.chown(ran.parent, VISITOR, VISITOR)
    plant(folder, pickle.dumps(Mark(ran)))
    _let_read(folder)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, STRANGER, STRANGER)
    result, hits, (line,) = _as_visitor(shared, folder)
    assert (result, hits) == (42, 0)
    assert f"{folder} belongs to another user" in line
    assert not ran.exists()
