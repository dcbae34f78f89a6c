"""Names for compiled code that change whenever the code would.

numba's own cache looks only at the file that defines a function, so it misses an edit in a callee's module, another
numpy, or another optimization level. Here the sources enter one digest and everything else another. The digest of
the sources is layered like the imports: an edit in ``search`` keeps the code of ``board``, and an edit in the workbench
keeps that of the whole engine."""

import hashlib
from functools import cache
from pathlib import Path

from engine.jit import codegen

PACKAGE = Path(__file__).resolve().parent.parent

#: The compiled layers from the bottom up; a layer's digest covers itself and everything below it.
LAYERS = ("jit", "board", "evaluation", "search", "syzygy")

START = "search"  # the layer up to which every start needs all kernels; those above are compiled on demand
WORKBENCH = "tuning"  # the package beside the engine whose kernels build on all layers


@cache
def settings_digest() -> str:
    """Hexadecimal digest of everything that affects the code, except the sources."""
    return hashlib.sha256(codegen.description().encode()).hexdigest()[:10]


@cache
def source_digest(layer: str) -> str:
    """Hexadecimal digest of the sources of ``layer`` (one of :data:`LAYERS` or the workbench) and of all below it."""
    state = hashlib.sha256()
    folders = [PACKAGE / name for name in LAYERS] + [PACKAGE.parent / WORKBENCH]
    for folder in folders[: [*LAYERS, WORKBENCH].index(layer) + 1]:
        for path in sorted(folder.rglob("*.py")):
            state.update(path.relative_to(PACKAGE.parent).as_posix().encode() + b"\0")
            state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()[:12]


@cache
def layer_of_source(name: str) -> str | None:
    """The layer of the file that a code object names."""
    return layer_of(Path(name).resolve())


def layer_of(file: Path) -> str | None:
    """The layer of a source file; None if its code is not cached."""
    if PACKAGE.parent / WORKBENCH in file.parents:
        return WORKBENCH
    layer = file.relative_to(PACKAGE).parts[0] if PACKAGE in file.parents else ""
    return layer if layer in LAYERS else None
