"""Alpha-beta: minimax's value without the branches that cannot change it."""

from math import inf, nextafter
from typing import Unpack

from engine.textbook.game import MAX, A, Game, S
from engine.textbook.search import NO_LINE, SearchOptions, Solution, Valued, begin


def alpha_beta(
    game: Game[S, A], state: S | None = None, depth: float = inf, **options: Unpack[SearchOptions]
) -> Solution[A]:
    """Minimax with bounds: alpha is what MAX can already force, beta what MIN can. Once a value leaves the window
    between them, the opponent avoids this state, and its remaining actions are pruned.
    Source: Edwards and Hart, "The alpha-beta heuristic" (1963); form and names as in Russell and Norvig."""
    s, state = begin(game, state, **options)

    @s.node
    def max_value(state: S, depth: float, alpha: float, beta: float) -> Valued:
        if s.cutoff(state, depth):
            return s.leaf(state)
        best, line = -inf, NO_LINE
        for action in s.actions(state):
            value, reply = min_value(game.result(state, action), depth - 1, alpha, beta)
            if value > best or not line:
                best, line = value, (action, *reply)
            if best >= beta:
                break
            alpha = max(alpha, best)
        s.learn(state, line[0], depth, best >= beta)
        return best, line

    @s.node
    def min_value(state: S, depth: float, alpha: float, beta: float) -> Valued:
        if s.cutoff(state, depth):
            return s.leaf(state)
        best, line = inf, NO_LINE
        for action in s.actions(state):
            value, reply = max_value(game.result(state, action), depth - 1, alpha, beta)
            if value < best or not line:
                best, line = value, (action, *reply)
            if best <= alpha:
                break
            beta = min(beta, best)
        s.learn(state, line[0], depth, best <= alpha)
        return best, line

    return s.outcome(*(max_value if game.to_move(state) == MAX else min_value)(state, depth, -inf, inf))


def negamax_alpha_beta(
    game: Game[S, A],
    state: S | None = None,
    depth: float = inf,
    alpha: float = -inf,
    beta: float = inf,
    **options: Unpack[SearchOptions],
) -> Solution[A]:
    """Alpha-beta in one function, fail-soft: with ``alpha`` and ``beta`` in MAX's view, a value inside the
    window is exact, one at or below alpha is an upper bound, one at or above beta a lower bound.
    Source: Knuth and Moore (1975), procedure F2; fail-soft: Fishburn, "Another Optimization of Alpha-Beta
    Search" (1983)."""
    s, state = begin(game, state, **options)

    @s.node
    def visit(state: S, depth: float, alpha: float, beta: float) -> Valued:
        if s.cutoff(state, depth):
            return s.leaf(state, game.to_move(state))
        best, line = -inf, NO_LINE
        for action in s.actions(state):
            value, reply = visit(game.result(state, action), depth - 1, -beta, -max(alpha, best))
            if -value > best or not line:
                best, line = -value, (action, *reply)
            if best >= beta:
                break
        s.learn(state, line[0], depth, best >= beta)
        return best, line

    side = game.to_move(state)
    value, line = visit(state, depth, *((alpha, beta) if side == MAX else (-beta, -alpha)))
    return s.outcome(side * value, line)


def null_window(
    game: Game[S, A], state: S | None = None, depth: float = inf, bound: float = 0.0, **options: Unpack[SearchOptions]
) -> Solution[A]:
    """Find only whether the value exceeds ``bound`` (MAX's view), with a window that no value fits into: the
    value returned is above ``bound`` exactly when minimax's is, and bounds it from that side.
    Source: Fishburn, "Analysis of Speedup in Distributed Algorithms" (1981); Pearl's TEST (1980)."""
    return negamax_alpha_beta(game, state, depth, bound, nextafter(bound, inf), **options)
