"""Files of compiled code in the cache folder, and what happens when files or disks fail.

``FOLDER/jit-SETTINGS/LAYER-SOURCES/FUNCTION-KEY.nbc`` holds one function for one signature: a checksum, its key, and
numba's pickle of it. No file is loaded whose checksum is wrong, or that another user could have written. No error ends
a start: a file that cannot be loaded is compiled again and replaced; if that fails too, the engine compiles for this
run only.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from engine.jit import trust
from engine.jit.trust import Unusable

#: The first bytes of a file; change the number with the layout of what follows.
_MAGIC = b"numbat kernel 1\n"
_SUM_BYTES, _KEY_BYTES = 32, 16

SUFFIX = ".nbc"

_SETTINGS = re.compile(r"jit-[0-9a-f]{10}")

#: Suffix of unfinished files. Those older than these seconds were left by processes that were killed.
_PART = ".tmp"
_PART_SECONDS = 600

#: States of the sources that are kept for each layer: the ones used last, over all checkouts that share the folder.
KEPT_STATES = 24

#: A state that no start has used for this long is dropped.
UNUSED_SECONDS = 60 * 24 * 3600

#: A use is recorded as the time of the directory's last change, which need not be more exact than this.
_USE_SECONDS = 600

#: A file of this name and size must fit before anything is compiled for the folder; the engine takes 17 MB.
_ROOM, _ROOM_BYTES = f"room{_PART}", 24 << 20

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Store:
    """Compiled code in ``folder``.

    ``settings`` names everything that the code depends on besides its sources; ``layers`` maps each layer to a function
    that names the state of its sources.
    """

    def __init__(self, folder: Path, settings: str, layers: Mapping[str, Callable[[], str]]) -> None:
        self.folder = folder
        self._settings = folder / f"jit-{settings}"
        self._layers = layers
        self._trusted: set[Path] = set()
        self._remarks: list[str] = []
        self._found_damage = False
        #: False once something could not be saved: then nothing more is.
        self.writable = True

    @property
    def lock(self) -> Path:
        """The file that a process locks while it compiles for this folder; its progress shows in the files there."""
        return self._settings / "compile.lock"

    def directory(self, layer: str) -> Path:
        """The directory for the code of ``layer`` from the present sources."""
        return self._settings / f"{layer}-{self._layers[layer]()}"

    def remarks(self) -> list[str]:
        """What went wrong since the last call, one line each."""
        lines, self._remarks = self._remarks, []
        return lines

    def remark(self, line: str) -> None:
        """Add ``line`` to :meth:`remarks`, with what cannot be printed escaped: file names may have line breaks."""
        self._remarks.append("".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line))

    def read(self, layer: str, name: str, key: str) -> bytes | None:
        """The data saved as ``name`` under ``key``; None if there are none, or they cannot be used."""
        try:
            return _load(self._checked(self.directory(layer)) / name, _digest(key))
        except FileNotFoundError:
            return None
        except OSError as error:
            self.damaged(error.strerror or str(error))
            return None

    def damaged(self, reason: str) -> None:
        """Remark on code that cannot be used, once: it will be compiled again and replaced."""
        if self.writable and not self._found_damage:
            self.remark(f"cannot use some compiled code in {self.folder} ({reason}): compiling it again")
        self._found_damage = True

    def count(self, layers: Iterable[str]) -> int:
        """The number of functions saved for the present sources of ``layers``."""
        return sum(1 for layer in layers for _ in self.directory(layer).glob(f"*{SUFFIX}"))

    def write(self, layer: str, name: str, key: str, data: bytes) -> None:
        """Save ``data`` as ``name`` under ``key``, if possible."""
        rest = _digest(key) + data
        content = _MAGIC + hashlib.blake2b(rest, digest_size=_SUM_BYTES).digest() + rest
        self._attempt(lambda: self._save(self.directory(layer), name, content))

    def prepare(self) -> bool:
        """Whether there is room to save the whole engine. Makes the directory for :attr:`lock`."""
        self._attempt(self._try_room)
        return self.writable

    def tidy(self) -> None:
        """Drop code that is no longer used, and unfinished files."""
        now = time.time()
        current = {self.directory(layer) for layer in self._layers}
        with suppress(OSError):
            states = [path for path in self._settings.iterdir() if path.is_dir() and path not in current]
            states.sort(key=lambda path: (_layer(path), -_time(path)))
            old = [path for _, group in groupby(states, _layer) for path in list(group)[KEPT_STATES - 1 :]]
            old += [path for path in states if now - _time(path) > UNUSED_SECONDS]
            for path in self.folder.iterdir():  # those of other processors and versions
                if _SETTINGS.fullmatch(path.name) and now - max(map(_time, (path, *path.iterdir()))) > UNUSED_SECONDS:
                    old.append(path)
            for path in old:
                shutil.rmtree(path, ignore_errors=True)
            for path in self._settings.rglob(f"*{_PART}"):
                if now - _time(path) > _PART_SECONDS:
                    path.unlink()

    def _checked(self, directory: Path) -> Path:
        """The ``directory``, which is used now: it is safe to load from. Raises OSError."""
        if directory in self._trusted:
            return directory
        if self.folder not in self._trusted:
            trust.check_folder(self.folder)
            self._trusted.add(self.folder)
        for place in (self._settings, directory):
            status = os.lstat(place)
            if not stat.S_ISDIR(status.st_mode):
                raise Unusable(f"{place.name} is not a directory")
            trust.check(place, status)
        self._trusted.add(directory)
        if time.time() - status.st_mtime > _USE_SECONDS:
            with suppress(OSError):  # a folder that another user has prepared
                os.utime(directory)
        return directory

    def _attempt(self, save: Callable[[], None]) -> None:
        """Call ``save`` unless the folder has failed before."""
        if not self.writable:
            return
        try:
            save()
        except OSError as error:
            self.writable = False
            self._remarks.clear()  # one line for whatever else the failure has caused
            self.remark(
                f"cannot keep compiled code in {self.folder} ({error.strerror or error}): compiling for this run only "
                "(NUMBAT_CACHE_DIR names another folder)"
            )

    def _try_room(self) -> None:
        """Write a file of the size of the engine and remove it. Raises OSError."""
        self._save(self._settings, _ROOM, bytes(_ROOM_BYTES))
        (self._settings / _ROOM).unlink(missing_ok=True)
        if _is_directory(self.lock):
            shutil.rmtree(self.lock)

    def _save(self, directory: Path, name: str, content: bytes) -> None:
        """Write a file, whole or not at all. Raises OSError."""
        self._make(directory)
        target, part = directory / name, directory / f"{uuid.uuid4().hex[:16]}{_PART}"
        handle = os.open(part, _CREATE, 0o644)
        try:
            with open(handle, "wb") as file:
                file.write(content)
            if _is_directory(target):
                shutil.rmtree(target)
            os.replace(part, target)
        except PermissionError:
            if sys.platform != "win32" or not target.is_file():
                raise  # else another process is reading the same code there
        finally:
            with suppress(OSError):
                os.unlink(part)

    def _make(self, directory: Path) -> None:
        """Make ``directory``, in place of anything else that is there. Raises OSError."""
        with suppress(OSError):
            self._checked(directory)
            return
        trust.check_folder(self.folder, make=True)
        for place in (self._settings, directory):
            if not _is_directory(place):
                place.unlink(missing_ok=True)
                with suppress(FileExistsError):
                    os.mkdir(place, 0o700)
            trust.check(place, os.lstat(place))


def _load(path: Path, digest: bytes) -> bytes:
    """The data saved in ``path`` under the key with this ``digest``. Raises OSError."""
    handle = os.open(path, _READ)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise Unusable(f"{path.name} is not a file")
        trust.check(path, status)
        with open(handle, "rb", closefd=False) as file:
            content = file.read()
    finally:
        os.close(handle)
    start = len(_MAGIC) + _SUM_BYTES
    total, rest = content[len(_MAGIC) : start], content[start:]
    if content[: len(_MAGIC)] != _MAGIC or total != hashlib.blake2b(rest, digest_size=_SUM_BYTES).digest():
        raise Unusable(f"{path.name} has a wrong checksum")
    if rest[:_KEY_BYTES] != digest:
        raise Unusable(f"{path.name} is another function")
    return rest[_KEY_BYTES:]


def _is_directory(path: Path) -> bool:
    """Whether ``path`` is a directory and no link to one."""
    return path.is_dir() and not path.is_symlink()


def _layer(directory: Path) -> str:
    return directory.name.rpartition("-")[0]


def _time(path: Path) -> float:
    return path.stat().st_mtime


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=_KEY_BYTES).digest()
