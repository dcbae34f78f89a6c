"""Alpha-beta with a transposition table: a state reached by other moves is not searched again."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import inf
from typing import Any, Unpack

from engine.textbook.game import MAX, A, Game, S
from engine.textbook.search import NO_LINE, Search, SearchOptions, Solution, Valued, begin


@dataclass(frozen=True)
class Entry:
    """The result of a visit for the player to move: the value is at least ``floor`` and at most ``ceiling``, and
    ``exact`` says that no leaf was estimated."""

    depth: float
    floor: float
    ceiling: float
    line: tuple[Any, ...]
    exact: bool


Table = dict[Hashable, Entry]

Horizon = Callable[[Search[S, A], S, float, float], Valued]
"""Values a state at the depth limit for its player, within a window."""


def judged(s: Search[S, A], state: S, alpha: float, beta: float) -> Valued:
    """The evaluation, without looking further."""
    return s.leaf(state, s.game.to_move(state))


def alpha_beta_with_table(
    game: Game[S, A],
    state: S | None = None,
    depth: float = inf,
    alpha: float = -inf,
    beta: float = inf,
    table: Table | None = None,
    horizon: Horizon[Any, Any] = judged,
    **options: Unpack[SearchOptions],
) -> Solution[A]:
    """:func:`negamax_alpha_beta` that stores for each state the depth searched, the bounds of its value, and the best
    line, which is tried first at the next visit. ``table`` may come from an earlier search.

    A bound is used for the same depth only, or for any greater depth if no leaf was estimated; so the value is that of
    minimax. Chess engines also use bounds from deeper searches, which are better, but yield another value.
    Source: Greenblatt, Eastlake and Crocker, "The Greenblatt Chess Program" (1967); Slate and Atkin (1977)."""
    s, state = begin(game, state, **options)
    known: Table = {} if table is None else table

    @s.node
    def visit(state: S, depth: float, alpha: float, beta: float) -> Valued:
        if game.is_terminal(state):
            return s.leaf(state, game.to_move(state))
        if depth <= 0:
            return horizon(s, state, alpha, beta)
        name = game.key(state)
        entry = known.get(name)
        if entry and (entry.depth == depth or (entry.exact and entry.depth < depth)):
            value = entry.floor if entry.floor >= beta or entry.floor == entry.ceiling else entry.ceiling
            if entry.floor == entry.ceiling or entry.floor >= beta or entry.ceiling <= alpha:
                s.exact = s.exact and entry.exact
                return value, entry.line
        before, s.exact = s.exact, True  # of this subtree alone
        best, line = -inf, NO_LINE
        actions = s.actions(state)
        if entry:
            actions = sorted(actions, key=lambda action: action != entry.line[0])
        for action in actions:
            value, reply = visit(game.result(state, action), depth - 1, -beta, -max(alpha, best))
            if -value > best or not line:
                best, line = -value, (action, *reply)
            if best >= beta:
                break
        floor, ceiling = best if best > alpha else -inf, best if best < beta else inf
        known[name] = Entry(depth, floor, ceiling, line, s.exact)
        s.exact = before and s.exact
        s.learn(state, line[0], depth, best >= beta)
        return best, line

    side = game.to_move(state)
    value, line = visit(state, depth, *((alpha, beta) if side == MAX else (-beta, -alpha)))
    return s.outcome(side * value, line)
