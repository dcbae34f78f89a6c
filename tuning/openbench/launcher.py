"""The launcher: unpacks itself once into the user's cache and runs from there.

Compiled code needs a permanent directory; it is named by the digest of the file, so that versions do not mix.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import runpy
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import platformdirs


def unpacked(archive: Path) -> Path:
    """The directory with the contents of ``archive``; several processes may ask for it at once."""
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()[:16]
    cache = platformdirs.user_cache_path("numbat", appauthor=False)  # not by engine.folders, which is still packed
    folder = cache / f"launcher-{digest}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        fresh = tempfile.mkdtemp(dir=cache)
        with zipfile.ZipFile(archive) as file:
            file.extractall(fresh)
        with contextlib.suppress(OSError):  # another process was faster
            os.rename(fresh, folder)
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


if __name__ == "__main__":
    home = unpacked(Path(sys.path[0]).resolve())
    sys.path[0] = str(home)
    sys.argv[0] = str(home / "uci_main.py")
    runpy.run_path(sys.argv[0], run_name="__main__")
