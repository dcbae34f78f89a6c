"""Moves as text, outside the compiled code."""

import threading
from collections.abc import Sequence

import numpy as np

from engine.board.aliases import Position
from engine.board.moves import CASTLE_LONG, CASTLE_SHORT, PROMOTION
from engine.board.position import MOVE_LIST
from engine.board.setup import legal_moves, play_text
from engine.fen import square_name
from engine.jit import new_record
from engine.messages import PositionError, quoted

_NAMES = [square_name(square) for square in range(64)]


def to_uci(move: int, chess960: bool) -> str:
    """A move in UCI notation: castling as the king's move, or as king takes rook with ``chess960``; 0 is ``0000``."""
    move = int(move)
    if not move:
        return "0000"
    origin, target, kind = move & 63, move >> 6 & 63, move >> 12
    if kind in (CASTLE_SHORT, CASTLE_LONG) and not chess960:
        target = (target & 56) + (6 if kind == CASTLE_SHORT else 2)
    text = _NAMES[origin] + _NAMES[target]
    return text + "nbrq"[kind & 3] if kind & PROMOTION else text


def list_moves(position: Position) -> list[int]:
    """All legal moves, in the order of generation."""
    moves = _SCRATCH.moves
    count = int(legal_moves(position, moves))
    return list(moves["move"][:count].tolist())


class _Scratch(threading.local):
    """One move list for each thread, for use within one function."""

    def __init__(self) -> None:
        self.moves = new_record(MOVE_LIST)


_SCRATCH = _Scratch()


def find_move(position: Position, text: str) -> int:
    """The legal move written as ``text`` in either case (castling in either form), or 0."""
    fallback, text = 0, text.lower()
    for move in list_moves(position):
        if to_uci(move, True) == text:
            return move
        if to_uci(move, False) == text:
            fallback = move
    return fallback


def play_moves(position: Position, moves: Sequence[str]) -> None:
    """Play ``moves`` in UCI notation, in either case, on ``position``. Raises :class:`PositionError` naming the first
    illegal one; those before it have been played."""
    if not moves:
        return
    text = " ".join([move.replace(" ", "?") or "?" for move in moves])  # one word for each, legal or not
    encoded = text.lower().encode("ascii", "replace")
    failed = int(play_text(position, _SCRATCH.moves, np.frombuffer(encoded, np.uint8).copy()))
    if failed >= 0:
        number = text.count(" ", 0, failed)
        raise PositionError(f"illegal move {quoted(moves[number])} (move {number + 1} of the list; write e2e4, e7e8q)")
