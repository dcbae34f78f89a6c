"""Reads games and positions from other people's files.

:func:`read_games` reads PGN, :func:`read_position` a line of FEN or EPD, :func:`read_positions` a file of them,
:func:`read_move` one move. Anything skipped, repaired or unreadable is reported with its place; nothing is guessed."""

from engine.reading.games import read_games
from engine.reading.moves import MoveError, read_move
from engine.reading.positions import read_board, read_position, read_positions
from engine.reading.text import ReadError, read_lines

__all__ = [
    "MoveError",
    "ReadError",
    "read_board",
    "read_games",
    "read_lines",
    "read_move",
    "read_position",
    "read_positions",
]
