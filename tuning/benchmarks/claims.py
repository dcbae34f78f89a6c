"""Checks sentences about a result or two scores against a longer search."""

from engine.explanation.verdicts import CLEAR, EDGE, FAR_CP, SEVERAL_CP, SURE_CP, UNSURE_CP, WINNING, Standing

#: Centipawns that count as nothing.
NOTHING = 25

#: Maximum expected points of a game that may be called about even.
_LEVEL = 0.61


def compares(kind: str, had: int, has: int, before: float, after: float, slack: float) -> bool:
    """Whether a :class:`~engine.explanation.verdicts.Standing` of this ``kind`` and these levels is true of a side with
    expected points ``before`` by the better move and ``after`` by the other, within ``slack``.

    A side that is winning is also better.

    >>> compares("turned", 1, -2, 0.55, 0.05, 0.05), compares("turned", 1, -2, 0.45, 0.05, 0.05)
    (True, False)
    """
    if kind == "little":
        return True  # claims only the cost, which is checked in centipawns
    if kind == "lost":
        return _fits(had, before, slack) and after < CLEAR + slack
    if kind == "decided":  # claims only that there was an advantage
        return (had <= 0 or _fits(had, before, slack)) and _fits(has, after, slack)
    if kind == "open":
        return abs(after - 0.5) < CLEAR - 0.5 + slack
    if kind == "now":
        return _fits(has, after, slack)
    if kind == "anyway":
        return _fits(-3, before, slack) and _fits(-3, after, slack)
    if kind in ("either", "worse"):
        return _fits(min(had, has) if has > 0 else had, before, slack) and _fits(has, after, slack)
    if kind in ("gone", "half"):  # half of an advantage at least
        return before >= EDGE - slack and after - 0.5 <= (before - 0.5) / 2 + slack
    mentioned = min(1, max(-1, had))  # the sentence does not say how great the advantage was
    return _fits(mentioned, before, slack) and _fits(has, after, slack)


def _fits(said: int, points: float, slack: float) -> bool:
    if said == 0:
        return abs(points - 0.5) <= _LEVEL - 0.5 + slack
    return (points if said > 0 else 1 - points) >= (EDGE, CLEAR, WINNING)[abs(said) - 1] - slack


def said_cost(said: Standing) -> tuple[float, float] | None:
    """The range of centipawns that a move must have cost for the cost in ``said`` to be right: within a factor of two,
    and a move said to be slightly or probably better must not be worse. None if no cost is given.

    >>> said_cost(Standing("less", 3, 3, "pawns")), said_cost(Standing("gone", 1, 0))
    ((105.5, 660), None)
    """
    if said.cost == "surely":
        return NOTHING, 10_000
    return {
        "slightly": (-NOTHING, 2 * UNSURE_CP),
        "probably": (-NOTHING, 20_000),
        "pawns": ((SURE_CP + 1) / 2, 2 * SEVERAL_CP),
        "several": ((SEVERAL_CP + 1) / 2, 2 * FAR_CP),
        "far": ((FAR_CP + 1) / 2, 20_000),
    }.get(said.cost)
