"""Owners and permissions: loading compiled code runs it, so no other user may be able to change it.

The cache folder must belong to the user or to root, and no other user may have write access. The same holds for
everything in it and for all directories above, except that those may be sticky, like ``/tmp``: there users cannot move
each other's files. Windows has no such owners and keeps users' folders private itself.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path


class Unusable(OSError):
    """A folder or file from which code must not be loaded; the message gives the reason."""


def check_folder(folder: Path, make: bool = False) -> None:
    """Check ``folder`` and everything on the path to it; ``make`` creates it first, for the user alone.

    Raises Unusable, and OSError if there is no such folder.
    """
    if not folder.is_absolute():
        raise Unusable("not an absolute path")
    if make:
        missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
        for place in reversed(missing):
            with suppress(FileExistsError):  # another process was faster
                os.mkdir(place, 0o700)
    status = os.stat(folder)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    check(folder, status)
    if hasattr(os, "geteuid"):
        for place, status in _way(folder):
            check(place, status, above=True)


def check(place: Path, status: os.stat_result, above: bool = False) -> None:
    """Check the owner and permissions of ``place``, in the cache folder or ``above`` it. Raises Unusable."""
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid not in (os.geteuid(), 0) and not (above and status.st_uid == _unmapped_root()):
        raise Unusable(f"{place} belongs to another user")
    if stat.S_ISLNK(status.st_mode) or (above and status.st_mode & stat.S_ISVTX):
        return
    if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and status.st_gid != _own_group()):
        raise Unusable(f"others can write to {place}")


def _way(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Every directory and symbolic link on the path to ``path``, which must exist."""
    for place in (path, *path.parents):
        status = os.lstat(place)
        yield place, status
        if stat.S_ISLNK(status.st_mode):
            yield from _way(place.parent / os.readlink(place))


@cache
def _own_group() -> int:
    """The user's private group (many systems create one with the user's name); -1 if there is none."""
    import grp
    import pwd

    try:
        user = pwd.getpwuid(os.geteuid())
        group = grp.getgrgid(user.pw_gid)
    except KeyError:
        return -1
    private = group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
    return group.gr_gid if private else -1


@cache
def _unmapped_root() -> int:
    """The owner shown for root's files in a container that does not map root; 0 elsewhere."""
    try:
        mapped = [int(line.split()[0]) for line in Path("/proc/self/uid_map").read_text().splitlines()]
        return 0 if 0 in mapped else int(Path("/proc/sys/kernel/overflowuid").read_text())
    except (OSError, ValueError, IndexError):
        return 0
