"""How much memory this process may use: the system kills a process that exceeds its container's limit."""

import os
from contextlib import suppress
from pathlib import Path

_UNLIMITED = 1 << 62  # more bytes than any machine has

#: Files with a control group's limit, in versions 2 and 1, and the folders of the groups.
_LIMITS = {"": ("sys/fs/cgroup", "memory.max"), "memory": ("sys/fs/cgroup/memory", "memory.limit_in_bytes")}


def memory_limit(root: Path = Path("/")) -> int:
    """Bytes of memory of this machine or, if less, of the control groups that hold this process (on Linux, with its
    files below ``root``); a number beyond any use if unknown."""
    size = _UNLIMITED
    with suppress(AttributeError, ValueError, OSError):
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        for controller in set(controllers.split(",")) & set(_LIMITS):
            folder, name = _LIMITS[controller]
            place = root / folder / group.lstrip("/")
            for path in (place, *place.parents):
                if not path.is_relative_to(root / folder):
                    break
                with suppress(ValueError):  # empty, or "max"
                    size = min(size, int(_text(path / name)))
    return size


def memory_used(root: Path = Path("/")) -> int:
    """Bytes of memory that this process holds now (on Linux); 0 if unknown."""
    try:
        return int(_text(root / "proc/self/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except IndexError:
        return 0


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
