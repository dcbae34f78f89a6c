"""Files of compiled code in the first directories that will have them, and what happens when files or disks fail.

``ROOT/jit-SETTINGS/LAYER-SOURCES/FUNCTION-KEY.nbc`` holds one function for one signature: a checksum, what it is, and
numba's pickle of it. Nothing is loaded whose checksum is wrong, or that another user could have written. No error ends
a start: what is damaged is dropped, a directory that fails is left for the next one, and without any the engine
compiles for its own use. :meth:`Store.remarks` has a line for each of these events.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import RLock

from engine.jit.trust import Refused, Trust

#: Begins each file; another number for another arrangement of what follows.
_MAGIC = b"numbat kernel 1\n"
_SUM_BYTES, _KEY_BYTES = 32, 16

SUFFIX = ".nbc"

#: How many directories of earlier source states are kept beside the present ones, for each processor and each
#: set of versions.
KEPT_DIRECTORIES = 24

#: Room that a directory needs before anything is compiled for it; the engine takes 16 MB. One that is too small would
#: be filled at every start.
_MEGABYTES = 24

#: Directories in the arrangement of version 0.1.0 are removed when they are this old.
_FORMER = re.compile(r"jit-[a-z]+-[0-9a-f]{20}")
_FORMER_SECONDS = 30 * 24 * 3600

#: What is being written has this suffix; so has, after these seconds, what somebody was writing when he was killed.
_PART = ".tmp"
_PART_SECONDS = 600

#: What is about to be removed.
_ASIDE = re.compile(r"jit-gone-[0-9a-f]{8}")

#: What the system says of places that are simply not for this user: nothing to remark on.
_ORDINARY = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT)

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Damaged(Exception):
    """A file is not what was saved; the message says how that shows."""


@dataclass(eq=False)
class Root:
    """One directory for compiled code, and what has been found out about it."""

    path: Path
    chosen: bool = False  # by the user, by name
    readable: bool = True
    writable: bool = True
    dropped: set[str] = field(default_factory=set)  # layers that were damaged here before


@dataclass(frozen=True, slots=True)
class Found:
    """A function's code, and the directory that had it."""

    root: Root
    data: bytes


class Store:
    """Compiled code in the directory ``chosen`` by the user or, if that is None or fails, in ``candidates``.

    ``settings`` names everything that the code depends on beside its source; ``layers`` has for each layer the function
    that names the state of its sources. ``code`` is the folder of the sources.
    """

    def __init__(
        self,
        chosen: Path | None,
        candidates: list[Path],
        settings: str,
        layers: Mapping[str, Callable[[], str]],
        code: Path,
    ) -> None:
        self._roots = [Root(path) for path in candidates]
        self._reserve: list[Root] = []
        if chosen is not None:
            self._roots, self._reserve = [Root(chosen, chosen=True)], self._roots
        self._settings = f"jit-{settings}"
        self._layers = layers
        self._trust = Trust(code)
        self._damage: dict[tuple[Root, str], str] = {}
        self._remarks: list[str] = []
        self._excuses: dict[Root, str] = {}  # why code that may be there was not loaded
        self._lock = RLock()
        #: The directory that code was last loaded from or saved in; None before that.
        self.used: Path | None = None

    def directory(self, root: Path, layer: str) -> Path:
        """The directory under ``root`` for the code of ``layer`` from the present sources."""
        return root / self._settings / f"{layer}-{self._layers[layer]()}"

    def remark(self, line: str) -> None:
        """Have :meth:`remarks` say ``line``."""
        self._remarks.append(line)

    def remarks(self, compiling: bool) -> Iterator[str]:
        """What has happened since the last call, a line each; with ``compiling`` also why there was nothing to load."""
        with self._lock:
            lines, self._remarks = self._remarks, []
            if compiling:
                lines += self._excuses.values()
                self._excuses.clear()
        yield from lines

    def read(self, layer: str, name: str, key: str) -> Found | None:
        """What was saved as ``name`` under ``key``, or None."""
        for root in self._in_use(lambda root: root.readable):
            directory = self.directory(root.path, layer)
            try:
                self._check(root, directory)
                found = Found(root, self._load(directory / name, _digest(key)))
                self.used = root.path
                return found
            except FileNotFoundError:
                continue
            except PermissionError as error:
                self._excuses[root] = f"cannot read the compiled code in {root.path} ({error.strerror})"
            except Refused as error:
                self._refuse(root, error)
            except (Damaged, OSError) as error:
                if root.path.is_dir():  # else it is no place for a cache at all
                    self.spoilt(root, layer, _reason(error))
        return None

    def spoilt(self, root: Root, layer: str, reason: str) -> None:
        """Note that the code of ``layer`` in ``root`` cannot be used; :meth:`repair` drops it."""
        with self._lock:
            self._damage.setdefault((root, layer), reason)
            if layer in root.dropped:  # again: this directory is not to be relied on
                root.readable = root.writable = False

    def inspect(self) -> None:
        """Look for damage in every file of the present sources."""
        for root in self._in_use(lambda root: root.readable):
            for layer in self._layers:
                try:
                    directory = self.directory(root.path, layer)
                    self._check(root, directory)
                    for path in sorted(directory.glob(f"*{SUFFIX}")):
                        self._load(path, None)
                except (FileNotFoundError, PermissionError):
                    continue
                except Refused as error:
                    self._refuse(root, error)
                    break
                except (Damaged, OSError) as error:
                    if root.path.is_dir():
                        self.spoilt(root, layer, _reason(error))

    def repair(self) -> None:
        """Drop the damaged layers, with one line for each directory; one that cannot be mended is used no more."""
        with self._lock:
            damage, self._damage = self._damage, {}
            for root in dict.fromkeys(root for root, _ in damage):
                layers = {layer: reason for (place, layer), reason in damage.items() if place is root}
                names, reason = ", ".join(layers), next(iter(layers.values()))
                what = f"damaged compiled code in {root.path} ({names}: {reason})"
                if root.dropped & set(layers):
                    root.readable = root.writable = False
                    self._remarks.append(f"{what} for the second time: not using this directory")
                    continue
                try:
                    for layer in layers:
                        self._drop(self.directory(root.path, layer))
                except OSError as error:
                    root.readable = root.writable = False
                    self._remarks.append(f"{what} that cannot be removed ({_reason(error)}): not using this directory")
                    continue
                root.dropped |= set(layers)
                self._remarks.append(f"{what}: compiling it again")

    def prepare(self) -> Path | None:
        """The directory that can be locked while one process compiles: the first that files can be saved in."""
        for root in self._in_use(lambda root: root.writable):
            if self._attempt(root, partial(self._try_out, root)):
                return root.path / self._settings
        return None

    def write(self, layer: str, name: str, key: str, data: bytes) -> None:
        """Keep ``data`` as ``name`` under ``key`` if there is room for it."""
        if self._damage:
            self.repair()
        rest = _digest(key) + data
        content = _MAGIC + hashlib.blake2b(rest, digest_size=_SUM_BYTES).digest() + rest
        for root in self._in_use(lambda root: root.writable):
            if self._attempt(root, partial(self._save, root, layer, name, content)):
                self.used = root.path
                return

    def holds_some(self, layer: str) -> bool:
        """Whether any code of ``layer`` was kept for the present sources."""
        for root in self._in_use(lambda root: root.readable and layer in self._layers):
            with suppress(OSError):
                if next(self.directory(root.path, layer).glob(f"*{SUFFIX}"), None):
                    return True
        return False

    def tidy(self) -> None:
        """Drop the oldest directories of former sources, and what was never finished. Those for other processors or
        versions stay."""
        if self.used is None:
            return
        kept = {self.directory(Path(), layer).name for layer in self._layers}
        with suppress(OSError):
            places = [path for path in (self.used / self._settings).iterdir() if path.is_dir()]
            others = [path for path in places if path.name not in kept and not _ASIDE.fullmatch(path.name)]
            others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
            useless = others[KEPT_DIRECTORIES:]
            for path in [*places, *self.used.iterdir()]:
                age = time.time() - path.stat().st_mtime
                if _ASIDE.fullmatch(path.name) or (_FORMER.fullmatch(path.name) and age > _FORMER_SECONDS):
                    useless.append(path)
            for path in useless:
                shutil.rmtree(path, ignore_errors=True)
            for path in (self.used / self._settings).rglob(f"*{_PART}"):
                if time.time() - path.stat().st_mtime > _PART_SECONDS:
                    path.unlink()

    def _in_use(self, usable: Callable[[Root], bool]) -> Iterator[Root]:
        """The directories that are ``usable``, those in reserve when the one that the user chose is not."""
        for root in self._roots:
            if usable(root):
                yield root
        if self._reserve and not any(usable(root) for root in self._roots):
            self._roots, self._reserve = self._roots + self._reserve, []
            yield from (root for root in self._roots if usable(root))

    def _attempt(self, root: Root, save: Callable[[], None]) -> bool:
        """Whether ``save`` succeeds in ``root``, which is written to no more otherwise."""
        try:
            save()
            return True
        except Refused as error:
            self._refuse(root, error)
        except OSError as error:
            root.writable = False
            if root.chosen or error.errno not in _ORDINARY:
                self._excuses.pop(root, None)
                self._remarks.append(f"cannot save compiled code in {root.path}: {_reason(error)}")
        return False

    def _refuse(self, root: Root, error: Refused) -> None:
        if root.readable or root.writable:
            root.readable = root.writable = False
            self._remarks.append(f"not using compiled code in {root.path}, since {error}")

    def _check(self, root: Root, directory: Path) -> None:
        """Raises Refused if others could write to it, OSError if it is missing or no directory."""
        try:
            self._trust.check_directory(root.path, root.path)
        except NotADirectoryError as error:
            raise FileNotFoundError(*error.args) from None
        self._trust.check_directory(directory, root.path)

    def _load(self, path: Path, digest: bytes | None) -> bytes:
        """What :meth:`write` saved in ``path``, of the key with this ``digest`` if one is given."""
        try:
            handle = os.open(path, _READ)
        except PermissionError:
            if path.is_dir():  # Windows' answer
                raise Damaged(f"{path.name} is no file") from None
            raise
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise Damaged(f"{path.name} is no file")
            self._trust.check_file(path, status)
            with open(handle, "rb", closefd=False) as file:
                content = file.read()
        finally:
            os.close(handle)
        start = len(_MAGIC) + _SUM_BYTES
        total, rest = content[len(_MAGIC) : start], content[start:]
        if content[: len(_MAGIC)] != _MAGIC or total != hashlib.blake2b(rest, digest_size=_SUM_BYTES).digest():
            raise Damaged(f"{path.name} has a wrong checksum")
        if digest is not None and rest[:_KEY_BYTES] != digest:
            raise Damaged(f"{path.name} is another function")
        return rest[_KEY_BYTES:]

    def _try_out(self, root: Root) -> None:
        """Raises OSError or Refused if nothing can be saved, or not the whole engine."""
        probe = self._ready(root, root.path / self._settings) / f"{uuid.uuid4().hex[:8]}{_PART}"
        try:
            with open(os.open(probe, _CREATE, 0o600), "wb") as file:
                for _ in range(_MEGABYTES):
                    file.write(bytes(1 << 20))
        finally:
            with suppress(FileNotFoundError):
                os.unlink(probe)

    def _ready(self, root: Root, directory: Path) -> Path:
        """The ``directory`` below ``root``, made if need be."""
        try:
            self._check(root, directory)
        except FileNotFoundError:
            self._trust.make_directory(root.path)
            self._trust.check_directory(root.path, root.path)
            self._trust.make_directory(directory)
            self._check(root, directory)
        return directory

    def _save(self, root: Root, layer: str, name: str, content: bytes) -> None:
        for last in (False, True):
            directory = self._ready(root, self.directory(root.path, layer))
            part = directory / f"{uuid.uuid4().hex[:16]}{_PART}"
            try:
                handle = os.open(part, _CREATE, 0o644)
                with open(handle, "wb") as file:
                    file.write(content)
                self._replace(part, directory / name)
                return
            except OSError as error:
                with suppress(OSError):
                    part.unlink()
                if last or not isinstance(error, FileNotFoundError):
                    raise
                self._trust.forget(directory)  # another process has just dropped it

    @staticmethod
    def _replace(part: Path, target: Path) -> None:
        """Give ``part`` the name ``target``."""
        try:
            os.replace(part, target)
        except PermissionError:
            if sys.platform != "win32" or not target.is_file():
                raise
            part.unlink()  # another process is just reading what it has saved there

    def _drop(self, directory: Path) -> None:
        """Have nothing there any more, nor anything in the way of it. Raises OSError."""
        self._trust.forget(directory)
        discard(directory if directory.parent.is_dir() else directory.parent)


def discard(path: Path) -> None:
    """Remove ``path``, whatever it is; it is set aside at once, so that nobody opens half of it. Raises OSError."""
    aside = path.with_name(f"jit-gone-{uuid.uuid4().hex[:8]}")
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(os.lstat(aside).st_mode):
        shutil.rmtree(aside, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(aside)


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=_KEY_BYTES).digest()


def _reason(error: Exception) -> str:
    """What went wrong, in one line."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text.splitlines()[0] if text else type(error).__name__
