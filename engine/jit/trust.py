"""Whose files these are: loading compiled code runs it, so nobody else may be able to change it.

A directory is trusted when it belongs to the user or to root, nobody else can write to it, and the same holds for all
directories above it, but that these may be sticky, as ``/tmp`` is: nobody can move there what belongs to others.
Windows has no such owners; there the user's own folders are as private as the system makes them.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

#: How many symbolic links a path may lead through.
_MOST_LINKS = 40


class Refused(Exception):
    """Something that another user could have written; the message says what."""


class Trust:
    """The judge of files and directories for the present user.

    ``code`` is the folder of the source files that use the cache: their owner may do as he likes with it anyway.
    """

    def __init__(self, code: Path) -> None:
        self._checks = hasattr(os, "geteuid")
        self._owners = {os.geteuid(), 0} if self._checks else set()
        self._owners_above = self._owners | _names_of_root() if self._checks else set()
        self._code = code
        self._own_group = _own_group() if self._checks else -1
        self._trusted: set[Path] = set()

    def check_directory(self, path: Path, above: Path) -> None:
        """Check all directories that lead to ``path``; those below ``above`` must not even be sticky.

        Raises Refused, and OSError if there is no such directory, or no permission to look.
        """
        if path in self._trusted:
            return
        if not self._checks:
            _check_present(path)
            self._trusted.add(path)
            return
        owners = self._owners_near(path)
        steps = list(_steps(path))
        for place, status in steps:
            if status.st_uid not in (owners | self._owners_above if place in above.parents else owners):
                raise Refused(f"{place} belongs to another user")
            if stat.S_ISLNK(status.st_mode):
                continue
            if not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
            below = above in place.parents or (place == steps[-1][0] and path != above)
            if self._others_write(status) and (below or not status.st_mode & stat.S_ISVTX):
                raise Refused(f"others can write to {place}")
        self._trusted.add(path)

    def forget(self, path: Path) -> None:
        """Check ``path`` again when it is next asked for."""
        self._trusted.discard(path)

    def check_file(self, path: Path, status: os.stat_result) -> None:
        """Check an open file. Raises Refused."""
        if not self._checks:
            return
        if status.st_uid not in self._owners_near(path):
            raise Refused(f"{path} belongs to another user")
        if self._others_write(status):
            raise Refused(f"others can write to {path}")

    def make_directory(self, path: Path) -> None:
        """Make ``path`` and what is missing above it, for the user alone. Raises OSError."""
        missing = []
        while not os.path.lexists(path):
            missing.append(path)
            path = path.parent
        for place in reversed(missing):
            try:
                os.mkdir(place, 0o700)
            except FileExistsError:  # another process was quicker
                if not place.is_dir():
                    raise
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))

    def _owners_near(self, path: Path) -> set[int]:
        """Whose files are trusted at ``path``: beside the code, its owner's too (a checkout seen from a container)."""
        if self._code in path.parents:
            return self._owners | {os.stat(self._code).st_uid}
        return self._owners

    def _others_write(self, status: os.stat_result) -> bool:
        if status.st_mode & stat.S_IWOTH:
            return True
        return bool(status.st_mode & stat.S_IWGRP) and status.st_gid != self._own_group


def _check_present(path: Path) -> None:
    """Raises OSError if ``path`` is no directory. Windows reports a path below a file as missing."""
    nearest = next((place for place in (path, *path.parents) if os.path.lexists(place)), path)
    if not stat.S_ISDIR(os.stat(nearest).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(nearest))
    os.stat(path)


def _steps(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Every directory and symbolic link on the way from the root to ``path``. Raises OSError."""
    rest = list(reversed(path.parts))
    here = Path(rest.pop())
    yield here, os.lstat(here)
    links = 0
    while rest:
        part = rest.pop()
        if part == "..":
            here = here.parent
            continue
        here = here / part
        status = os.lstat(here)
        yield here, status
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            target = Path(os.readlink(here))
            here = Path(target.anchor) if target.is_absolute() else here.parent
            rest += reversed(target.parts[1:] if target.is_absolute() else target.parts)


def _own_group() -> int:
    """The group that only the user is in (many systems give each user one, with the user's name); -1 for none."""
    import grp
    import pwd

    try:
        user = pwd.getpwuid(os.geteuid())
        group = grp.getgrgid(user.pw_gid)
    except KeyError:
        return -1
    private = group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
    return group.gr_gid if private else -1


def _names_of_root() -> set[int]:
    """How the files of root show: in some containers as those of a user without a number."""
    try:
        mapped = [int(line.split()[0]) for line in Path("/proc/self/uid_map").read_text().splitlines()]
        if 0 not in mapped:
            return {0, int(Path("/proc/sys/kernel/overflowuid").read_text())}
    except (OSError, ValueError, IndexError):
        pass
    return {0}
