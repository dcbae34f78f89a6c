"""The limits of the command line, for searches and in words."""

from __future__ import annotations

import argparse
from typing import Any

from chess.engine import Limit

from engine import __version__


def limit_of(chosen: argparse.Namespace, seconds: float) -> tuple[Limit, str]:
    """The limit that was asked for, or ``seconds``, as python-chess's Limit and in words."""
    if chosen.depth is not None:
        return Limit(depth=chosen.depth), f"{chosen.depth} plies a position"
    if chosen.nodes is not None:
        return Limit(nodes=chosen.nodes), f"{chosen.nodes} nodes a position"
    time = chosen.time or seconds
    return Limit(time=time), f"{time:g} s a position"


def engine_name(words: str, options: dict[str, Any]) -> str:
    """Who analyses, for tags and pages: the version, the limit in words and the options that differ."""
    return ", ".join([f"Numbat {__version__}", words, *(f"{name} {value}" for name, value in options.items())])
