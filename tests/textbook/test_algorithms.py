"""Properties of the searches on random trees and games."""

from math import inf
from time import monotonic

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.textbook import (
    LearnedOrder,
    OutOfTime,
    alpha_beta,
    alpha_beta_with_table,
    aspiration,
    depth_limited,
    iterative_deepening,
    minimax_decision,
    monte_carlo_tree_search,
    mtdf,
    negamax,
    negamax_alpha_beta,
    null_window,
    player,
    principal_variation_search,
    quiescence_search,
)
from engine.textbook.games import Bones, ExplicitTree, Othello, TicTacToe
from engine.textbook.games.chess import Chess
from tests.textbook.trees import infinite_trees, naive, sorted_tree, trees, uniform_shapes, uniform_trees, worst_tree

EXACT = [
    minimax_decision,
    negamax,
    alpha_beta,
    negamax_alpha_beta,
    principal_variation_search,
    mtdf,
    alpha_beta_with_table,
    aspiration,
    depth_limited,
    iterative_deepening,
]

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def follow(game, line):
    """The state at the end of a line of actions, each checked to be legal."""
    state = game.initial()
    for action in line:
        assert action in game.actions(state)
        state = game.result(state, action)
    return state


def best_actions(game, depth):
    """The root's best actions and their value, by minimax of every child."""
    root = game.initial()
    side = game.to_move(root)
    values = {
        action: minimax_decision(game, game.result(root, action), depth - 1).value for action in game.actions(root)
    }
    value = side * max(side * v for v in values.values())
    return {action for action, v in values.items() if v == value}, value


def assert_among(best_actions, outcome):
    """The outcome's move is one of the best, and so is its value."""
    best, value = best_actions
    assert outcome.value == value
    assert outcome.move in best
    assert len(best) > 1 or {outcome.move} == best


def random_chess(random, plies):
    """Chess from a position after some random moves."""
    board = chess.Board()
    while board.ply() < plies and any(board.legal_moves):
        board.push(random.choice(list(board.legal_moves)))
    return Chess(board.fen())


# Every algorithm returns minimax's value


@given(tree=trees())
def test_value_move_and_line_on_random_trees(tree):
    game = ExplicitTree(tree)
    best = None if game.is_terminal(()) else best_actions(game, 99)
    for algorithm in EXACT:
        outcome = algorithm(game, None, 99)
        assert outcome.value == naive(tree), algorithm
        assert outcome.exact, algorithm
        end = follow(game, outcome.line)
        assert game.is_terminal(end), algorithm
        assert game.utility(end) == outcome.value, algorithm
        if best is not None:
            assert_among(best, outcome)


@given(tree=trees(), depth=st.integers(1, 4))
def test_value_at_a_cutoff_on_random_trees(tree, depth):
    value = minimax_decision(ExplicitTree(tree), None, depth).value
    for algorithm in EXACT:
        assert algorithm(ExplicitTree(tree), None, depth).value == value, algorithm


@given(tree=trees())
def test_an_order_changes_the_cost_and_not_the_value(tree):
    for algorithm in EXACT:
        order = LearnedOrder()
        for _ in range(2):  # the second time with all that the first has learned
            assert algorithm(ExplicitTree(tree), None, 99, order=order).value == naive(tree), algorithm


@given(tree=trees(), bound=st.integers(-10, 10) | st.floats(-10, 10))
def test_null_window_asks_whether_the_value_exceeds_the_bound(tree, bound):
    value, truth = null_window(ExplicitTree(tree), bound=bound).value, naive(tree)
    assert (value > bound) == (truth > bound)
    assert truth >= value if value > bound else truth <= value


@pytest.mark.parametrize(
    ("game", "depth"),
    [(TicTacToe(), 3), (Bones(7), 9), (Bones(8), 9), (Othello(4), 4), (Othello(8), 2), (Chess(), 2),
     (Chess(KIWIPETE), 2)],
    ids=["tictactoe", "bones7", "bones8", "othello4", "othello8", "chess", "kiwipete"],
)  # fmt: skip
def test_value_and_move_on_the_games(game, depth):
    best = best_actions(game, depth)
    for algorithm in EXACT:
        assert_among(best, algorithm(game, None, depth))


@given(tree=infinite_trees())
def test_utilities_may_be_infinite(tree):
    for algorithm in EXACT:
        outcome = algorithm(ExplicitTree(tree), None, 99)
        assert outcome.value == naive(tree), algorithm
        if isinstance(tree, list):
            assert outcome.move in range(len(tree)), algorithm
            assert naive(tree[outcome.move], False) == outcome.value, algorithm


@given(tree=infinite_trees())
def test_random_games_average_infinite_values(tree):
    value = monte_carlo_tree_search(ExplicitTree(tree), simulations=20).value
    assert -1e9 <= value <= 1e9


@given(tree=trees(), guess=st.integers(-12, 12) | st.just(inf), width=st.sampled_from([0.5, 3, inf]))
def test_aspiration_and_mtdf_from_any_guess(tree, guess, width):
    assert aspiration(ExplicitTree(tree), guess=guess, width=width).value == naive(tree)
    assert mtdf(ExplicitTree(tree), guess=min(guess, 99)).value == naive(tree)


@given(tree=trees(), depths=st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_a_table_may_come_from_any_earlier_search(tree, depths):
    table = {}
    for depth in depths:
        game = ExplicitTree(tree)
        found = alpha_beta_with_table(game, None, depth, table=table)
        plain = minimax_decision(game, None, depth)
        assert found.value == plain.value
        assert found.exact or not plain.exact  # what it need not look at may be estimated
        assert not found.exact or found.value == naive(tree)


@given(tree=trees(), window=st.tuples(st.integers(-10, 10), st.integers(-10, 10)).filter(lambda w: w[0] < w[1]))
def test_fail_soft_results_bound_the_true_value(tree, window):
    table, (alpha, beta), truth = {}, window, naive(tree)
    for low, high in ((alpha, beta), (alpha - 2, alpha - 1), (beta, beta + 3), (alpha, beta)):
        game, bounds = ExplicitTree(tree), {"alpha": low, "beta": high}
        for found in (negamax_alpha_beta(game, **bounds), alpha_beta_with_table(game, **bounds, table=table)):
            value = found.value
            assert truth <= value if value <= low else truth >= value if value >= high else truth == value


def test_a_table_saves_transposed_nodes():
    plain, table = alpha_beta(TicTacToe()), alpha_beta_with_table(TicTacToe())
    assert table.value == plain.value
    assert table.nodes < plain.nodes / 3


# Quiescence


def test_quiescence_does_not_stand_pat_in_check():
    mated = Chess("6k1/5ppp/8/8/8/8/1q3PPP/R5K1 w - - 0 1")
    assert quiescence_search(mated, None, 1).value == 1000.0
    losing = Chess("4k3/8/8/8/8/8/4r1PP/2q3K1 w - - 0 1")  # mate: standing pat would be -14
    assert quiescence_search(losing, None, 1).value == -1000.0


@given(tree=trees(), depth=st.integers(1, 4))
def test_without_noise_quiescence_is_minimax(tree, depth):
    game = ExplicitTree(tree)
    assert quiescence_search(game, None, depth).value == minimax_decision(game, None, depth).value


@settings(max_examples=8)
@given(seed=st.randoms(use_true_random=False), plies=st.integers(1, 60))
def test_quiescence_equals_a_plain_search_of_noisy_moves(seed, plies):
    game = random_chess(seed, plies)

    def quiet(state, depth):
        """Seen by the player to move, without bounds; cut off far down, where exchanges have ended."""
        if game.is_terminal(state):
            return game.to_move(state) * game.utility(state)
        stand = -inf if game.forced(state) else game.to_move(state) * game.evaluate(state)
        if depth == 0:
            return stand if stand > -inf else game.to_move(state) * game.evaluate(state)
        return max([stand, *(-quiet(game.result(state, move), depth - 1) for move in game.noisy(state))])

    root = game.initial()
    if not game.is_terminal(root) and len(game.noisy(root)) < 6:
        truth = max(-quiet(game.result(root, move), 3) for move in game.actions(root))
        found = quiescence_search(game, None, 1)
        if all_quiet_within(game, root, 4):
            assert game.to_move(root) * found.value == truth


def all_quiet_within(game, state, plies):
    """Whether every series of noisy moves behind the first move has ended after so many."""
    if game.is_terminal(state):
        return True
    moves = game.actions(state) if plies == 4 else game.noisy(state)
    return not moves or (plies > 0 and all(all_quiet_within(game, game.result(state, m), plies - 1) for m in moves))


# The player


@given(tree=trees())
def test_the_player_finds_and_proves_the_value(tree):
    outcome = player(ExplicitTree(tree))
    assert outcome.value == naive(tree)
    assert outcome.exact


def test_the_player_does_not_take_an_estimate_for_a_proof():
    assert not player(TicTacToe(), depth=5).exact
    assert player(TicTacToe()).exact
    game = Chess()
    reached = []
    player(game, depth=3, report=lambda depth, outcome: reached.append((depth, outcome.exact)))
    assert reached == [(1, False), (2, False), (3, False)]


# What pruning saves


@given(tree=trees())
def test_alpha_beta_never_visits_more_leaves_than_minimax(tree):
    most = minimax_decision(ExplicitTree(tree)).leaves
    for algorithm in (alpha_beta, negamax_alpha_beta):  # principal variation search may count a leaf twice
        assert algorithm(ExplicitTree(tree)).leaves <= most, algorithm


@given(case=uniform_trees())
def test_perfect_order_visits_the_knuth_moore_minimum(case):
    branching, depth, tree = case
    best = ExplicitTree(sorted_tree(tree, best_first=True))
    for algorithm in (alpha_beta, negamax_alpha_beta, principal_variation_search):
        assert algorithm(best).leaves == branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1, algorithm


@given(shape=uniform_shapes(), data=st.data())
def test_worst_order_visits_every_leaf(shape, data):
    branching, depth = shape
    count = branching**depth
    worst = ExplicitTree(worst_tree(data.draw(st.permutations(range(count))), branching, depth))
    for algorithm in (alpha_beta, negamax_alpha_beta, minimax_decision):
        assert algorithm(worst).leaves == count, algorithm


@pytest.mark.parametrize(
    ("game", "perft"),
    [(Chess(), 4_865_609), pytest.param(Chess(KIWIPETE), 193_690_690, marks=pytest.mark.slow)],
    ids=["start", "kiwipete"],
)
def test_ordered_alpha_beta_needs_a_twentieth_of_minimax(game, perft):
    assert iterative_deepening(game, None, 5).leaves <= 0.05 * perft  # minimax's leaves are perft's, see test_games


# Depth and time


@pytest.mark.parametrize("search", [depth_limited, iterative_deepening])
def test_a_depth_below_one_is_refused(search):
    with pytest.raises(ValueError, match="depth must be at least 1, not 0"):
        search(TicTacToe(), None, 0)


def test_deepening_reports_every_depth_and_stops_at_the_leaves():
    reports = []
    outcome = iterative_deepening(ExplicitTree(), None, inf, report=lambda depth, o: reports.append((depth, o)))
    assert [depth for depth, _ in reports] == [1, 2]
    assert outcome.exact
    assert outcome.leaves == sum(o.leaves for _, o in reports)
    assert outcome.nodes == sum(o.nodes for _, o in reports)


def test_deepening_obeys_the_clock_and_still_has_a_move():
    for seconds in (0.0, 0.2):
        outcome = iterative_deepening(Chess(), None, seconds=seconds)
        assert outcome.move in chess.Board().legal_moves


@pytest.mark.parametrize("algorithm", [each for each in EXACT if each is not iterative_deepening])
def test_a_deadline_that_has_passed_raises(algorithm):
    with pytest.raises(OutOfTime):
        algorithm(TicTacToe(), None, 5, deadline=monotonic() - 1)


# Monte Carlo


@pytest.mark.parametrize(("heap", "move"), [(6, 2), (7, 3), (9, 1)])
def test_uct_finds_the_winning_take(heap, move):
    outcome = monte_carlo_tree_search(Bones(heap), simulations=3000)
    assert outcome.move == move
    assert outcome.value > 0.5


def test_uct_tends_to_minimax():
    def error(simulations):
        return abs(3 - monte_carlo_tree_search(ExplicitTree(), simulations=simulations).value)

    assert error(20_000) < 0.3 < error(20)


def test_uct_is_reproducible_and_counts_its_games():
    first, again, other = (monte_carlo_tree_search(Othello(4), simulations=50, seed=s) for s in (1, 1, 2))
    assert first == again != other
    assert first.leaves == 50
    assert not first.exact


def test_uct_obeys_its_bounds():
    with pytest.raises(ValueError, match="simulations must be at least 1, not 0"):
        monte_carlo_tree_search(TicTacToe(), simulations=0)
    assert monte_carlo_tree_search(TicTacToe(), deadline=monotonic() - 1).leaves == 1
    shallow = monte_carlo_tree_search(Chess(), simulations=30, horizon=3)
    assert shallow.nodes <= 1 + 30 * (1 + 3)
