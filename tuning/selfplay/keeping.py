"""Games of tests, kept to learn from: they were played anyway, and with more nodes a move than games made for that."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tuning.common.errors import SetupError
from tuning.data.viriformat import count_file


def keeper(path: Path) -> Callable[[bytes], Any]:
    """A function that appends games in viriformat to the file at ``path``.

    A torn last game, which a killed run leaves, is cut off first. Raises :class:`SetupError`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        whole = count_file(path)[2]
        if path.stat().st_size > whole:
            os.truncate(path, whole)
    except OSError as error:
        raise SetupError(f"cannot write {path}: {error.strerror}") from None

    def keep(games: bytes) -> None:
        try:
            with path.open("ab") as stream:
                stream.write(games)
        except OSError as error:
            raise SetupError(f"cannot write {path}: {error.strerror}") from None

    return keep
