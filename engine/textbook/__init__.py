"""The line of algorithms the engine stands on, from minimax to principal variation search, as plain code.

All but Monte Carlo tree search return the same value, which makes them the oracle of the compiled search.
"""

from engine.textbook.alphabeta import alpha_beta, negamax_alpha_beta, null_window
from engine.textbook.deepening import depth_limited, iterative_deepening
from engine.textbook.game import MAX, MIN, Game
from engine.textbook.mcts import monte_carlo_tree_search
from engine.textbook.minimax import minimax_decision, negamax
from engine.textbook.ordering import LearnedOrder, Order
from engine.textbook.pvs import mtdf, principal_variation_search
from engine.textbook.search import Options, Outcome, OutOfTime, Search

__all__ = [
    "MAX", "MIN", "Game", "LearnedOrder", "Options", "Order", "OutOfTime", "Outcome", "Search", "alpha_beta",
    "depth_limited", "iterative_deepening", "minimax_decision", "monte_carlo_tree_search", "mtdf", "negamax",
    "negamax_alpha_beta", "null_window", "principal_variation_search",
]  # fmt: skip
