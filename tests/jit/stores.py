"""A store with one function in it, as a start of the engine uses it."""

from __future__ import annotations

from collections.abc import Callable
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


def new_store(root: Path, *others: Path, settings: str = "here", source: str = "now") -> Store:
    """A store of two layers, whose directory ``root`` the user has chosen."""
    return Store(root, list(others), settings, _layers(source), root.parent / "code")


def unchosen_store(*candidates: Path) -> Store:
    """The same if the user has chosen none."""
    return Store(None, list(candidates), "here", _layers("now"), candidates[0].parent / "code")


def _layers(source: str) -> dict[str, Callable[[], str]]:
    return {layer: lambda: source for layer in (LAYER, "high")}


def start(store: Store) -> tuple[int, int, list[str]]:
    """What the function gives for 41 in a start with this store, whether it came from there, and what was said."""
    dispatcher = njit(pipeline_class=private.Compiler)(add_one)
    kept = cache.KernelCache(add_one, LAYER, store)
    private.attach(dispatcher, kept)
    kept.fetch(SIGNATURE)
    dispatcher.compile(SIGNATURE)
    return int(dispatcher(41)), kept.hits, list(store.remarks(compiling=not kept.hits))


def address() -> tuple[str, str]:
    """Name and key of the function in any store."""
    return cache.KernelCache(add_one, LAYER, new_store(Path()))._address(SIGNATURE)


def plant(root: Path, data: bytes) -> None:
    """Have ``data`` in the place of the function's code in ``root``, with the right checksum."""
    new_store(root).write(LAYER, *address(), data)
