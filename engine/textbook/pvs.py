"""Two searches built on the null window: principal variation search and MTD(f)."""

from math import inf, nextafter
from typing import Unpack

from engine.textbook.game import MAX, A, Game, S
from engine.textbook.search import NO_LINE, SearchOptions, Solution, Valued, begin
from engine.textbook.transposition import Table, alpha_beta_with_table


def principal_variation_search(
    game: Game[S, A], state: S | None = None, depth: float = inf, **options: Unpack[SearchOptions]
) -> Solution[A]:
    """Trust the order: search the first action with the full window, and of every other only ask, with a
    null window, whether it is better. When it is, after all, search it again for its value.
    Source: Marsland and Campbell, "Parallel Search of Strongly Ordered Game Trees" (1982); Reinefeld's
    NegaScout (1983)."""
    s, state = begin(game, state, **options)

    @s.node
    def visit(state: S, depth: float, alpha: float, beta: float) -> Valued:
        if s.cutoff(state, depth):
            return s.leaf(state, game.to_move(state))
        best, line = -inf, NO_LINE
        for action in s.actions(state):
            child, lower = game.result(state, action), max(alpha, best)
            if not line:
                value, reply = visit(child, depth - 1, -beta, -lower)
            else:
                value, reply = visit(child, depth - 1, -nextafter(lower, inf), -lower)
                if lower < -value < beta:
                    value, reply = visit(child, depth - 1, -beta, -lower)
            if -value > best or not line:
                best, line = -value, (action, *reply)
            if best >= beta:
                break
        s.learn(state, line[0], depth, best >= beta)
        return best, line

    value, line = visit(state, depth, -inf, inf)
    return s.outcome(game.to_move(state) * value, line)


def mtdf(
    game: Game[S, A], state: S | None = None, depth: float = inf, guess: float = 0.0, **options: Unpack[SearchOptions]
) -> Solution[A]:
    """Close in on the value with null windows alone, from a first ``guess`` (MAX's view): each search raises
    the lower bound or brings down the upper one, and a transposition table keeps the repetition cheap.
    Source: Plaat, Schaeffer, Pijls and de Bruin, "Best-First Fixed-Depth Minimax Algorithms" (1996)."""
    state = game.initial() if state is None else state
    table: Table = {}
    side, nodes, leaves, exact = game.to_move(state), 0, 0, True
    value, lower, upper, line = side * guess, -inf, inf, NO_LINE
    while lower < upper:
        beta = max(value, nextafter(lower, inf))
        window = (nextafter(beta, -inf), beta) if side == MAX else (-beta, -nextafter(beta, -inf))
        found = alpha_beta_with_table(game, state, depth, *window, table, **options)
        value, nodes, leaves = side * found.value, nodes + found.nodes, leaves + found.leaves
        exact = exact and found.exact
        if value >= beta:
            lower, line = value, found.line
        else:
            upper, line = value, line or found.line  # if every action loses an infinity, nothing else names one
    return Solution(side * value, line, nodes, leaves, exact)
