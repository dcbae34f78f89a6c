"""Files named by the user: only regular files are opened or replaced, and writes are atomic.

Opening a FIFO blocks, and reading a device may never end."""

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


class WriteError(ValueError):
    """A file that cannot be written; the message names it and the reason."""


#: Non-blocking, in case the path became a FIFO since it was checked; Windows has no FIFOs.
_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

#: A new file, not one that a link planted under its name points to.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open ``path`` for reading. Raises OSError with ``strerror``, also for an invalid name or an irregular file."""
    try:
        _check(os.stat(path).st_mode)
        descriptor = os.open(path, os.O_RDONLY | _NO_WAITING)
    except ValueError as error:  # a NUL, or a character that the file system cannot encode
        raise OSError(errno.EINVAL, f"not a valid file name ({error})") from None
    try:
        _check(os.fstat(descriptor).st_mode)
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)
        raise


def list_directory(path: str) -> list[str]:
    """The names in the directory ``path``, sorted. Raises OSError as :func:`open_regular` does."""
    try:
        return sorted(os.listdir(path))
    except ValueError as error:
        raise OSError(errno.EINVAL, f"not a valid directory name ({error})") from None


@contextmanager
def open_draft(path: Path, follow: bool = True) -> Iterator[BinaryIO]:
    """A stream whose content replaces ``path`` on exit unless an exception was raised. The user's symbolic links are
    preserved, and so are an old file's permissions. ``follow`` is for names that the user chose: under any other name
    a link is refused, for it may have come with an archive.

    Raises OSError, also for anything but a regular file. If the old file cannot be replaced, such as one open in
    another program on Windows, the finished draft is kept, and the error's ``strerror`` says where."""
    target, mode = _target(path, follow), None
    with suppress(FileNotFoundError):
        _check(mode := target.stat().st_mode)
    draft = target.with_name(f"numbat-{secrets.token_hex(8)}.part")
    stream = os.fdopen(os.open(draft, _NEW, 0o666 if mode is None else stat.S_IMODE(mode)), "wb")
    try:
        with stream:
            yield stream
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    try:
        if mode is not None:
            with suppress(OSError):  # the file system keeps no permissions
                draft.chmod(stat.S_IMODE(mode))
        os.replace(draft, target)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; the finished file is {draft}") from None


def check_place(path: Path, mark: str = "", follow: bool = True) -> None:
    """Fail early if a file cannot be written at ``path``; ``follow`` as for :func:`open_draft`. With ``mark`` only an
    empty file or one that contains this text may be replaced. Raises :class:`WriteError`."""
    try:
        target = _target(path, follow)
        if path.is_dir():
            reason = "it is a directory"
        elif not path.parent.is_dir():
            reason = "no such directory"
        elif path.exists() and not path.is_file():
            reason = "it is not a regular file"
        elif not os.access(target.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
            reason = os.strerror(errno.EACCES)
        elif mark and path.exists() and path.stat().st_size and mark.encode() not in path.read_bytes():
            reason = "it exists and contains something else; choose another file"
        else:
            return
    except OSError as error:  # such as a name that is too long
        reason = error.strerror or str(error)
    raise WriteError(f"cannot write {path}: {reason}")


def write_whole(path: Path, content: str | bytes | Iterable[str], follow: bool = True) -> None:
    """Write a file atomically; ``follow`` as for :func:`open_draft`. A text, or its parts, is encoded in UTF-8, with
    ``?`` for unencodable characters. Raises :class:`WriteError`."""
    try:
        with open_draft(path, follow) as draft:
            for part in (content,) if isinstance(content, (str, bytes)) else content:
                draft.write(part.encode(errors="replace") if isinstance(part, str) else part)
    except OSError as error:
        raise WriteError(f"cannot write {path}: {error.strerror}") from None


def write_or_rescue(path: Path, content: str | bytes | Sequence[str], follow: bool = True) -> None:
    """Write a file at the end of long work as :func:`write_whole` does; if that fails, write it into the user's home
    folder. Raises :class:`WriteError`, which says where the file is."""
    try:
        write_whole(path, content, follow)
    except WriteError as error:
        try:
            place = Path.home() / f"{path.stem}.{secrets.token_hex(4)}{path.suffix}"
            write_whole(place, content)
        except (WriteError, RuntimeError):  # there is no home
            raise error from None
        raise WriteError(f"{error}; it is in {place}") from None


def size_of(stream: BinaryIO) -> int:
    """Bytes of an open file."""
    return os.fstat(stream.fileno()).st_size


def _target(path: Path, follow: bool) -> Path:
    """The file that ``path`` names. Raises OSError for a link that somebody else may have planted."""
    if path.is_symlink():
        if not follow:
            raise OSError(errno.ELOOP, "it is a symbolic link, which is followed only under a name that you give")
        if hasattr(os, "geteuid") and path.lstat().st_uid != os.geteuid():
            raise OSError(errno.EACCES, "it is a link that belongs to another user")
    return Path(os.path.realpath(path))


def _check(mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = "a directory" if stat.S_ISDIR(mode) else "a pipe" if stat.S_ISFIFO(mode) else "a device"
        raise OSError(errno.EINVAL, f"{kind}, not a file")
