"""Monte Carlo tree search: for games too broad to search by brute force, or without an evaluation."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import inf, log, sqrt
from random import Random
from time import monotonic
from typing import Any

from engine.textbook.game import A, Game, S
from engine.textbook.search import Solution, begin

HUGE = 1e9  # stands for an infinite value


@dataclass
class _Tree:
    """A state in the tree: untried actions, children, visits, and the sum of results for MAX."""

    state: Any
    untried: list[Any]
    children: dict[Hashable, "_Tree"] = field(default_factory=dict)
    visits: int = 0
    total: float = 0.0


def monte_carlo_tree_search(
    game: Game[S, A],
    state: S | None = None,
    simulations: int = 1000,
    horizon: float = inf,
    exploration: float = sqrt(2),
    seed: int = 0,
    deadline: float = inf,
) -> Solution[A]:
    """Grow a tree by ``simulations`` random games: go down by the best upper confidence bound, add one node,
    play at random to the end (or ``horizon`` plies on, then evaluate), and credit the result to the path.
    Returns the most visited move with its average as the value, an estimate that converges to minimax's.
    Stops early at ``deadline`` (``time.monotonic`` seconds). Infinite values, which have no average, count as
    ``HUGE``. Raises ``ValueError`` for no simulations.
    Source: Kocsis and Szepesvari, "Bandit Based Monte-Carlo Planning" (2006), UCT; Coulom (2006)."""
    if simulations < 1:
        raise ValueError(f"simulations must be at least 1, not {simulations}")
    (s, state), random = begin(game, state), Random(seed)

    def grown(state: S) -> _Tree:
        s.nodes += 1
        untried = [] if game.is_terminal(state) else list(game.actions(state))
        random.shuffle(untried)
        return _Tree(state, untried)

    def rollout(state: S) -> float:
        plies = 0
        while plies < horizon and not game.is_terminal(state):
            state, plies = game.result(state, random.choice(game.actions(state))), plies + 1
        s.nodes += plies
        return max(-HUGE, min(HUGE, s.leaf(state)[0]))

    root = grown(state)
    lowest, highest = inf, -inf
    for simulation in range(simulations):
        if simulation and monotonic() >= deadline:
            break
        node, path = root, [root]
        while node.children and not node.untried:  # selection
            side, span, trials = game.to_move(node.state), max(highest - lowest, 1e-9), log(node.visits)
            node = max(
                node.children.values(),
                key=lambda c: side * c.total / c.visits / span + exploration * sqrt(trials / c.visits),
            )
            path.append(node)
        if node.untried:  # expansion
            action = node.untried.pop()
            node.children[action] = node = grown(game.result(node.state, action))
            path.append(node)
        value = rollout(node.state)  # simulation
        lowest, highest = min(lowest, value), max(highest, value)
        for node in path:  # backpropagation
            node.visits, node.total = node.visits + 1, node.total + value

    s.exact, node, line = False, root, list[Any]()
    while node.children:
        action, node = max(node.children.items(), key=lambda item: item[1].visits)
        line.append(action)
    chosen = root.children[line[0]] if line else root
    return s.outcome(chosen.total / chosen.visits, tuple(line))
