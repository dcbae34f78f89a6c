"""The user's cache folder, where the operating system keeps it."""

from __future__ import annotations

from pathlib import Path

import platformdirs  # 2 ms of a start of 440


def cache_folder() -> Path:
    """Numbat's folder in the user's cache directory. It is relative if the user has no home directory."""
    return platformdirs.user_cache_path("numbat", appauthor=False)
