"""Where the user's programs keep caches and data, as the system has it."""

from __future__ import annotations

from pathlib import Path

from tuning.common.extras import need

_NAME = "numbat"


def cache_folder(use: str) -> Path:
    """The folder of Numbat in the user's cache, for this ``use``. Raises :class:`SetupError` without platformdirs."""
    need("platformdirs", use)
    import platformdirs

    return platformdirs.user_cache_path(_NAME, appauthor=False)


def data_folder(use: str) -> Path:
    """The folder of Numbat in the user's data, likewise."""
    need("platformdirs", use)
    import platformdirs

    return platformdirs.user_data_path(_NAME, appauthor=False)
