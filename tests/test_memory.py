"""The memory that a process may use, in containers too."""

from pathlib import Path

import pytest

from engine.memory import memory_limit, memory_used
from engine.messages import OptionError
from engine.search import transposition
from engine.search.transposition import TranspositionTable


@pytest.mark.parametrize(
    ("groups", "folder", "name", "nothing"),
    [
        ("0::/user/app", "sys/fs/cgroup", "memory.max", "max"),
        ("9:cpu:/\n4:memory:/user/app\n0::/", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "9223372036854771712"),
    ],
)
@pytest.mark.parametrize("limited", ["user/app", "user", ""])
def test_the_least_limit_of_the_control_groups_holds(tmp_path: Path, groups, folder, name, nothing, limited) -> None:
    """A group's own limit, one above it, and that of a container, which may not show its groups."""
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    for group in ("", "user", "user/app")[: 3 if limited else 1]:
        (tmp_path / folder / group).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / group / name).write_text("65536\n" if group == limited else nothing)
    assert memory_limit(tmp_path) == 65536


def test_without_control_groups_the_machine_is_the_limit(tmp_path: Path) -> None:
    assert memory_limit(tmp_path) > 1 << 20
    assert memory_used(tmp_path) == 0


def test_a_hash_that_a_container_does_not_hold_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process itself needs memory too."""
    table = TranspositionTable(1)
    monkeypatch.setattr(transposition, "memory_limit", lambda: 512 << 20)
    monkeypatch.setattr(transposition, "memory_used", lambda: 200 << 20)
    for megabytes in (1024, 400):
        with pytest.raises(OptionError, match=f"Hash {megabytes} MB does not fit into memory, .* 313 MB"):
            table.resize(megabytes)
        assert table.megabytes == 1
    table.resize(2)
