"""Records a search event by event, to step through on the page."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import inf, isinf, nextafter
from typing import Any

from engine.lab.games import Exhibit
from engine.textbook import (
    MAX,
    Game,
    Solution,
    alpha_beta,
    minimax_decision,
    mtdf,
    negamax,
    negamax_alpha_beta,
    principal_variation_search,
)

DRAWN: dict[str, Callable[..., Solution[Any]]] = {
    "minimax": minimax_decision,
    "negamax": negamax,
    "alpha-beta": alpha_beta,
    "negamax alpha-beta": negamax_alpha_beta,
    "principal variation search": principal_variation_search,
    "MTD(f)": mtdf,
}

#: Searches that enter every node.
EXHAUSTIVE = (minimax_decision, negamax)

Path = tuple[Any, ...]


@dataclass(frozen=True)
class Node:
    """A node of the tree, pruned or not: its position (``x`` in leaves, ``y`` in plies), the side to move (``max``,
    ``min``), the notation of the action that leads to it and, for a leaf, its value. The kind ``more`` stands for all
    branches of its parent that no search enters; ``action`` is then their number."""

    id: int
    parent: int | None
    kind: str
    action: str
    x: float
    y: int
    leaf: str | None


@dataclass(frozen=True)
class Step:
    """One event: a node entered with its window, or left with its value; all in MAX's view, as text."""

    event: str
    node: int
    alpha: str
    beta: str
    value: str
    text: str


class TooLarge(ValueError):
    """The tree has too many nodes to be drawn."""


class _Located:
    """The same game with the path added to each state, so that every node of the tree is distinct."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game = game

    def initial(self) -> tuple[Path, Any]:
        return (), self.game.initial()

    def result(self, state: tuple[Path, Any], action: Any) -> tuple[Path, Any]:
        return (*state[0], action), self.game.result(state[1], action)

    def __getattr__(self, name: str) -> Callable[[tuple[Path, Any]], Any]:
        """The other methods, which read the state alone."""
        method = getattr(self.game, name)
        return lambda state: method(state[1])


class TreeTrace:
    """The tree of an exhibit to ``depth`` plies and the events of each search in it. If the whole tree has more than
    ``limit`` nodes, ``whole`` is false: it then holds only the nodes that pruning searches enter, and ``searches`` are
    those for which there is room. Raises :class:`TooLarge` if alpha-beta alone enters more than ``limit``."""

    def __init__(self, exhibit: Exhibit, depth: int, limit: int = 300) -> None:
        self.exhibit, self.depth = exhibit, depth
        self.game = _Located(exhibit.game)
        self.searches, self.whole = dict(DRAWN), True
        self.nodes: dict[Path, Node] = {}
        self._names: dict[Path, str] = {(): ""}
        self._width = 0
        self._limit = limit
        try:
            self._draw(self.game.initial(), None, None)
        except TooLarge:
            self.whole = False
            entered = self._entered()
            self.nodes.clear()
            self._width = 0
            self._draw(self.game.initial(), None, entered)

    def _entered(self) -> set[Path]:
        """The nodes that alpha-beta enters and, while there is room, those of each other pruning search."""
        entered: set[Path] = set()
        self.searches = {}
        for name in ("alpha-beta", *DRAWN):
            if name in self.searches or DRAWN[name] in EXHAUSTIVE:
                continue
            found = set(entered)

            def watch(event: str, state: tuple[Path, Any], *rest: object, found: set[Path] = found) -> None:
                found.add(state[0])
                if len(found) > self._limit:
                    raise TooLarge(f"more than {self._limit} nodes, even as alpha-beta sees it")

            try:
                DRAWN[name](self.game, None, self.depth, watch=watch)
            except TooLarge:
                if not entered:
                    raise
            else:
                entered = found
                self.searches[name] = DRAWN[name]
        return entered

    def as_json(self) -> dict[str, Any]:
        """The data of the page, ready for JSON."""
        return {
            "nodes": [asdict(node) for node in sorted(self.nodes.values(), key=lambda node: node.id)],
            "width": self._width,
            "depth": self.depth,
            "whole": self.whole,
            "searches": {name: [asdict(step) for step in self.steps(search)] for name, search in self.searches.items()},
        }

    def steps(self, search: Callable[..., Solution[Any]]) -> list[Step]:
        steps: list[Step] = []
        opened: list[set[Path]] = []  # for each open node, the branches entered: some searches enter one twice

        def watch(event: str, state: tuple[Path, Any], window: tuple[float, ...], value: float | None) -> None:
            path, node = state[0], self.nodes[state[0]]
            if node.kind == "min" and search not in (minimax_decision, alpha_beta):  # negamax: seen by the mover
                window, value = tuple(-bound for bound in reversed(window)), None if value is None else -value
            if value is None:
                if opened:
                    opened[-1].add(path)
                opened.append(set())
                text = self._entering(node, path, window)
            else:
                text = self._leaving(node, state, window, value, len(opened.pop()))
            alpha, beta = (label(bound) for bound in window) if window else ("", "")
            steps.append(Step(event, node.id, alpha, beta, "" if value is None else label(value), text))

        search(self.game, None, self.depth, watch=watch)
        return steps

    def _place(self, path: Path) -> str:
        return " ".join(self._names[path[:plies]] for plies in range(1, len(path) + 1)) or "the root"

    def _entering(self, node: Node, path: Path, window: Sequence[float]) -> str:
        bounds = f" with alpha {label(window[0])}, beta {label(window[1])}" if window else ""
        return f"{node.kind.upper()} to move at {self._place(path)}{bounds}."

    def _leaving(self, node: Node, state: tuple[Path, Any], window: Sequence[float], value: float, entered: int) -> str:
        place = self._place(state[0])
        if node.leaf is not None:
            return f"The leaf at {place} is worth {label(value)}."
        text = f"{node.kind.upper()} at {place} returns {label(value)}"
        if not entered:
            return f"{text}, known from an earlier visit to the position."
        unseen = len(self.game.actions(state)) - entered
        if not unseen:
            return f"{text}."
        branches = "1 branch is" if unseen == 1 else f"{unseen} branches are"
        if node.kind == "max":
            bound, limit, other = window[1], "at least beta", "MIN"
        else:
            bound, limit, other = window[0], "at most alpha", "MAX"
        why = f"{other} has as good or better elsewhere"
        if isinf(bound):
            why = f"nothing is better for {node.kind.upper()}"
        elif nextafter(window[0], inf) >= window[1]:
            why = "that answers the question of the null window"
        return f"{text}, {limit} {label(bound)}: {why}, and {branches} pruned."

    def _draw(self, state: tuple[Path, Any], parent: int | None, entered: set[Path] | None) -> float:
        """Place the node of ``state`` and its subtree, restricted to ``entered`` nodes if given; return its ``x``."""
        if entered is None and len(self.nodes) >= self._limit:
            raise TooLarge(f"more than {self._limit} nodes")
        path, identity = state[0], len(self.nodes)
        ends = len(path) == self.depth or self.game.is_terminal(state)
        kind = "max" if self.game.to_move(state) == MAX else "min"
        action = self._names[path]
        worth = None
        if ends:
            worth = label(self.game.utility(state) if self.game.is_terminal(state) else self.game.evaluate(state))
        self.nodes[path] = Node(identity, parent, kind, action, 0, len(path), worth)
        if ends:
            x = float(self._width)
            self._width += 1
        else:
            below, left_out = [], 0
            for choice in self.game.actions(state):
                child = self.game.result(state, choice)
                if entered is not None and child[0] not in entered:
                    left_out += 1
                    continue
                self._names[child[0]] = self.exhibit.write(state[1], choice)
                below.append(self._draw(child, identity, entered))
            if left_out:
                below.append(float(self._width))
                more = Node(len(self.nodes), identity, "more", f"{left_out} more", below[-1], len(path) + 1, None)
                self.nodes[*path, "more"] = more
                self._width += 1
            x = (below[0] + below[-1]) / 2
        self.nodes[path] = Node(identity, parent, kind, action, x, len(path), worth)
        return x


def number(value: float, form: str = ".4g") -> str:
    """``value`` as text: whole numbers in full, others in ``form``."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:{form}}"


def label(value: float) -> str:
    """A value in few characters. The bound of a null window next to a number is that number followed by + or -."""
    if isinf(value) or abs(value) > 1e300:
        return "∞" if value == inf or value > 0 else "-∞"
    near = round(value, 2)
    text = number(near, "g") if near else "0"
    if 0 < abs(value - near) < 1e-6:
        text += "+" if value > near else "-"
    return text
