"""Game trees written out as nested sequences, as in textbooks."""

from collections.abc import Sequence
from math import isfinite
from typing import TypeAlias

from engine.textbook.game import MAX, MIN, Game

Tree: TypeAlias = "float | Sequence[Tree]"
Path = tuple[int, ...]

THREE_BY_THREE: Tree = ((3, 12, 8), (2, 4, 6), (14, 5, 2))
"""The example of Russell and Norvig: worth 3, with two leaves that alpha-beta need not see."""


class ExplicitTree(Game[Path, int]):
    """A tree given as nested sequences with numbers for leaves, MAX at the root. A state is the path to it
    from the root. Raises ``ValueError`` for a tree with an inner node that has no children."""

    def __init__(self, tree: Tree = THREE_BY_THREE) -> None:
        self.tree = tree
        self._leaves(tree)

    def initial(self) -> Path:
        return ()

    def to_move(self, state: Path) -> int:
        return MIN if len(state) % 2 else MAX

    def actions(self, state: Path) -> Sequence[int]:
        node = self._at(state)
        return range(len(node)) if isinstance(node, Sequence) else ()

    def result(self, state: Path, action: int) -> Path:
        return (*state, action)

    def is_terminal(self, state: Path) -> bool:
        return not isinstance(self._at(state), Sequence)

    def utility(self, state: Path) -> float:
        return self._leaves(self._at(state))[0]

    def evaluate(self, state: Path) -> float:
        """The average of the leaves below: what random play would not be far from. An infinite leaf counts as one
        more than the greatest of the others."""
        leaves = self._leaves(self._at(state))
        bound = 1 + max((abs(leaf) for leaf in leaves if isfinite(leaf)), default=0.0)
        return sum(max(-bound, min(bound, leaf)) for leaf in leaves) / len(leaves)

    def _at(self, state: Path) -> Tree:
        node = self.tree
        for index in state:
            assert isinstance(node, Sequence)
            node = node[index]
        return node

    def _leaves(self, node: Tree) -> list[float]:
        if not isinstance(node, Sequence):
            return [float(node)]
        if not node:
            raise ValueError("a tree's inner node must have children, but one is empty")
        return [leaf for child in node for leaf in self._leaves(child)]
