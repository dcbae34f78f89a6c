"""Action ordering, on which alpha-beta's savings depend (Knuth and Moore 1975)."""

from collections import defaultdict, deque
from collections.abc import Hashable, Sequence
from typing import Any

from engine.textbook.game import Game


class Order:
    """The game's own order, which learns nothing; the base class of all orders."""

    def sort(self, game: Game[Any, Any], state: Any, actions: Sequence[Any], ply: int) -> Sequence[Any]:
        """The actions in the order in which to try them."""
        return actions

    def learn(self, game: Game[Any, Any], state: Any, action: Hashable, depth: float, ply: int, refuted: bool) -> None:
        """Learn that ``action`` was best in ``state``, and whether it refuted the previous move."""


class LearnedOrder(Order):
    """The order that chess engines use: the best move of the last visit, then what the game finds promising
    (captures), then the killers of this ply (Huberman 1968), then by history (Schaeffer 1983)."""

    def __init__(self) -> None:
        self.best: dict[Hashable, Hashable] = {}
        self.killers: defaultdict[int, deque[Hashable]] = defaultdict(lambda: deque(maxlen=2))
        self.history: defaultdict[tuple[int, Hashable], float] = defaultdict(float)

    def sort(self, game: Game[Any, Any], state: Any, actions: Sequence[Any], ply: int) -> Sequence[Any]:
        """Best first; ties keep the game's order."""
        best, killers, player = self.best.get(game.key(state)), self.killers[ply], game.to_move(state)

        def merit(action: Any) -> tuple[bool, float, bool, float]:
            promise = game.promise(state, action)
            return action == best, promise, action in killers, self.history[player, action]

        return sorted(actions, key=merit, reverse=True)

    def learn(self, game: Game[Any, Any], state: Any, action: Hashable, depth: float, ply: int, refuted: bool) -> None:
        """Record the best move; a quiet refutation becomes a killer and gains depth squared of history."""
        self.best[game.key(state)] = action
        if refuted and not game.promise(state, action):
            self.history[game.to_move(state), action] += min(depth, 64) ** 2
            if action not in self.killers[ply]:
                self.killers[ply].appendleft(action)
