"""The engine for Python programs: boards, moves and limits of python-chess in, lines and scores out.

``engine``       the class Engine: options and searches
``asynchronous`` the same for programs with an event loop
``boards``       the engine's position, from FENs and python-chess's boards
``batch``        static values of many positions
``many``         analyses of many positions by several processes
``types``        between the engine's own records and python-chess's types
``explaining``   the searches that an explanation needs
``bench``        the positions of the benchmark

Programs import from :mod:`engine`: ``from engine import Engine``.
"""

from engine.api.engine import Engine
from engine.api.types import Analysis, Stream
from engine.messages import Info, Limits, OptionError, PositionError, Result, Score, Stopped

__all__ = [
    "Analysis", "Engine", "Info", "Limits", "OptionError", "PositionError", "Result", "Score", "Stopped", "Stream",
]  # fmt: skip
