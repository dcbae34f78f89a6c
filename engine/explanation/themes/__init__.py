"""Tactical themes, one file each, found in a line of moves by rules on python-chess boards.

Each theme has ``find(line)``, which returns a :class:`~engine.explanation.claims.Finding` or None. The rules are
stricter than the word: the target must also be won in the line, so that the claim is true."""

from engine.explanation.claims import Finding
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

#: In order of preference among findings at the same move.
_FINDERS = (promotion, hanging, fork, skewer, removed_defender, trapped, discovered, pin, overloaded, threat)


def findings(line: Line) -> list[Finding]:
    """The findings of all themes in ``line``, by ply."""
    found = [finding for theme in _FINDERS if (finding := theme.find(line))]
    return sorted(found, key=lambda finding: finding.ply)


__all__ = ["findings"]
