"""Minimax, in the max/min form and in the one-function form."""

from math import inf
from typing import Unpack

from engine.textbook.game import MAX, A, Game, S
from engine.textbook.search import NO_LINE, SearchOptions, Solution, Valued, begin


def minimax_decision(
    game: Game[S, A], state: S | None = None, depth: float = inf, **options: Unpack[SearchOptions]
) -> Solution[A]:
    """The value of ``state`` (default: the initial one) when both sides play best: MAX takes the greatest
    value, MIN the least. Visits the whole tree to ``depth`` plies, b^depth leaves.
    Source: von Neumann, "Zur Theorie der Gesellschaftsspiele" (1928); the procedure as in Russell and Norvig."""
    s, state = begin(game, state, **options)

    @s.node
    def max_value(state: S, depth: float) -> Valued:
        if s.cutoff(state, depth):
            return s.leaf(state)
        best, line = -inf, NO_LINE
        for action in s.actions(state):
            value, reply = min_value(game.result(state, action), depth - 1)
            if value > best or not line:
                best, line = value, (action, *reply)
        return best, line

    @s.node
    def min_value(state: S, depth: float) -> Valued:
        if s.cutoff(state, depth):
            return s.leaf(state)
        best, line = inf, NO_LINE
        for action in s.actions(state):
            value, reply = max_value(game.result(state, action), depth - 1)
            if value < best or not line:
                best, line = value, (action, *reply)
        return best, line

    return s.outcome(*(max_value if game.to_move(state) == MAX else min_value)(state, depth))


def negamax(
    game: Game[S, A], state: S | None = None, depth: float = inf, **options: Unpack[SearchOptions]
) -> Solution[A]:
    """Minimax in one function: what is good for one side is as bad for the other, so every node takes the
    greatest of its children's values, negated. The outcome's value is MAX's view all the same.
    Source: Knuth and Moore, "An Analysis of Alpha-Beta Pruning" (1975), procedure F1 without bounds."""
    s, state = begin(game, state, **options)

    @s.node
    def visit(state: S, depth: float) -> Valued:
        if s.cutoff(state, depth):
            return s.leaf(state, game.to_move(state))
        best, line = -inf, NO_LINE
        for action in s.actions(state):
            value, reply = visit(game.result(state, action), depth - 1)
            if -value > best or not line:
                best, line = -value, (action, *reply)
        return best, line

    value, line = visit(state, depth)
    return s.outcome(game.to_move(state) * value, line)
