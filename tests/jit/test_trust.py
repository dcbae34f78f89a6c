"""Whose compiled code is loaded: loading it runs it, so code that others could have written must not be."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.jit import INTERPRETED
from engine.jit.trust import Refused, Trust
from tests.jit.conftest import Miniature
from tests.jit.stores import new_store, plant, start

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no user numbers on this system"),
    pytest.mark.skipif(INTERPRETED, reason="nothing is compiled, so nothing is kept"),
]

as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")

#: Users and a group that nobody has to have.
STRANGER, VISITOR, CLUB = 4711, 4712, 4713


class Mark:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple:
        return os.mkdir, (str(self._path),)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A cache in which somebody has planted code of his own; it shows that it ran by ``tmp_path / "ran"``."""
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
    "anybody writes the settings": _chmod(_settings, 0o777),
    "sticky settings": _chmod(_settings, 0o1777),
    "anybody writes the layer": _chmod(_layer, 0o722),
    "anybody writes the file": _chmod(_file, 0o666),
    "anybody writes above": _chmod(_above, 0o777),
}

FOREIGN: dict[str, Callable[[Path], None]] = {
    "a club writes the root": _chmod(_the_root, 0o770, CLUB),
    "a club writes the layer": _chmod(_layer, 0o770, CLUB),
    "a club writes the file": _chmod(_file, 0o664, CLUB),
    "a club writes above": _chmod(_above, 0o770, CLUB),
    "a stranger's root": _give_away(_the_root),
    "a stranger's settings": _give_away(_settings),
    "a stranger's layer": _give_away(_layer),
    "a stranger's file": _give_away(_file),
    "a stranger's above": _give_away(_above),
    "a stranger's link": _link(STRANGER),
    "a link to a stranger's": _link_to_a_strangers,
}


def _assert_refused(root: Path, ran: Path, change: Callable[[Path], None]) -> None:
    change(root)
    store = new_store(root, root.parent.parent / "mine")
    result, hits, remarks = start(store)
    assert not ran.exists(), "planted code ran"
    assert (result, hits, len(remarks)) == (42, 0, 1)
    assert remarks[0].startswith(f"not using compiled code in {root}, since ")
    assert store.used == root.parent.parent / "mine"
    again = new_store(root, root.parent.parent / "mine")
    assert start(again) == (42, 1, remarks)
    assert not ran.exists()


def test_a_trap_in_trusted_code_does_run(root: Path, tmp_path: Path) -> None:
    start(new_store(root))
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("change", OPEN.values(), ids=OPEN.keys())
def test_what_others_can_write_is_refused(root: Path, tmp_path: Path, change: Callable[[Path], None]) -> None:
    _assert_refused(root, tmp_path / "ran", change)


@as_root
@pytest.mark.parametrize("change", FOREIGN.values(), ids=FOREIGN.keys())
def test_what_belongs_to_others_is_refused(root: Path, tmp_path: Path, change: Callable[[Path], None]) -> None:
    _assert_refused(root, tmp_path / "ran", change)


FINE: dict[str, Callable[[Path], None]] = {
    "sticky above": _chmod(_above, 0o1777),
    "others read": _chmod(_the_root, 0o755),
    "own link": _link(os.geteuid() if hasattr(os, "geteuid") else 0),
}


@pytest.mark.parametrize("change", FINE.values(), ids=FINE.keys())
def test_what_only_the_user_can_write_is_used(tmp_path: Path, change: Callable[[Path], None]) -> None:
    root = tmp_path / "above" / "cache"
    start(new_store(root))
    change(root)
    assert start(new_store(root)) == (42, 1, [])


@as_root
def test_beside_the_code_its_owner_is_trusted(tmp_path: Path) -> None:
    """A checkout of a user, seen by root in a container: its owner may change the code itself."""
    code = tmp_path / "checkout" / "engine"
    for path in (code / "__pycache__", code, code.parent):
        path.mkdir(parents=True, exist_ok=True)
        os.chown(path, STRANGER, STRANGER)
    Trust(code).check_directory(code / "__pycache__", code / "__pycache__")
    with pytest.raises(Refused):
        Trust(code).check_directory(code.parent, code.parent)
    os.chown(code / "__pycache__", VISITOR, VISITOR)
    with pytest.raises(Refused):
        Trust(code).check_directory(code / "__pycache__", code / "__pycache__")


@as_root
def test_a_start_names_the_directory_that_it_refuses(miniature: Miniature) -> None:
    miniature.run()
    os.chown(miniature.cache, STRANGER, STRANGER)
    told = miniature.run(miniature.homes())
    refused = f"not using compiled code in {miniature.cache}, since {miniature.cache} belongs to another user"
    assert (told["result"], told["root"]) == (20, str(miniature.package / "__pycache__"))
    assert told["reports"] == [refused, "compiling the miniature", "compiled"]
    assert miniature.run(miniature.homes())["reports"] == [refused]


#: A start as another user: result, whether it was loaded, remarks, and the directory in use. Python itself may be
#: out of that user's reach, so it has all of numba in memory by then.
CHILD = """
import json, os, sys
from pathlib import Path
from tests.jit.stores import new_store, start
user, unused, *roots = sys.argv[1:]
start(new_store(Path(unused)))
os.setgroups([])
os.setgid(int(user))
os.setuid(int(user))
store = new_store(*map(Path, roots))
print(json.dumps([*start(store), str(store.used)]))
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that all users can reach, but for what is below it."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def _as_visitor(folder: Path, *roots: Path) -> tuple[int, int, list[str], str]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(VISITOR), str(folder / "unused"), *map(str, roots)],
        cwd=Path(__file__).resolve().parents[2],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result, hits, remarks, used = json.loads(done.stdout)
    return result, hits, remarks, used


@as_root
def test_another_user_loads_what_root_has_made_if_he_may_read_it(shared: Path) -> None:
    root, mine = shared / "roots", shared / "mine"
    mine.mkdir()
    os.chown(mine, VISITOR, VISITOR)
    start(new_store(root))
    first = _as_visitor(shared, root, mine / "cache")
    assert first[:2] == (42, 0)
    assert first[2][0].startswith(f"cannot save compiled code in {root}: Permission denied")
    assert first[3] == str(mine / "cache")
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert _as_visitor(shared, root, mine / "cache") == (42, 1, [], str(root))


@as_root
def test_another_user_does_not_run_what_a_stranger_has_planted(shared: Path) -> None:
    root, mine, ran = shared / "strangers", shared / "mine", shared / "open" / "ran"
    for path in (mine, ran.parent):
        path.mkdir()
        os.chown(path, VISITOR, VISITOR)
    plant(root, pickle.dumps(Mark(ran)))
    for path in (root, *root.rglob("*")):
        os.chown(path, STRANGER, STRANGER)
        path.chmod(0o755 if path.is_dir() else 0o644)
    result, hits, remarks, used = _as_visitor(shared, root, mine / "cache")
    assert (result, hits, used) == (42, 0, str(mine / "cache"))
    assert remarks == [f"not using compiled code in {root}, since {root} belongs to another user"]
    assert not ran.exists()
