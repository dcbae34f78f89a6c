"""Tactical themes, one file each: what a line of moves shows, found by rules on python-chess boards.

Each theme has ``find(line)``, which gives a :class:`~engine.explanation.facts.Finding` or None. The rules
ask for more than the word means: what is named must also be won in the line, so that what is said is true.
"""

from __future__ import annotations

from engine.explanation.facts import Finding
from engine.explanation.line import Line
from engine.explanation.themes import (
    discovered,
    fork,
    hanging,
    overloaded,
    pin,
    promotion,
    removed_defender,
    skewer,
    threat,
    trapped,
)

#: In the order in which they are asked; of several at the same move the first is told.
_FINDERS = (promotion, hanging, fork, skewer, removed_defender, trapped, discovered, pin, overloaded, threat)


def findings(line: Line) -> list[Finding]:
    """What the themes find in ``line``, by ply."""
    found = [finding for theme in _FINDERS if (finding := theme.find(line))]
    return sorted(found, key=lambda finding: finding.ply)


__all__ = ["findings"]
