"""A store with one function in it, as a start of the engine uses it."""

from pathlib import Path
from typing import Any

from numba import int64, njit

from engine.jit import cache, private
from engine.jit.store import Store

SIGNATURE = int64(int64)

LAYER = "low"


def add_one(x: Any) -> Any:
    """The function that is kept."""
    return x + 1


def new_store(folder: Path, settings: str = "here", source: str = "now") -> Store:
    """A store of two layers."""
    return Store(folder, settings, {layer: lambda: source for layer in (LAYER, "high")})


def start(store: Store) -> tuple[int, int, list[str]]:
    """The function's result for 41 with this store, the number of cache hits, and the remarks."""
    dispatcher = njit(pipeline_class=private.Compiler)(add_one)
    kept = cache.KernelCache(add_one, LAYER, store)
    private.attach(dispatcher, kept)
    kept.fetch(SIGNATURE)
    dispatcher.compile(SIGNATURE)
    return int(dispatcher(41)), kept.hits, store.warnings()


def address() -> tuple[str, str]:
    """Name and key of the function in any store."""
    return cache.KernelCache(add_one, LAYER, new_store(Path())).address(SIGNATURE)


def plant(folder: Path, data: bytes) -> None:
    """Save ``data`` in place of the function's code, with the right checksum."""
    new_store(folder).write(LAYER, *address(), data)


def file_of(root: Path) -> Path:
    """The only file with code in a cache."""
    (path,) = root.rglob("*.nbc")
    return path
