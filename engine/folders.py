"""The user's folders for caches and data, where the operating system keeps them."""

from __future__ import annotations

from pathlib import Path

import platformdirs  # 2 ms of a start of 440

_NAME = "numbat"


def cache_folder() -> Path:
    """Numbat's folder in the user's cache directory. It is relative if the user has no home directory."""
    return platformdirs.user_cache_path(_NAME, appauthor=False)


def data_folder() -> Path:
    """Numbat's folder in the user's data directory, likewise."""
    return platformdirs.user_data_path(_NAME, appauthor=False)
