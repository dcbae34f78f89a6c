"""Time management: how long one move may take.

The *optimum* is the target: no new iteration starts once it is used up. :func:`pace_of` scales it by how settled the
choice of move is. The *maximum* is never exceeded: the search is stopped there. All times are in milliseconds."""

from dataclasses import replace
from typing import NamedTuple

from engine.messages import MAX_LIMIT, Limits
from engine.search.parameters import Parameters, ParametersRecord

FORCED_MOVE_DEPTH = 8  # the depth to which a single legal move is searched, for its score
MIN_TIME_MS = 1.0  # the minimum time for a move in milliseconds, enough to finish the first iterations
MOVES_TO_COME = 50  # without a time control the overhead is reserved for this many moves (as in Stockfish 11, up to 50)

#: Milliseconds of the overhead of later moves that 1 ms of increment covers: few setups lose the whole overhead with
#: every move, and with an increment the clock never stays empty.
OVERHEAD_PER_INCREMENT = 5

#: The share of the clock to think with when the reserve would take more: up to a time control, and the cap in sudden
#: death.
SHARE_TO_CONTROL, SHARE_TO_END = 1 / 2, 1 / 4

SHARE_EXPECTED = 0.7  # the usual share of nodes spent on the best move; with more the search stops earlier

#: The number of iterations for which the best move usually stays the same, and the most that count.
STABLE_EXPECTED, STABLE_ENOUGH = 5, 8


class Budget(NamedTuple):
    """The time for one move in milliseconds; None if only ``stop``, a depth or a node count ends the search."""

    optimum: float | None
    maximum: float | None


def time_for(
    params: ParametersRecord, left: float, increment: float, togo: int, overhead: float
) -> tuple[float, float]:
    """The optimum and the maximum for one move, in milliseconds, with ``left`` on the clock for ``togo`` moves (0 if
    not given). ``overhead`` is lost with every move. Self-play, whose clocks count nodes, calls it too."""
    # Each move loses its overhead. If overheads alone would use up most of the time, assume that they will be shorter:
    # then a share of the time is for thinking, but never more than this move's overhead leaves. In sudden death the
    # share falls with the square of the clock, because the number of moves to come is unknown.
    if togo > 0:
        reserved, thinking = overhead * togo, SHARE_TO_CONTROL * left
    else:
        reserved = overhead + max(overhead - OVERHEAD_PER_INCREMENT * increment, 0.0) * (MOVES_TO_COME - 1)
        thinking = left * min(SHARE_TO_END, (left / max(reserved, MIN_TIME_MS)) ** 2)
    usable = max(left - reserved, min(thinking, left - overhead), MIN_TIME_MS)
    moves = min(togo, params.TimeMoves) if togo > 0 else params.TimeMoves
    optimum = usable / moves + params.TimeIncrement / 100 * increment
    # Never more than a share of the remaining time, so that the clock always lasts.
    share = 0.8 if togo == 1 else params.TimeMaximumShare / 100
    maximum = min(params.TimeMaximum / 100 * optimum, share * usable)
    if togo > 1:  # leave each other move the minimum and twice its overhead, or else an equal share
        maximum = min(maximum, max(left - overhead - (2 * overhead + MIN_TIME_MS) * (togo - 1), usable / togo))
    maximum = max(maximum, MIN_TIME_MS)
    return max(min(optimum, maximum), MIN_TIME_MS), maximum


def pace_of(params: ParametersRecord, share: float, stable: int, drop: int) -> float:
    """The factor on the optimum if the best move took a ``share`` of all nodes, has stayed the same for ``stable``
    iterations, and is worth ``drop`` centipawns less than in the previous one.

    A move that takes most of the nodes has no rival; a move that stays best over many iterations is unlikely to change;
    a falling score deserves another look (the three rules of Stockfish and its derivatives)."""
    effort = 1 + params.TimeEffort / 100 * (SHARE_EXPECTED - share)
    stability = 1 + params.TimeStability / 100 * (STABLE_EXPECTED - min(stable, STABLE_ENOUGH))
    trend = 1 + params.TimeTrend / 10_000 * max(-20, min(drop, 60))
    return float(effort * stability * trend)


def plan(limits: Limits, white_to_move: bool, overhead: int, parameters: Parameters) -> Budget:
    """The budget for the side to move. ``overhead`` is lost between engine and clock with every move. If only the
    opponent's clock was given, the move has no budget."""
    if limits.movetime is not None:
        time = max(limits.movetime - min(overhead, limits.movetime // 20 + 1), MIN_TIME_MS)
        budget = Budget(time, time)
    else:
        budget = Budget(None, None)
    left = limits.wtime if white_to_move else limits.btime
    if left is None:
        return budget
    increment = limits.winc if white_to_move else limits.binc
    togo = limits.movestogo or 0
    optimum, maximum = time_for(parameters.record, left, increment, togo, overhead)
    if budget.maximum is None:
        return Budget(optimum, maximum)
    return Budget(min(optimum, budget.maximum), min(maximum, budget.maximum))


class NodeClock:
    """A clock that counts nodes instead of time, so that a game is the same on every machine (Stockfish's option
    ``nodestime``). ``rate`` nodes count as a millisecond; 0 uses real time. The GUI's clock, which runs in real time,
    counts only at the first move of a game."""

    def __init__(self) -> None:
        self.rate = 0
        self._left: float | None = None
        self._increment = 0
        self._runs = False

    def reset(self) -> None:
        self._left = None

    def limits_for(self, limits: Limits, white_to_move: bool) -> Limits:
        """The limits with this clock instead of the GUI's."""
        clock = limits.wtime if white_to_move else limits.btime
        self._runs = self.rate > 0 and clock is not None
        if not self._runs or clock is None:
            return limits
        self._increment = limits.winc if white_to_move else limits.binc
        if self._left is None:
            self._left = clock
        left = min(max(0, round(self._left)), MAX_LIMIT)
        return replace(limits, wtime=left, btime=left)

    def spend(self, nodes: int) -> None:
        """Charge this clock with the ``nodes`` of a move, if that was on the clock."""
        if self._runs and self._left is not None:
            self._left += self._increment - nodes / self.rate
