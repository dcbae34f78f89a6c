"""Aspiration windows: search around the expected value."""

from collections.abc import Callable
from math import inf
from typing import Any

from engine.textbook.alphabeta import negamax_alpha_beta
from engine.textbook.game import A, Game, S
from engine.textbook.search import Solution


def aspiration(
    game: Game[S, A],
    state: S | None = None,
    depth: float = inf,
    guess: float | None = None,
    width: float = 0.5,
    algorithm: Callable[..., Solution[A]] = negamax_alpha_beta,
    **options: Any,
) -> Solution[A]:
    """Search with the window ``guess`` - ``width`` to ``guess`` + ``width`` (MAX's view), which prunes more. If
    the value falls outside, open that side of the window and search again; the counts are the sums over all searches.
    The guess is usually the value of the previous depth; without one the window is open from the start.
    Source: Slate and Atkin, "CHESS 4.5" (1977); Baudet (1978)."""
    alpha, beta = (-inf, inf) if guess is None else (guess - width, guess + width)
    nodes = leaves = 0
    while True:
        found = algorithm(game, state, depth, alpha, beta, **options)
        nodes, leaves = nodes + found.nodes, leaves + found.leaves
        if found.value <= alpha and alpha > -inf:
            alpha = -inf
        elif found.value >= beta and beta < inf:
            beta = inf
        else:
            return Solution(found.value, found.line, nodes, leaves, found.exact)
