"""Adjudication: games decided early by both scores, by a long draw score, or by tablebase.

The defaults are those of the big testing sites: resignation at 6 pawns for 3 moves, a draw at 0.2 pawns for
8 moves from move 34 on.
"""

from dataclasses import dataclass

from tuning.common.errors import SetupError


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When to end a game early. Scores are centipawns; a count of 0 switches a rule off.

    ``resign_both``: the winner must see it too. One engine's wrong evaluation then costs no honest result."""

    resign_moves: int = 3
    resign_score: int = 600
    resign_both: bool = True
    draw_from: int = 34
    draw_moves: int = 8
    draw_score: int = 20
    tablebases: str | None = None
    max_moves: int = 0

    def __post_init__(self) -> None:
        for name in ("resign_moves", "resign_score", "draw_from", "draw_moves", "draw_score", "max_moves"):
            if getattr(self, name) < 0:
                raise SetupError(f"adjudication: {name.replace('_', ' ')} cannot be negative: {getattr(self, name)}")


def parse_rule(words: list[str], keys: dict[str, str], flag: str) -> dict[str, int]:
    """Read ``off`` or words such as ``movecount=3 score=600`` into fields of :class:`Adjudication`."""
    if words == ["off"]:
        return {keys["movecount"]: 0}
    fields = {}
    for word in words:
        key, _, value = word.partition("=")
        try:
            fields[keys[key]] = int(value)
        except (KeyError, ValueError):
            known = ", ".join(f"{key}=N" for key in keys)
            raise SetupError(f"{flag}: {word!r} is not 'off' or one of {known}") from None
    return fields
