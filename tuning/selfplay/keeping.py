"""Games of tests, kept to learn from: they were played anyway, and with more nodes a move than games made for that."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tuning.common.errors import SetupError
from tuning.data.viriformat import count_file, read_positions


def keeper(path: Path) -> Callable[[bytes], Any]:
    """A function that appends games in viriformat to the file at ``path``.

    A torn last game, which a killed run leaves, is cut off first. Raises :class:`SetupError`, also for a file that
    holds anything but games: that is left as it is.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        games, _, whole = count_file(path)
        size = path.stat().st_size
        read_positions([path])
        if size and not games:
            raise SetupError(f"{path} holds no game in viriformat: choose another file")
        if size > whole:
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
