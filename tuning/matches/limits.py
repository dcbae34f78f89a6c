"""How long an engine may think: time controls as tournaments write them, and fixed limits."""

import math
import re
from dataclasses import dataclass

from engine.messages import counted
from tuning.common.errors import SetupError

MOVETIME_MARGIN = 0.1
"""Seconds by which a fixed time per move may be exceeded: few engines subtract their overhead there."""

_TC = re.compile(r"(?:(?P<moves>\d+)/)?(?:(?P<minutes>\d+):)?(?P<seconds>\d+(?:\.\d+)?)(?:\+(?P<inc>\d+(?:\.\d+)?))?")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Limits of one engine for a move or a game. Times are seconds; ``None`` and 0 mean unbounded.

    A clock (``base``) and a fixed time (``movetime``) exclude each other; ``nodes`` and ``depth`` may be
    added to either or stand alone."""

    base: float | None = None
    increment: float = 0.0
    moves: int = 0
    movetime: float | None = None
    nodes: int | None = None
    depth: int | None = None
    margin: float | None = None

    def __post_init__(self) -> None:
        if self.base is not None and self.movetime is not None:
            raise SetupError("a clock (tc) and a fixed time per move (movetime) cannot be combined")
        for name in ("movetime", "nodes", "depth"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise SetupError(f"{name} must be above zero, not {value}")
        if self.margin is not None and not self.margin >= 0:
            raise SetupError(f"the time margin cannot be negative: {self.margin}")

    @property
    def bounded(self) -> bool:
        """Whether a search under these limits ends by itself."""
        return any(x is not None for x in (self.base, self.movetime, self.nodes, self.depth))

    @property
    def tolerance(self) -> float:
        """Seconds by which the time may be exceeded before the game is lost."""
        if self.margin is not None:
            return self.margin
        return MOVETIME_MARGIN if self.movetime is not None else 0.0

    @property
    def clock(self) -> str:
        """The time control as :func:`parse_tc` reads it."""
        return f"{f'{self.moves}/' if self.moves else ''}{self.base or 0:g}+{self.increment:g}"

    def __str__(self) -> str:
        parts = (
            "" if self.base is None else self.clock,
            "" if self.movetime is None else f"{self.movetime:g} s/move",
            "" if self.nodes is None else counted(self.nodes, "node"),
            "" if self.depth is None else f"depth {self.depth}",
        )
        return ", ".join(filter(None, parts)) or "unbounded"


def parse_tc(text: str) -> tuple[float, float, int]:
    """Read ``[moves/][minutes:]seconds[+increment]`` into base seconds, increment seconds and moves.

    This is the notation of cutechess: ``8+0.08``, ``40/60``, ``0:08+0.08``. Raises :class:`SetupError`."""
    match = _TC.fullmatch(text.strip())
    if match is None:
        raise SetupError(f"time control {text!r} is not of the form [moves/][minutes:]seconds[+increment]")
    base = 60.0 * int(match["minutes"] or 0) + float(match["seconds"])
    if base <= 0:
        raise SetupError(f"time control {text!r} gives no time")
    return base, float(match["inc"] or 0.0), int(match["moves"] or 0)
