"""The user's folders for caches and data, where the operating system keeps them."""

from __future__ import annotations

from pathlib import Path

import platformdirs  # 2 ms of a start of 440

_NAME = "numbat"


def cache_folder() -> Path:
    """Numbat's folder in the user's cache directory; a relative path if the user has no home directory."""
    try:
        return platformdirs.user_cache_path(_NAME, appauthor=False)
    except RuntimeError:
        return Path("~") / _NAME


def data_folder() -> Path:
    """Numbat's folder in the user's data directory."""
    return platformdirs.user_data_path(_NAME, appauthor=False)
