"""Tactical themes, one file each, found in a line of moves by rules on python-chess boards.

Each theme that wins material has ``find(line, ply)``, which returns a :class:`~engine.explanation.claims.Finding` that
begins with the winner's move at ``ply``, or None. The rules are stricter than the word: the target must also be won in
the line, so that the claim is true. ``draw``, ``mate`` and ``opposition`` describe the result of a line."""

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
    trapped,
)

#: In order of preference among findings at the same move.
_FINDERS = (promotion, hanging, fork, skewer, removed_defender, trapped, discovered, pin, overloaded)


def findings(line: Line) -> list[Finding]:
    """The first finding of each theme in ``line``, by ply."""
    found = (next(filter(None, (theme.find(line, ply) for ply in line.turns())), None) for theme in _FINDERS)
    return sorted(filter(None, found), key=lambda finding: finding.ply)
