"""Who has more material in a position."""

from __future__ import annotations

from collections import Counter

import chess

from engine.explanation.facts import Gain
from engine.explanation.gains import exchange_of, pieces

#: How many more of each kind a side has.
Surplus = Counter[chess.PieceType]


def surplus(board: chess.Board, color: chess.Color) -> Surplus:
    """What ``color`` has more of each kind, negative where it has less; a knight for a bishop is nothing."""
    found = Surplus()
    for kind in chess.PIECE_TYPES:
        found[kind] = len(board.pieces(kind, color)) - len(board.pieces(kind, not color))
    if found[chess.KNIGHT] * found[chess.BISHOP] < 0:
        both = min(abs(found[chess.KNIGHT]), abs(found[chess.BISHOP]))
        for kind in (chess.KNIGHT, chess.BISHOP):
            found[kind] -= both if found[kind] > 0 else -both
    return found


def imbalance(board: chess.Board) -> tuple[chess.Color, Gain] | None:
    """Who has more, or the greater piece, and what the other side has for it; None if all is in the balance.

    >>> imbalance(chess.Board("4k3/5ppp/8/8/8/2N5/5P2/4K3 w - - 0 1"))
    (True, Gain(kind='list', won=((2, 1),), paid=((1, 2),), square=None))
    """
    color = max(chess.COLORS, key=lambda each: max(+surplus(board, each), default=0))
    more, less = +surplus(board, color), +surplus(board, not color)
    if not more:
        return None
    return color, exchange_of(more, less) or Gain("list", pieces(more), pieces(less))
