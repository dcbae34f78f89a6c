"""Games and positions from files that others wrote.

:func:`read_games` reads PGN, :func:`read_position` a line of FEN or EPD and
:func:`read_positions` a file of them, :func:`read_move` one move. Anything they
skip, repair or cannot read is reported with its place, and nothing is read as something else.
"""

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
