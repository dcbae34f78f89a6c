"""Files that are never seen half."""

from __future__ import annotations

from pathlib import Path

from tuning.errors import SetupError


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``; whenever that is interrupted, there is the former file or the new one.

    Raises :class:`SetupError`.
    """
    draft = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise SetupError(f"cannot write {path}: {error.strerror}") from None
