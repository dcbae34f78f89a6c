"""The games of a PGN file, one by one, whatever else is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import chess
import chess.pgn


def games(path: Path, stream: TextIO, complain: Callable[[str], None]) -> Iterator[tuple[int, chess.pgn.Game]]:
    """The games in ``stream``, which is the file ``path``, with their numbers from 1.

    What cannot be read and games of other variants are told to ``complain``, a line each, and left out; of a game with
    an illegal move the part before it is there.
    """
    number = 0
    while True:
        number += 1
        try:
            game = chess.pgn.read_game(stream)
        except (ValueError, IndexError) as error:  # brackets without a move before them, for one
            complain(f"{path}, game {number}: cannot be read ({error})")
            continue
        if game is None:
            return
        try:
            board = game.board()
        except ValueError as error:  # no such variant, or no such position
            complain(f"{path}, game {number}: {error}")
            continue
        if board.uci_variant != "chess":
            complain(f"{path}, game {number}: variant {board.uci_variant}, skipped")
            continue
        if game.errors:
            complain(f"{path}, game {number}: {game.errors[0]}")
        yield number, game
