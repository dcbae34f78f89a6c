"""Quiescence search: evaluate no state in the middle of an exchange."""

from math import inf
from time import monotonic
from typing import Unpack

from engine.textbook.game import A, Game, S
from engine.textbook.search import NO_LINE, OutOfTime, Search, SearchOptions, Solution, Valued
from engine.textbook.transposition import Table, alpha_beta_with_table


def quiesce(s: Search[S, A], state: S, alpha: float, beta: float) -> Valued:
    """The value of ``state`` to its player when only noisy actions are searched. Unless forced, the player may also
    stand pat, which is worth the evaluation."""
    if monotonic() >= s.deadline:
        raise OutOfTime
    game = s.game
    if game.is_terminal(state):
        return s.leaf(state, game.to_move(state))
    best, line = (-inf, NO_LINE) if game.forced(state) else s.leaf(state, game.to_move(state))
    actions = game.noisy(state) if best < beta else ()
    for action in sorted(actions, key=lambda action: -game.promise(state, action)):
        s.nodes += 1
        value, reply = quiesce(s, game.result(state, action), -beta, -max(alpha, best))
        if -value > best:
            best, line = -value, (action, *reply)
        if best >= beta:
            break
    return best, line


def quiescence_search(
    game: Game[S, A],
    state: S | None = None,
    depth: float = inf,
    alpha: float = -inf,
    beta: float = inf,
    table: Table | None = None,
    **options: Unpack[SearchOptions],
) -> Solution[A]:
    """Alpha-beta with a transposition table that searches noisy actions beyond its depth until the state is quiet.
    This counters the horizon effect: a capture looks won because the recapture lies one ply too deep. The value
    differs from minimax's at this depth and is a better estimate; without noisy actions they are equal.
    Source: Shannon (1950), who asked for it; Harris, "The Heuristic Search and the Game of Chess" (1975)."""
    return alpha_beta_with_table(game, state, depth, alpha, beta, table, quiesce, **options)
