"""Two searches built on the null window: principal variation search and MTD(f)."""

from collections.abc import Hashable
from math import inf, nextafter
from typing import Unpack

from engine.textbook.game import A, Game, S
from engine.textbook.search import NO_LINE, Options, Outcome, Valued, begin


def principal_variation_search(
    game: Game[S, A], state: S | None = None, depth: float = inf, **options: Unpack[Options]
) -> Outcome[A]:
    """Trust the order: search the first action with the full window, and of every other only ask, with a
    null window, whether it is better. When it is, after all, search it again for its value.
    Source: Marsland and Campbell, "Parallel Search of Strongly Ordered Game Trees" (1982); Reinefeld's
    NegaScout (1983).
    """
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
    game: Game[S, A],
    state: S | None = None,
    depth: float = inf,
    guess: float = 0.0,
    **options: Unpack[Options],
) -> Outcome[A]:
    """Close in on the value with null windows alone, from a first ``guess`` (MAX's view): each search raises
    the lower bound or brings down the upper one, and a memory of bounds keeps the repetition cheap.
    Source: Plaat, Schaeffer, Pijls and de Bruin, "Best-First Fixed-Depth Minimax Algorithms" (1996).
    """
    s, state = begin(game, state, **options)
    memory: dict[tuple[Hashable, float], tuple[Valued, Valued]] = {}  # a lower and an upper bound

    @s.node
    def visit(state: S, depth: float, alpha: float, beta: float) -> Valued:
        name = game.key(state), depth
        floor, ceiling = memory.get(name, ((-inf, NO_LINE), (inf, NO_LINE)))
        if floor[0] >= beta:
            return floor
        if ceiling[0] <= alpha:
            return ceiling
        if s.cutoff(state, depth):
            found = s.leaf(state, game.to_move(state))
            memory[name] = found, found
            return found
        best, line = -inf, NO_LINE
        for action in s.actions(state):
            value, reply = visit(game.result(state, action), depth - 1, -beta, -max(alpha, best))
            if -value > best or not line:
                best, line = -value, (action, *reply)
            if best >= beta:
                break
        memory[name] = ((best, line), ceiling) if best >= beta else (floor, (best, line))
        s.learn(state, line[0], depth, best >= beta)
        return best, line

    value, line, lower, upper = game.to_move(state) * guess, NO_LINE, -inf, inf
    while lower < upper:
        beta = max(value, nextafter(lower, inf))
        value, found = visit(state, depth, nextafter(beta, -inf), beta)
        if value >= beta:
            lower, line = value, found
        else:
            upper, line = value, line or found  # if every action loses an infinity, nothing else names one
    return s.outcome(game.to_move(state) * value, line)
