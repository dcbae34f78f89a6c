"""Numbat: a UCI chess engine in plain Python, compiled by numba.

``from engine import Engine`` gives the engine as a Python object. The name is resolved on first use, so
that importing this package (as the UCI loop does to answer ``uciok``) does not load numba.
"""

__version__ = "0.1.0"

__all__ = ["Engine", "__version__"]


def __getattr__(name: str):
    if name == "Engine":
        from engine.api import Engine

        return Engine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
