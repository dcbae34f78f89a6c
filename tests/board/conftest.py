"""Shared by the tests of the rules: positions of random games."""

import chess
import pytest

from tests.board.oracle import random_game, starts


@pytest.fixture(scope="session")
def boards() -> list[chess.Board]:
    """Some two thousand positions: of every trap, and of random games from it, standard and Chess960."""
    return [
        board.copy(stack=False)
        for seed, start in enumerate(starts(12))
        for ply, board in enumerate(random_game(start, seed, 70))
        if ply % 2 == 0
    ]
