"""Where compiled kernels are kept between starts, and how a stale one is never served.

numba's own cache looks only at the file that defines a function, so it misses an edit in a callee's module,
another numpy, or another optimisation level. Here every source file, library version and code-generation
setting enters a digest, and the digest names the directory. The digest is layered as the imports are: the
kernels of ``board`` are kept while ``search`` is edited, and all of them while the workbench is.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import llvmlite
import numba
import numpy as np
from numba.core import caching, codegen, config

PACKAGE = Path(__file__).resolve().parent.parent

#: The compiled layers from the bottom up; a layer's digest covers itself and everything below it.
LAYERS = ("jit", "board", "evaluation", "search", "syzygy")

#: The layer up to which every start needs all kernels. Those above are compiled when somebody asks for them.
START = "search"

#: The package beside this one whose kernels stand on all the layers.
WORKBENCH = "tuning"

#: Where pip puts packages. It would leave a cache behind there when it takes the package away, and what is left of
#: the directory would stand in the way of a checkout that is installed in its place (``pip install -e``).
INSTALLED = ("site-packages", "dist-packages")

#: How many directories of earlier source states are kept in one cache.
KEPT_DIRECTORIES = 24


def _settings() -> str:
    """What changes the generated code without being in a source file."""
    return repr(
        (
            numba.__version__,
            llvmlite.__version__,
            np.__version__,
            sys.version_info[:2],
            llvmlite.binding.get_process_triple(),
            config.CPU_NAME or llvmlite.binding.get_host_cpu_name(),
            codegen.get_host_cpu_features() if config.CPU_FEATURES is None else config.CPU_FEATURES,
            config.OPT,
            config.BOUNDSCHECK,
            config.LOOP_VECTORIZE,
            config.SLP_VECTORIZE,
            config.DEBUGINFO_DEFAULT,
        )
    )


@cache
def digest(layer: str) -> str:
    """Hexadecimal digest of the sources of ``layer`` (one of :data:`LAYERS` or the workbench) and of all below it."""
    state = hashlib.sha256(_settings().encode())
    folders = [PACKAGE / name for name in LAYERS] + [PACKAGE.parent / WORKBENCH]
    for folder in folders[: [*LAYERS, WORKBENCH].index(layer) + 1]:
        for path in sorted(folder.rglob("*.py")):
            state.update(path.relative_to(PACKAGE.parent).as_posix().encode() + b"\0")
            state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()[:20]


def _candidates() -> Iterator[Path]:
    """Cache directories in order of preference, where NUMBAT_CACHE_DIR has not chosen one that can be used."""
    if PACKAGE.parent.name not in INSTALLED:
        yield PACKAGE / "__pycache__"
    base = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME")
    if base:
        yield Path(base) / "numbat"
    else:
        with suppress(RuntimeError):  # no home directory at all
            yield Path.home() / ".cache" / "numbat"
    with suppress(OSError):  # no directory for temporary files either
        user = os.getuid() if hasattr(os, "getuid") else "user"
        shared = Path(tempfile.gettempdir()) / f"numbat-{user}"
        if _is_ours(shared):
            yield shared


def _is_ours(path: Path) -> bool:
    """Whether ``path``, in a place where anybody can write, is not another user's: loading a kernel runs it."""
    try:
        return not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()
    except FileNotFoundError:
        return True


def _writable(path: Path) -> bool:
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return True
    except OSError:
        return False


def directory_of(root: Path, layer: str) -> Path:
    """The directory under ``root`` that holds the kernels of ``layer`` for the present sources."""
    return root / f"jit-{layer}-{digest(layer)}"


def is_complete(root: Path, layer: str = START) -> bool:
    """Whether every kernel up to ``layer`` has been compiled into ``root`` for the present sources (it may be
    read-only)."""
    return (directory_of(root, layer) / "complete").is_file()


def mark_complete(root: Path, layer: str = START) -> None:
    """Record that all kernels up to ``layer`` are in ``root``, and drop the oldest directories of former sources."""
    (directory_of(root, layer) / "complete").touch()
    kept = {directory_of(root, layer) for layer in LAYERS}
    others = [path for path in root.glob("jit-*") if path not in kept]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[KEPT_DIRECTORIES:]:
        shutil.rmtree(path, ignore_errors=True)


def _all_writable(root: Path) -> bool:
    return all(_writable(directory_of(root, layer)) for layer in LAYERS)


def _find_root() -> Path | None:
    """The directory that the user chose, the first with a complete set of kernels, or the first that can be written."""
    chosen = os.environ.get("NUMBAT_CACHE_DIR")
    if chosen and (is_complete(Path(chosen)) or _all_writable(Path(chosen))):
        return Path(chosen)
    candidates = list(_candidates())
    for usable in (is_complete, _all_writable):
        for root in candidates:
            if usable(root):
                return root
    return None


#: The cache in use, or None where nothing can be written (kernels are then compiled at every start).
ROOT: Path | None = _find_root()


class _Locator(caching._CacheLocator):
    """Tells numba to keep a function of this package or of the workbench under its layer's digest."""

    def __init__(self, function, file: Path, layer: str) -> None:
        self._name = file.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".")
        self._py_file = str(file)  # numba names both when it warns
        self._lineno = function.__code__.co_firstlineno
        self._layer = layer

    def get_cache_path(self) -> str:
        assert ROOT is not None
        return str(directory_of(ROOT, self._layer))

    def get_source_stamp(self) -> str:
        return digest(self._layer)

    def get_disambiguator(self) -> str:
        return f"{self._name}-{self._lineno}"

    @classmethod
    def from_function(cls, py_func, py_file):
        file = Path(py_file).resolve()
        if ROOT is None:
            return None
        if PACKAGE.parent / WORKBENCH in file.parents:
            return cls(py_func, file, WORKBENCH)
        layer = file.relative_to(PACKAGE).parts[0] if PACKAGE in file.parents else ""
        return cls(py_func, file, layer) if layer in LAYERS else None


caching.CacheImpl._locator_classes.insert(0, _Locator)
