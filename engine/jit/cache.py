"""Where compiled kernels are kept between starts, and how numba reaches them.

numba asks :class:`KernelCache`, one for each function, which finds the function's code in the :data:`STORE`.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from engine.folders import cache_folder
from engine.jit import private
from engine.jit.digest import LAYERS, PACKAGE, WORKBENCH, layer_of_source, settings_digest, source_digest
from engine.jit.store import SUFFIX, Found, Store

#: Where pip puts packages. It would leave a cache behind there when it takes the package away, and what is left of
#: the directory would stand in the way of a checkout that is installed in its place (``pip install -e``).
INSTALLED = ("site-packages", "dist-packages")

#: Letters of a function's name that a file's name begins with, for people who look into the cache. (The whole path
#: must stay far below the 260 characters that Windows allows.)
_LETTERS = 16


def _candidates() -> Iterator[Path]:
    """Cache directories in order of preference, unless NUMBAT_CACHE_DIR names one that can be used."""
    if PACKAGE.parent.name not in INSTALLED:
        yield PACKAGE / "__pycache__"
    folder = cache_folder()
    if folder.is_absolute():
        yield folder
    with suppress(OSError):  # no directory for temporary files either
        user = os.getuid() if hasattr(os, "getuid") else "user"
        yield Path(tempfile.gettempdir()) / f"numbat-{user}"


def _new_store() -> Store:
    chosen = os.environ.get("NUMBAT_CACHE_DIR")
    layers = {layer: partial(source_digest, layer) for layer in (*LAYERS, WORKBENCH)}
    first = Path(os.path.abspath(chosen)) if chosen else None
    return Store(first, list(_candidates()), settings_digest(), layers, PACKAGE)


STORE = _new_store()


class KernelCache(private.CacheBase):
    """The compiled code of one function, for all its signatures. Errors leave it to be compiled."""

    def __init__(self, function: Any, layer: str, store: Store) -> None:
        code = function.__code__
        self._layer, self._store = layer, store
        self._identity = (
            f"{function.__module__}.{function.__qualname__}:{code.co_firstlineno}:"
            f"{hashlib.sha256(code.co_code).hexdigest()}"
        )
        self._letters = re.sub(r"\W", "", function.__name__)[:_LETTERS]
        self._fetched: dict[str, Found] = {}
        #: How often code came from the cache.
        self.hits = 0

    def fetch(self, signature: Any) -> bool:
        """Whether the code for ``signature`` is there, sound, and now waits in memory to be loaded."""
        name, key = self._address(signature)
        found = self._store.read(self._layer, name, key)
        if found is None:
            self._fetched.pop(key, None)
            return False
        self._fetched[key] = found
        return True

    def has_fetched(self, signature: Any) -> bool:
        """Whether :meth:`fetch` found it, and it was not loaded since."""
        return self._address(signature)[1] in self._fetched

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compile result for ``sig``, or None."""
        name, key = self._address(sig)
        found = self._fetched.pop(key, None) or self._store.read(self._layer, name, key)
        if found is None:
            return None
        try:
            result = private.unpack(target_context, found.data)
        except Exception as error:  # a pickle may raise anything
            self._store.spoilt(found.root, self._layer, f"{name} cannot be loaded: {type(error).__name__}")
            return None
        self.hits += 1
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the compile result ``data``, if that can be done."""
        name, key = self._address(sig)
        try:
            packed = private.pack(data)
        except Exception as error:  # so may the making of one
            self._store.remark(f"the code of {name} cannot be saved: {type(error).__name__}")
            return
        if packed is not None:
            self._store.write(self._layer, name, key, packed)

    def _address(self, signature: Any) -> tuple[str, str]:
        """The name of the file for ``signature``, and the key that tells it from all others."""
        key = f"{self._identity}{signature}"
        return f"{self._letters}-{hashlib.sha256(key.encode()).hexdigest()[:12]}{SUFFIX}", key


def cache_of(function: Any) -> KernelCache | None:
    """A cache for ``function``; None if it is in no layer, or made by another function whose variables it uses."""
    layer = layer_of_source(function.__code__.co_filename)
    if layer is None or function.__closure__:
        return None
    return KernelCache(function, layer, STORE)
