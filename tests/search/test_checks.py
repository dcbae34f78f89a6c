"""The squares from which a piece would give check, against python-chess."""

import random

import chess
import pytest

from engine.board.fen import set_fen
from engine.board.notation import find_move
from engine.board.setup import new_position
from engine.jit import new_record, structure
from engine.search.checks import checks_directly, find_checking_squares
from engine.search.state import Frame


@pytest.mark.parametrize("seed", range(4))
def test_direct_checks_are_those_of_python_chess(seed: int) -> None:
    dice = random.Random(seed)
    board, position, frame = chess.Board(), new_position(), new_record(structure(Frame))
    seen = 0
    for _ in range(200):
        if board.is_game_over():
            board.reset()
        set_fen(position, board.fen())
        find_checking_squares(position, frame)
        for move in board.legal_moves:
            if move.promotion or board.is_castling(move) or board.is_en_passant(move):
                continue
            king = board.king(not board.turn)
            board.push(move)
            expected = move.to_square in board.attackers(not board.turn, king)
            board.pop()
            # A slider that moves along its own line to the king did attack it before, which no legal position has.
            assert bool(checks_directly(position, frame, find_move(position, move.uci()))) == expected, (
                board.fen(),
                move,
            )
            seen += expected
        board.push(dice.choice(list(board.legal_moves)))
    assert seen > 20
