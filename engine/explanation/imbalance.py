"""Who has more material in a position, in words."""

from __future__ import annotations

from collections import Counter

import chess

from engine.explanation.words import NAMES, counted, listed

#: How many more of each kind a side has.
Surplus = Counter[chess.PieceType]


def surplus(board: chess.Board, color: chess.Color) -> Surplus:
    """What ``color`` has more of each kind, negative where it has less; a knight for a bishop is nothing."""
    found = Surplus()
    for kind in NAMES:
        found[kind] = len(board.pieces(kind, color)) - len(board.pieces(kind, not color))
    if found[chess.KNIGHT] * found[chess.BISHOP] < 0:
        both = min(abs(found[chess.KNIGHT]), abs(found[chess.BISHOP]))
        for kind in (chess.KNIGHT, chess.BISHOP):
            found[kind] -= both if found[kind] > 0 else -both
    return found


def imbalance(board: chess.Board) -> tuple[chess.Color, str] | None:
    """Who has more, or the greater piece, and what the other side has for it; None if all is in the balance.

    >>> imbalance(chess.Board("4k3/5ppp/8/8/8/2N5/5P2/4K3 w - - 0 1"))
    (True, 'is a knight up for two pawns')
    >>> imbalance(chess.Board("r3k3/5p2/8/8/8/2N5/5PP1/4K3 w - - 0 1"))
    (False, 'is the exchange up for a pawn')
    >>> imbalance(chess.Board("4k3/5p2/8/8/8/8/5PP1/4K3 w - - 0 1"))
    (True, 'is a pawn up')
    """
    color = max(chess.COLORS, key=lambda each: max(+surplus(board, each), default=0))
    more, less = +surplus(board, color), +surplus(board, not color)
    if not more:
        return None
    pawns = more[chess.PAWN] - less[chess.PAWN]
    up, paid = _list(more), _list(less)
    if _pieces(more) == [chess.ROOK] and _pieces(less) in ([chess.KNIGHT], [chess.BISHOP]):
        up = f"the exchange and {counted(chess.PAWN, pawns)}" if pawns > 0 else "the exchange"
        paid = counted(chess.PAWN, -pawns) if pawns < 0 else ""
    return color, f"is {up} up for {paid}" if paid else f"is {up} up"


def _pieces(surplus: Surplus) -> list[chess.PieceType]:
    return [kind for kind in surplus.elements() if kind != chess.PAWN]


def _list(surplus: Surplus) -> str:
    return listed([counted(kind, surplus[kind]) for kind in sorted(surplus, reverse=True)])
