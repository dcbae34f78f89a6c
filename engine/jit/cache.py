"""Connects numba to the cache folder: numba asks a :class:`KernelCache`, one for each function, for compiled code."""

import hashlib
import os
import re
from functools import partial
from pathlib import Path
from typing import Any

from engine.folders import cache_folder
from engine.jit import private
from engine.jit.digest import LAYERS, WORKBENCH, layer_of_source, settings_digest, source_digest
from engine.jit.store import SUFFIX, Store

#: Length of the function name in cache file names, for humans; short, as Windows limits paths to 260 characters.
_PREFIX_CHARACTERS = 16

STORE = Store(
    Path(os.environ.get("NUMBAT_CACHE_DIR") or cache_folder()),
    settings_digest(),
    {layer: partial(source_digest, layer) for layer in (*LAYERS, WORKBENCH)},
)


class KernelCache(private.CacheBase):
    """The compiled code of one function, for all its signatures. After any error it is recompiled."""

    def __init__(self, function: Any, layer: str, store: Store) -> None:
        code = function.__code__
        self._layer, self._store = layer, store
        self._identity = (
            f"{function.__module__}.{function.__qualname__}:{code.co_firstlineno}:"
            f"{hashlib.sha256(code.co_code).hexdigest()}"
        )
        self._prefix = re.sub(r"\W", "", function.__name__)[:_PREFIX_CHARACTERS]
        self._fetched: dict[str, bytes] = {}
        self.hits = 0  # the number of loads from the cache

    def fetch(self, signature: Any) -> bool:
        """Read the code for ``signature`` into memory; False if it is missing or damaged."""
        name, key = self.address(signature)
        found = self._store.read(self._layer, name, key)
        if found is None:
            self._fetched.pop(key, None)
            return False
        self._fetched[key] = found
        return True

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        name, key = self.address(sig)
        found = self._fetched.pop(key, None) or self._store.read(self._layer, name, key)
        if found is None:
            return None
        try:
            result = private.unpack(target_context, found)
        except Exception as error:  # unpickling may raise anything
            self._store.damaged(f"{name} cannot be loaded: {type(error).__name__}")
            return None
        self.hits += 1
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        name, key = self.address(sig)
        try:
            packed = private.pack(data)
        except Exception as error:  # pickling too
            self._store.warn(f"the code of {name} cannot be saved: {type(error).__name__}")
            return
        if packed is not None:
            self._store.write(self._layer, name, key, packed)

    def address(self, signature: Any) -> tuple[str, str]:
        """The name of the file for ``signature``, and its unique key."""
        key = f"{self._identity}{signature}"
        return f"{self._prefix}-{hashlib.sha256(key.encode()).hexdigest()[:12]}{SUFFIX}", key


def cache_of(function: Any) -> KernelCache | None:
    """A cache for ``function``; None if it belongs to no layer or is a closure."""
    layer = layer_of_source(function.__code__.co_filename)
    if layer is None or function.__closure__:
        return None
    return KernelCache(function, layer, STORE)
