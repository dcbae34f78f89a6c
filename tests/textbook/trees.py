"""Random game trees for the property tests, and a naive minimax that shares no code with the package."""

from collections.abc import Sequence
from math import inf

from hypothesis import strategies as st

from engine.textbook.games.trees import Tree

values = st.integers(-9, 9)


def trees(max_leaves: int = 40) -> st.SearchStrategy[Tree]:
    """Trees of any shape whose leaves are small integers, so that ties are common."""
    return st.recursive(values, lambda inner: st.lists(inner, min_size=1, max_size=4), max_leaves=max_leaves)


def infinite_trees() -> st.SearchStrategy[Tree]:
    """Trees of any shape, many of whose leaves are infinite."""
    leaves = st.sampled_from([inf, -inf, -1, 0, 1])
    return st.recursive(leaves, lambda inner: st.lists(inner, min_size=1, max_size=4), max_leaves=25)


@st.composite
def uniform_shapes(draw: st.DrawFn) -> tuple[int, int]:
    """A branching factor and a depth with at most some hundreds of leaves."""
    branching = draw(st.integers(1, 5))
    return branching, draw(st.integers(1, {1: 6, 2: 7, 3: 5, 4: 4, 5: 3}[branching]))


@st.composite
def uniform_trees(draw: st.DrawFn) -> tuple[int, int, Tree]:
    """The branching factor, the depth and a tree of that shape with random leaves."""
    branching, depth = draw(uniform_shapes())
    leaves = draw(st.lists(st.integers(-99, 99), min_size=branching**depth, max_size=branching**depth))
    return branching, depth, folded(leaves, branching, depth)


def folded(leaves: Sequence[float], branching: int, depth: int) -> Tree:
    """The uniform tree with these leaves from left to right."""
    if depth == 0:
        return leaves[0]
    size = len(leaves) // branching
    return [folded(leaves[i * size : (i + 1) * size], branching, depth - 1) for i in range(branching)]


def naive(tree: Tree, maximizing: bool = True) -> float:
    """Minimax in one line."""
    if not isinstance(tree, Sequence):
        return tree
    return (max if maximizing else min)(naive(child, not maximizing) for child in tree)


def sorted_tree(tree: Tree, best_first: bool, maximizing: bool = True) -> Tree:
    """The same tree with every node's children in the order of their value for the side to move."""
    if not isinstance(tree, Sequence):
        return tree
    children = [sorted_tree(child, best_first, not maximizing) for child in tree]
    children.sort(key=lambda child: naive(child, not maximizing), reverse=best_first == maximizing)
    return children


def worst_tree(leaves: Sequence[float], branching: int, depth: int, maximizing: bool = True) -> Tree:
    """The uniform tree over these distinct leaves that alpha-beta cannot prune at all.

    Every child's leaves lie wholly on the better side of all leaves of the children before it, so that no
    bound is ever reached.
    """
    if depth == 0:
        return leaves[0]
    ordered = sorted(leaves, reverse=not maximizing)
    size = len(ordered) // branching
    parts = [ordered[i * size : (i + 1) * size] for i in range(branching)]
    return [worst_tree(part, branching, depth - 1, not maximizing) for part in parts]
