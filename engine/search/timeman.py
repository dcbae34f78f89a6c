"""Time management: how long one move may take.

The *optimum* is what the move should cost: no new iteration starts once it is used up. The *maximum* is never
passed: the search is broken off there. All times are milliseconds.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.messages import Limits

#: How many moves a game is expected to go on for when no number is given.
EXPECTED_MOVES = 28

#: A move never takes more than this share of what is left, so that the clock always lasts.
MAXIMUM_SHARE = 0.4

#: No search is so short that it could not finish its first iterations.
LEAST = 1.0


class Budget(NamedTuple):
    """The time for one move; None where only ``stop``, a depth or a node count ends the search."""

    optimum: float | None
    maximum: float | None


def plan(limits: Limits, white_to_move: bool, overhead: int) -> Budget:
    """The budget for the side to move. ``overhead`` is lost with every move between engine and clock.

    A missing clock for the side to move (only the opponent's was sent) leaves the move without a budget.
    """
    if limits.movetime is not None:
        time = max(limits.movetime - min(overhead, limits.movetime // 20 + 1), LEAST)
        budget = Budget(time, time)
    else:
        budget = Budget(None, None)
    left = limits.wtime if white_to_move else limits.btime
    if left is None:
        return budget
    increment = limits.winc if white_to_move else limits.binc
    usable = max(left - overhead, LEAST)
    moves = min(limits.movestogo, EXPECTED_MOVES) if limits.movestogo else EXPECTED_MOVES
    optimum = usable / moves + 0.75 * increment
    # Before a new time control all the time may go into the moves left; at least one overhead stays for each.
    share = 0.8 if limits.movestogo == 1 else MAXIMUM_SHARE
    maximum = max(min(4 * optimum, share * usable), LEAST)
    optimum = max(min(optimum, maximum), LEAST)
    if budget.maximum is None:
        return Budget(optimum, maximum)
    return Budget(min(optimum, budget.maximum), min(maximum, budget.maximum))
