"""The user's cache folder, as the operating system defines it."""

from pathlib import Path

import platformdirs

_NAME = "numbat"


def cache_folder() -> Path:
    """Numbat's folder in the user's cache directory; a relative path if the user has no home directory."""
    try:
        return platformdirs.user_cache_path(_NAME, appauthor=False)
    except RuntimeError:
        return Path("~") / _NAME
