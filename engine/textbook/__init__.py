"""The algorithms behind the engine as plain code: minimax, alpha-beta, principal variation search, transposition
table, aspiration windows, quiescence.

All return the same value, except ``null_window``, which returns a bound, quiescence and ``player``, which look further,
and Monte Carlo tree search, which estimates. The compiled search is tested against a compiled minimax of the same
kind, which is faster (``tests/search/minimax.py``)."""

from engine.textbook.alphabeta import alpha_beta, negamax_alpha_beta, null_window
from engine.textbook.aspiration import aspiration
from engine.textbook.deepening import depth_limited, iterative_deepening
from engine.textbook.game import MAX, MIN, Game
from engine.textbook.mcts import monte_carlo_tree_search
from engine.textbook.minimax import minimax_decision, negamax
from engine.textbook.ordering import LearnedOrder, Order
from engine.textbook.player import player
from engine.textbook.pvs import mtdf, principal_variation_search
from engine.textbook.quiescence import quiescence_search
from engine.textbook.search import OutOfTime, Search, SearchOptions, Solution
from engine.textbook.transposition import Table, alpha_beta_with_table

__all__ = [
    "MAX",
    "MIN",
    "Game",
    "LearnedOrder",
    "Order",
    "OutOfTime",
    "Search",
    "SearchOptions",
    "Solution",
    "Table",
    "alpha_beta",
    "alpha_beta_with_table",
    "aspiration",
    "depth_limited",
    "iterative_deepening",
    "minimax_decision",
    "monte_carlo_tree_search",
    "mtdf",
    "negamax",
    "negamax_alpha_beta",
    "null_window",
    "player",
    "principal_variation_search",
    "quiescence_search",
]  # fmt: skip
