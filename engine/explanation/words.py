"""Pieces, squares and lists in words."""

from __future__ import annotations

from collections.abc import Sequence

import chess

#: What is said of a kind of which there is one: a pawn, a knight ...
NAMES = {kind: chess.piece_name(kind) for kind in chess.PIECE_TYPES}

_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}


def the_piece(board: chess.Board, square: chess.Square) -> str:
    """``the knight on c6``; the king needs no square.

    >>> the_piece(chess.Board(), chess.B1), the_piece(chess.Board(), chess.E1)
    ('the knight on b1', 'the king')
    """
    kind = board.piece_type_at(square)
    if kind is None:
        return chess.square_name(square)
    return "the king" if kind == chess.KING else f"the {NAMES[kind]} on {chess.square_name(square)}"


def kind_at(board: chess.Board, square: chess.Square) -> str:
    """``knight``."""
    return NAMES[board.piece_type_at(square) or chess.PAWN]


def listed(words: Sequence[str], last: str = "and") -> str:
    """``a, b and c``.

    >>> listed(["the king"]), listed(["the king", "the queen", "the rook"])
    ('the king', 'the king, the queen and the rook')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def counted(kind: chess.PieceType, count: int) -> str:
    """``a knight``, ``two knights``."""
    return f"a {NAMES[kind]}" if count == 1 else f"{_NUMBERS.get(count, count)} {NAMES[kind]}s"


def the_pieces(board: chess.Board, squares: Sequence[chess.Square]) -> str:
    """The pieces on ``squares``, those worth most first, two of a kind together.

    >>> the_pieces(chess.Board(), [chess.A1, chess.E1, chess.H1])
    'the king and the rooks on a1 and h1'
    """
    parts = []
    for kind in reversed(chess.PIECE_TYPES):
        found = [square for square in squares if board.piece_type_at(square) == kind]
        if len(found) == 1 or (kind == chess.KING and found):
            parts.append(the_piece(board, found[0]))
        elif found:
            parts.append(f"the {NAMES[kind]}s on {listed([chess.square_name(square) for square in found])}")
    return listed(parts)


def side(color: chess.Color) -> str:
    """``White`` or ``Black``."""
    return "White" if color else "Black"
