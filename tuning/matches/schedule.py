"""The pairs of games of a match, a round robin or a gauntlet, in order of play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, count

KINDS = ("roundrobin", "gauntlet")


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """Pair ``number`` of the tournament: engines by index, the opening by number, one game or two."""

    number: int
    engines: tuple[int, int]
    opening: int
    games: int = 2


def pairings(engines: int, kind: str = "roundrobin") -> list[tuple[int, int]]:
    """The encounters of engines 0, 1, ...: all with all, or the first with all others."""
    if kind == "gauntlet":
        return [(0, other) for other in range(1, engines)]
    return list(combinations(range(engines), 2))


def plan(engines: int, games: int | None, kind: str = "roundrobin") -> Iterator[PlannedPair]:
    """All pairs, round by round, so that every encounter has the same openings when play stops early.

    ``games`` is the number for each encounter, ``None`` for no end; an odd number makes the last pair single.
    """
    meetings = pairings(engines, kind)
    for opening in count():
        left = None if games is None else games - 2 * opening
        if left is not None and left <= 0:
            return
        for place, meeting in enumerate(meetings):
            number = opening * len(meetings) + place
            yield PlannedPair(number, meeting, opening, 2 if left is None else min(2, left))
