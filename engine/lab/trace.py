"""Records a search event by event, to step through on the page."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import inf, isinf, nextafter
from typing import Any

from engine.lab.games import Demo
from engine.textbook import (
    MAX,
    MIN,
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

MAX_NODES = 450  # nodes of the largest tree that is drawn: chess to two plies has 421


@dataclass(eq=False)
class Node:
    """A node of the tree: the side to move (``max``, ``min``), the notation of the action that leads to it and of all
    from the root, its position on the page (``x`` in leaves, ``y`` in plies) and, for a leaf, its value."""

    state: Any
    id: int
    parent: int | None
    kind: str
    action: str
    place: str
    y: int
    leaf: str | None = None
    x: float = 0
    children: list["Node"] = field(default_factory=list)


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


class TreeTrace(Game[Node, int]):
    """The tree of a demo to ``depth`` plies, as a game whose states are its nodes, and the events of each search
    in it. Raises :class:`TooLarge` for more than :data:`MAX_NODES` nodes."""

    def __init__(self, demo: Demo, depth: int) -> None:
        self.demo, self.game, self.depth = demo, demo.game, depth
        self.nodes: list[Node] = []
        self._width = 0
        self._draw(self.game.initial(), None, ())

    def _draw(self, state: Any, parent: int | None, path: tuple[str, ...]) -> Node:
        """Place the node of ``state``, to which the actions of ``path`` lead, and those below it."""
        if len(self.nodes) >= MAX_NODES:
            raise TooLarge(f"more than {MAX_NODES} nodes")
        kind = "max" if self.game.to_move(state) == MAX else "min"
        action, place = "".join(path[-1:]), " ".join(path) or "the root"
        node = Node(state, len(self.nodes), parent, kind, action, place, len(path))
        self.nodes.append(node)
        if self.is_terminal(node) or node.y == self.depth:
            node.leaf = label(self.utility(node) if self.is_terminal(node) else self.evaluate(node))
            node.x = self._width
            self._width += 1
        else:
            for choice in self.game.actions(state):
                below = self.game.result(state, choice)
                node.children.append(self._draw(below, node.id, (*path, self.demo.write(state, choice))))
            node.x = (node.children[0].x + node.children[-1].x) / 2
        return node

    def initial(self) -> Node:
        return self.nodes[0]

    def to_move(self, state: Node) -> int:
        return MAX if state.kind == "max" else MIN

    def actions(self, state: Node) -> Sequence[int]:
        return range(len(state.children))

    def result(self, state: Node, action: int) -> Node:
        return state.children[action]

    def is_terminal(self, state: Node) -> bool:
        return self.game.is_terminal(state.state)

    def utility(self, state: Node) -> float:
        return self.game.utility(state.state)

    def evaluate(self, state: Node) -> float:
        return self.game.evaluate(state.state)

    def key(self, state: Node) -> Any:
        return self.game.key(state.state)

    def as_json(self) -> dict[str, Any]:
        """The data of the page, ready for JSON."""
        shown = ("id", "parent", "kind", "action", "place", "x", "y", "leaf")
        return {
            "nodes": [{name: getattr(node, name) for name in shown} for node in self.nodes],
            "width": self._width,
            "searches": {name: [asdict(step) for step in self.steps(search)] for name, search in DRAWN.items()},
        }

    def steps(self, search: Callable[..., Solution[Any]]) -> list[Step]:
        steps: list[Step] = []
        opened: list[set[int]] = []  # for each open node, the branches entered: some searches enter one twice

        def watch(event: str, node: Node, window: tuple[float, ...], value: float | None) -> None:
            if node.kind == "min" and search not in (minimax_decision, alpha_beta):  # negamax: seen by the mover
                window, value = tuple(-bound for bound in reversed(window)), None if value is None else -value
            if value is None:
                if opened:
                    opened[-1].add(node.id)
                opened.append(set())
                text = _entering(node, window)
            else:
                text = _leaving(node, window, value, len(opened.pop()))
            alpha, beta = (label(bound) for bound in window) if window else ("", "")
            steps.append(Step(event, node.id, alpha, beta, "" if value is None else label(value), text))

        search(self, None, self.depth, watch=watch)
        return steps


def _entering(node: Node, window: Sequence[float]) -> str:
    bounds = f" with alpha {label(window[0])}, beta {label(window[1])}" if window else ""
    return f"{node.kind.upper()} to move at {node.place}{bounds}."


def _leaving(node: Node, window: Sequence[float], value: float, entered: int) -> str:
    if node.leaf is not None:
        return f"The leaf at {node.place} is worth {label(value)}."
    text = f"{node.kind.upper()} at {node.place} returns {label(value)}"
    if not entered:
        return f"{text}, known from an earlier visit to the position."
    unseen = len(node.children) - entered
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
