"""The engine in a fresh process, for tests of how it starts: ``python -m tests.search.child search DEPTH FEN...``

Prints one JSON object: what the start reported, and each position's score, best move and nodes. With ``lint`` in
place of ``search`` also what is wrong with the compiled code (see :func:`faults`).
"""

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import chess


def search(depth: int, fens: list[str]) -> dict[str, Any]:
    """Start an engine and search each position from a clean table."""
    from engine.api import Engine
    from engine.messages import Limits

    messages: list[str] = []
    found = []
    with Engine(hash=1, report=messages.append) as engine:
        for fen in fens:
            engine.new_game()
            info = engine.search(chess.Board(fen), Limits(depth=depth))
            found.append([info.score.cp, info.score.mate, info.pv[0], info.nodes])
    return {"messages": messages, "found": found}


def compile_here() -> None:
    """Have everything compiled in this process: only of that can :func:`faults` tell."""
    from engine.jit import detached

    def refuse(*ignored: Any) -> None:
        raise OSError

    detached.begin = refuse


def prepare_tables() -> None:
    """Compile what a start leaves for later."""
    from engine.jit.warmup import warm_up
    from engine.syzygy import files  # noqa: F401

    warm_up(lambda line: None, layer="syzygy", deferred=True)


def dispatchers() -> Iterator[tuple[str, Any]]:
    """Every compiled function of the package by its full name."""
    from numba.core.dispatcher import Dispatcher

    for name, module in sorted(sys.modules.items()):
        if name.startswith("engine."):
            for attribute, value in vars(module).items():
                if isinstance(value, Dispatcher) and value.py_func.__module__ == name:
                    yield f"{name}.{attribute}", value


def faults() -> list[str]:
    """Faults that make compiled code slow, wrong or unfit for the cache. Only code compiled in this process can tell.

    A second signature of a kernel, and recursion between two, which crash when loaded from the cache (numba
    issue 6061); floating point, into which numba lets mixed signed and unsigned integers slide; functions that
    numba cannot cache.
    """
    from engine.jit.decorators import KERNELS

    kernels = {kernel.dispatcher for kernel in KERNELS}
    wrong = [] if kernels else ["there are no kernels"]
    for name, dispatcher in dispatchers():
        if dispatcher.stats.cache_hits:
            wrong.append(f"{name} came from the cache")
            continue
        if dispatcher in kernels and len(dispatcher.overloads) != 1:
            wrong.append(f"{name} has {len(dispatcher.overloads)} signatures")
        for signature, result in dispatcher.overloads.items():
            code = dispatcher.inspect_llvm(signature)
            unresolved = re.findall(r"\.numba\.unresolved\$[\w$.]+", code)
            if unresolved:
                wrong.append(f"{name} recurses into another signature: {unresolved[0][:80]}")
            if floats := re.findall(r"^.*\b(?:double|float)\b.*$", code, re.MULTILINE):
                wrong.append(f"{name}{signature} computes in floating point: {floats[:4]}")
            if result.library.has_dynamic_globals:
                wrong.append(f"{name} cannot be cached")
    return wrong


if __name__ == "__main__":
    command, depth, *fens = sys.argv[1:]
    if command == "lint":
        compile_here()
    answer = search(int(depth), fens)
    if command == "lint":
        prepare_tables()
        answer["faults"] = faults()
    print(json.dumps(answer))
