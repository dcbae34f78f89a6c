"""Files of compiled code in the cache folder, and recovery when files or disks fail.

``FOLDER/jit-SETTINGS/LAYER-SOURCES/FUNCTION-KEY.nbc`` holds one function for one signature: a checksum, its key, and
numba's pickle of it. Loading code runs it, so ``jit-SETTINGS`` is opened once, and everything is loaded from there
without following links: both folders and every file must belong to the user or to root, and nobody else may have write
access (Windows itself keeps users' folders private).
No error ends a start: the engine recompiles and replaces files that it cannot load; if it cannot replace them, it
compiles for this run only."""

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

#: The first bytes of every file; the number is the version of the layout.
_MAGIC = b"numbat kernel 1\n"
_SUM_BYTES, _KEY_BYTES = 32, 16

SUFFIX = ".nbc"

_SETTINGS = re.compile(r"jit-[0-9a-f]{10}")

#: Suffix of unfinished files, and the age in seconds from which they are leftovers of killed processes.
_PART_SUFFIX = ".tmp"
_PART_SECONDS = 600

KEPT_STATES = 24  # source states kept for each layer: the most recently used, over all checkouts that share the folder
UNUSED_SECONDS = 60 * 24 * 3600  # code that no start has used for this long is deleted
_USE_SECONDS = 600  # a start touches a directory that it uses, unless it was touched within this time

#: A probe of the free space: nothing is compiled for the folder unless this file fits.
_PROBE, _PROBE_BYTES = f"space{_PART_SUFFIX}", 24 << 20

_ENTER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # not a link, and no waiting for a pipe
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Unusable(OSError):
    """A folder or file from which code must not be loaded; the message gives the reason."""


class Store:
    """Compiled code in ``folder``. ``settings`` identifies everything that affects the code, except its sources;
    ``layers`` maps each layer to a function that returns the identifier of its sources."""

    def __init__(self, folder: Path, settings: str, layers: Mapping[str, Callable[[], str]]) -> None:
        self.folder = folder
        self._settings = folder / f"jit-{settings}"
        self._layers = layers
        self._root: int | None = None
        self._used: set[str] = set()
        self._warnings: list[str] = []
        self._found_damage = False
        self.writable = True  # false after a failed save: nothing more is saved

    @property
    def lock(self) -> Path:
        """The file that a process locks while it compiles for this folder."""
        return self._settings / "compile.lock"

    def directory(self, layer: str) -> Path:
        """The directory for the code of ``layer`` compiled from the current sources."""
        return self._settings / f"{layer}-{self._layers[layer]()}"

    def warnings(self) -> list[str]:
        """The problems since the last call, one line each."""
        lines, self._warnings = self._warnings, []
        return lines

    def warn(self, line: str) -> None:
        """Add ``line`` to :meth:`warnings`, with unprintable characters escaped: file names may have line breaks."""
        self._warnings.append("".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line))

    def read(self, layer: str, name: str, key: str) -> bytes | None:
        """The data saved as ``name`` under ``key``; None if missing or unusable."""
        directory = self.directory(layer)
        try:
            data = self._load(f"{directory.name}/{name}", _digest(key))
            self._mark_used(directory)
            return data
        except FileNotFoundError:
            return None
        except OSError as error:
            self.damaged(error.strerror or str(error))
            return None

    def damaged(self, reason: str) -> None:
        """Report unusable code, which will be recompiled and replaced; only the first is reported."""
        if self.writable and not self._found_damage:
            self.warn(f"cannot use some compiled code in {self.folder} ({reason}): compiling it again")
        self._found_damage = True

    def count(self, layers: Iterable[str]) -> int:
        """The number of functions saved for the current sources of ``layers``."""
        return sum(1 for layer in layers for _ in self.directory(layer).glob(f"*{SUFFIX}"))

    def write(self, layer: str, name: str, key: str, data: bytes) -> None:
        """Save ``data`` as ``name`` under ``key``, if possible."""
        rest = _digest(key) + data
        content = _MAGIC + hashlib.blake2b(rest, digest_size=_SUM_BYTES).digest() + rest
        self._attempt(lambda: self._save(self.directory(layer), name, content))

    def prepare(self) -> bool:
        """Create the directory for :attr:`lock`; return whether the whole engine can be saved."""
        self._attempt(self._probe_space)
        return self.writable

    def tidy(self) -> None:
        """Delete unused code and leftover unfinished files."""
        now = time.time()
        current = {self.directory(layer) for layer in self._layers}
        with suppress(OSError):
            states = [path for path in self._settings.iterdir() if path.is_dir() and path not in current]
            states.sort(key=lambda path: (_layer(path), -_time(path)))
            old = [path for _, group in groupby(states, _layer) for path in list(group)[KEPT_STATES - 1 :]]
            old += [path for path in states if now - _time(path) > UNUSED_SECONDS]
            for path in self.folder.iterdir():  # for other processors and versions
                if _SETTINGS.fullmatch(path.name) and now - max(map(_time, (path, *path.iterdir()))) > UNUSED_SECONDS:
                    old.append(path)
            for path in old:
                shutil.rmtree(path, ignore_errors=True)
            for path in self._settings.rglob(f"*{_PART_SUFFIX}"):
                if now - _time(path) > _PART_SECONDS:
                    path.unlink()

    def _open(self) -> int | None:
        """The descriptor of the folder of code, opened and checked once; None on Windows. Raises OSError."""
        if not self.folder.is_absolute():
            raise Unusable("not an absolute path")
        if self._root is None and hasattr(os, "geteuid"):
            self._root = _trusted(os.open(self._settings, _ENTER), self._settings)
        return self._root

    def _opener(self, place: str, flags: int) -> int:
        """Open the file ``place``, a path in the folder of code, for reading. Raises OSError."""
        root = self._open()
        if root is None:
            return os.open(self._settings / place, flags)
        layer, _, name = place.rpartition("/")
        folder = _trusted(os.open(layer, _ENTER, dir_fd=root), self._settings / layer)
        try:
            return _trusted(os.open(name, flags | _PLAIN, dir_fd=folder), self._settings / place)
        finally:
            os.close(folder)

    def _load(self, place: str, digest: bytes) -> bytes:
        """The data saved as ``place``, a path in the folder of code, under the key of ``digest``. Raises OSError."""
        name = place.rpartition("/")[2]
        with open(place, "rb", opener=self._opener) as file:
            content = file.read()
        start = len(_MAGIC) + _SUM_BYTES
        total, rest = content[len(_MAGIC) : start], content[start:]
        if content[: len(_MAGIC)] != _MAGIC or total != hashlib.blake2b(rest, digest_size=_SUM_BYTES).digest():
            raise Unusable(f"{name} has a wrong checksum")
        if rest[:_KEY_BYTES] != digest:
            raise Unusable(f"{name} holds another function")
        return rest[_KEY_BYTES:]

    def _mark_used(self, directory: Path) -> None:
        """Note the time of use, for :meth:`tidy`."""
        if directory.name not in self._used:
            self._used.add(directory.name)
            with suppress(OSError):  # another user may own it
                if time.time() - _time(directory) > _USE_SECONDS:
                    os.utime(directory)

    def _attempt(self, save: Callable[[], None]) -> None:
        """Call ``save`` unless an earlier save failed."""
        if not self.writable:
            return
        try:
            save()
        except OSError as error:
            self.writable = False
            self._warnings.clear()  # this line covers everything that the failure caused
            self.warn(
                f"cannot keep compiled code in {self.folder} ({error.strerror or error}): compiling for this run only "
                "(set NUMBAT_CACHE_DIR to use another folder)"
            )

    def _probe_space(self) -> None:
        """Write and delete a file as large as the engine's code. Raises OSError."""
        self._save(self._settings, _PROBE, bytes(_PROBE_BYTES))
        (self._settings / _PROBE).unlink(missing_ok=True)

    def _save(self, directory: Path, name: str, content: bytes) -> None:
        """Write a file, whole or not at all. Raises OSError."""
        self._make(directory)
        target, part = directory / name, directory / f"{uuid.uuid4().hex[:16]}{_PART_SUFFIX}"
        handle = os.open(part, _CREATE, 0o644)
        try:
            with open(handle, "wb") as file:
                file.write(content)
            os.replace(part, target)
        except PermissionError:
            if sys.platform != "win32" or not target.is_file():
                raise  # otherwise another process is reading the same code
        finally:
            with suppress(OSError):
                os.unlink(part)

    def _make(self, directory: Path) -> None:
        """Create ``directory``, replacing anything else of that name. Raises OSError."""
        if not self.folder.is_absolute():
            raise Unusable("not an absolute path")
        os.makedirs(self.folder, 0o700, exist_ok=True)
        for place in (self._settings, directory):
            if place.is_symlink() or not place.is_dir():
                place.unlink(missing_ok=True)
                with suppress(FileExistsError):  # another process was faster
                    os.mkdir(place, 0o700)
                    self._root = None
        root = self._open()
        if root is not None and directory != self._settings:
            os.close(_trusted(os.open(directory.name, _ENTER, dir_fd=root), directory))


def _trusted(handle: int, path: Path) -> int:
    """``handle``, the opened file or folder ``path``, if no other user can have written it. Raises OSError."""
    status, fault = os.fstat(handle), ""
    if status.st_uid not in (os.geteuid(), 0):
        fault = f"{path} belongs to another user"
    elif status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        fault = f"others can write to {path}"
    elif not stat.S_ISDIR(status.st_mode) and not stat.S_ISREG(status.st_mode):
        fault = f"{path} is not a file"
    if fault:
        os.close(handle)
        raise Unusable(fault)
    return handle


def _layer(directory: Path) -> str:
    return directory.name.rpartition("-")[0]


def _time(path: Path) -> float:
    return path.stat().st_mtime


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=_KEY_BYTES).digest()
