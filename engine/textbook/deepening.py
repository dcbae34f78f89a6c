"""Searches of games that are too large to search to the end: with a depth limit, and with a clock."""

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Unpack

from engine.textbook.alphabeta import alpha_beta
from engine.textbook.game import A, Game, S
from engine.textbook.ordering import LearnedOrder
from engine.textbook.search import OutOfTime, SearchOptions, Solution


def depth_limited(
    game: Game[S, A],
    state: S | None = None,
    depth: float = 3,
    algorithm: Callable[..., Solution[A]] = alpha_beta,
    **options: Unpack[SearchOptions],
) -> Solution[A]:
    """Look ``depth`` plies ahead and use the evaluation in place of the utility there. Raises ``ValueError`` for a
    depth below 1, which would yield no move. Source: Shannon, "Programming a Computer for Playing Chess" (1950), the
    type A strategy."""
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    return algorithm(game, state, depth, **options)


def iterative_deepening(
    game: Game[S, A],
    state: S | None = None,
    depth: float = inf,
    seconds: float = inf,
    algorithm: Callable[..., Solution[A]] = alpha_beta,
    report: Callable[[int, Solution[A]], object] = lambda depth, outcome: None,
    **options: Unpack[SearchOptions],
) -> Solution[A]:
    """Search 1, 2, 3, ... plies deep until ``depth`` is reached, the time is up or no leaf is estimated, and
    return the outcome of the last finished depth, with the total cost. Depth 1 always finishes. Each depth orders the
    next one's actions, so that all together cost less than the last alone would without them.
    ``report`` is called after each finished depth. Raises ``ValueError`` for a depth below 1.
    Source: Scott, "A Chess-Playing Program" (1969); Slate and Atkin, "CHESS 4.5" (1977)."""
    options.setdefault("order", LearnedOrder())
    deadline = min(options.pop("deadline", inf), monotonic() + seconds)
    nodes = leaves = reached = 0
    while True:
        try:
            done = depth_limited(game, state, min(depth, reached + 1), algorithm, **options)
        except OutOfTime:
            break
        nodes, leaves, reached = nodes + done.nodes, leaves + done.leaves, reached + 1
        report(reached, done)
        if reached >= depth or done.exact:
            break
        options["deadline"] = deadline
    return Solution(done.value, done.line, nodes, leaves, done.exact)
