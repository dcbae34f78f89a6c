"""An engine's output during a search, parsed after the clock has stopped.

python-chess can parse these lines as they come, but that takes time that would be charged to the engine. So the
workbench keeps the raw text and parses it after the move.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

MATE_CENTIPAWNS = 100_000
"""A mate in ``n`` moves counts as ``MATE_CENTIPAWNS - n`` centipawns wherever one number is needed."""


@dataclass(slots=True)
class InfoLine:
    """One line of output: score from the engine's view in centipawns or moves to mate."""

    depth: int = 0
    multipv: int = 1
    cp: int | None = None
    mate: int | None = None
    bound: bool = False
    nodes: int = 0
    pv: tuple[str, ...] = ()

    @property
    def scored(self) -> bool:
        return self.cp is not None or self.mate is not None

    @property
    def value(self) -> int:
        """The score as one number of centipawns; mates lie beyond every evaluation."""
        if self.mate is not None:
            return MATE_CENTIPAWNS - self.mate if self.mate > 0 else -MATE_CENTIPAWNS - self.mate
        return self.cp or 0

    @property
    def score_text(self) -> str:
        """``+0.35`` pawns, or ``+M3``, as PGN comments write it."""
        if self.mate is not None:
            return f"{'+' if self.mate > 0 else '-'}M{abs(self.mate)}"
        return f"{(self.cp or 0) / 100:+.2f}"


#: A number that engines may send; int() alone would also take other scripts' digits, and fail for very long ones.
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def parse_uci(line: str) -> InfoLine:
    """Read an ``info`` line. Words that cannot be parsed are ignored."""
    thought = InfoLine()
    tokens = line.split()
    i = 1
    while i < len(tokens):
        word = tokens[i]
        following = tokens[i + 1] if i + 1 < len(tokens) else ""
        i += 1
        if word == "string":
            break
        if word == "pv":
            thought.pv = tuple(tokens[i:])
            break
        if word in ("depth", "multipv", "nodes", "cp", "mate") and _WHOLE.fullmatch(following):
            number = int(following)
            i += 1
            if word in ("cp", "mate"):
                thought.cp, thought.mate = (number, None) if word == "cp" else (None, number)
            else:
                setattr(thought, word, number)
        elif word in ("lowerbound", "upperbound"):
            thought.bound = True
    return thought


def parse_scored(lines: Iterable[str]) -> list[InfoLine]:
    """The lines with a score in an engine's output."""
    return [parse_uci(line) for line in lines if line.startswith("info ") and " score " in line]


def last_scored(thoughts: list[InfoLine]) -> InfoLine | None:
    """The last scored line of the first variation, exact rather than a bound, with the nodes of the whole search."""
    scored = [thought for thought in thoughts if thought.scored and thought.multipv == 1]
    exact = [thought for thought in scored if not thought.bound]
    if not scored:
        return None
    return replace((exact or scored)[-1], nodes=max(thought.nodes for thought in thoughts))
