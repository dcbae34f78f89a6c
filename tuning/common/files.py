"""Atomic writes, and checks of input files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

from engine.files import WriteError, check_place, open_draft
from tuning.common.errors import SetupError


def refuse_missing(paths: Iterable[Path], what: str) -> None:
    """Raise :class:`SetupError` for the first path that does not exist."""
    for path in paths:
        if not path.exists():
            raise SetupError(f"{what} {path}: No such file or directory")


def check_output(out: Path | None, inputs: Sequence[Path], *, replace: bool = True) -> None:
    """Raise :class:`SetupError` if the output is an input, cannot be written or, without ``replace``, has content."""
    if out is None:
        return
    if any(out.resolve() == path.resolve() for path in inputs):
        raise SetupError(f"cannot write {out}: it is one of the files to read")
    try:
        folder = next(parent for parent in out.absolute().parents if parent.exists())
        check_place(out if out.parent.exists() else folder / f"{out.name}.part")  # the others will be made
        if not replace and out.exists() and out.stat().st_size:
            raise SetupError(f"{out} already exists; choose another file")
    except (WriteError, OSError) as error:
        raise SetupError(error) from None


def digest(path: Path) -> str:
    """A short digest of a file, to notice another of the same name. Raises OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=8)).hexdigest()


@contextmanager
def atomic_text(path: Path, encoding: str = "utf-8") -> Iterator[TextIO]:
    """A stream whose text replaces ``path`` at the end, unless an exception is raised. Raises :class:`SetupError`."""
    with _replacing(path) as draft, TextIOWrapper(draft, encoding) as stream:
        yield stream


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` atomically. Raises :class:`SetupError`."""
    with _replacing(path) as draft:
        draft.write(data)


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_draft(path) as draft:
            yield draft
    except OSError as error:
        raise SetupError(f"cannot write {path}: {error.strerror}") from None
