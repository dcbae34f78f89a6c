"""A player that combines deepening, aspiration windows, a table, dynamic move ordering and quiescence."""

from math import inf, isfinite
from typing import Any

from engine.textbook.aspiration import aspiration
from engine.textbook.deepening import iterative_deepening
from engine.textbook.game import A, Game, S
from engine.textbook.quiescence import quiescence_search
from engine.textbook.search import Solution
from engine.textbook.transposition import Table


def player(
    game: Game[S, A], state: S | None = None, depth: float = inf, seconds: float = inf, **options: Any
) -> Solution[A]:
    """The move of a player who has ``seconds``, at most ``depth`` plies deep. Options and errors are those of
    :func:`iterative_deepening`. Source: Slate and Atkin, "Chess 4.5: The Northwestern University Chess Program" (1977),
    the first program with all of them."""
    table: Table = {}
    values: list[float] = []

    def algorithm(game: Game[S, A], state: S | None, depth: float, **options: Any) -> Solution[A]:
        guess = values[-1] if values and isfinite(values[-1]) else None
        found = aspiration(game, state, depth, guess, algorithm=quiescence_search, table=table, **options)
        values.append(found.value)
        return found

    return iterative_deepening(game, state, depth, seconds, algorithm, **options)
