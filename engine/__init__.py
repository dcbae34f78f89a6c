"""Numbat: a UCI chess engine in plain Python, compiled by numba.

``from engine import Engine`` gives the engine as a Python class. Names are resolved on first use, so that importing
this package (as the UCI loop does before ``uciok``) does not load numba."""

from typing import TYPE_CHECKING, Any

from engine.version import version as _version

if TYPE_CHECKING:
    from engine.api import Analysis, Engine, Info, Limits, OptionError, PositionError, Result, Score, Stopped, Stream
    from engine.api.asynchronous import AsyncEngine

__version__ = _version()

__all__ = [
    "Analysis",
    "AsyncEngine",
    "Engine",
    "Info",
    "Limits",
    "OptionError",
    "PositionError",
    "Result",
    "Score",
    "Stopped",
    "Stream",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name == "AsyncEngine":
        from engine.api.asynchronous import AsyncEngine

        return AsyncEngine
    if name in __all__:
        from engine import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
