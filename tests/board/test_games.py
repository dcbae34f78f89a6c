"""Random games, played side by side with python-chess and compared after every move."""

import random
from typing import Any

import chess
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.board.fen import to_fen
from engine.board.make import make_move
from engine.board.notation import find_move, play_moves
from engine.board.setup import play_move
from tests.board.oracle import KIWIPETE, key_of, our_moves, position_of, random_game, starts, their_moves


def _pinned(board: chess.Board) -> int:
    """Our pieces that may leave their square along one line only."""
    return sum(
        chess.BB_SQUARES[square]
        for square in chess.scan_forward(board.occupied_co[board.turn])
        if board.is_pinned(board.turn, square)
    )


def assert_same(position: Any, board: chess.Board) -> None:
    """Compare all that python-chess knows of a position with what our record holds."""
    assert to_fen(position) == board.fen(en_passant="xfen")
    assert to_fen(position, shredder=True) == board.fen(shredder=True, en_passant="xfen")
    assert our_moves(position) == their_moves(board), board.fen()
    assert int(position["key"]) == key_of(board), board.fen()
    assert int(position["checkers"]) == board.checkers_mask(), board.fen()
    pins = int(position["pinned_straight"]) | int(position["pinned_diagonal"])
    assert pins & board.occupied_co[board.turn] == _pinned(board), board.fen()
    for piece in range(6):
        assert int(position["pieces"][piece]) == board.pieces_mask(piece + 1, True) | board.pieces_mask(
            piece + 1, False
        )
    assert [int(side) for side in position["colors"]] == [board.occupied_co[True], board.occupied_co[False]]


@pytest.mark.parametrize(
    ("seed", "start"), list(enumerate(starts(10))), ids=lambda value: getattr(value, "fen", lambda: value)()
)
def test_a_random_game_agrees_after_every_move(seed: int, start: chess.Board) -> None:
    position = position_of(start)
    for board in random_game(start, seed, 80):
        if board.move_stack:
            advance = make_move if seed % 2 else play_move
            advance(position, find_move(position, board.peek().uci()))
        assert_same(position, board)


@pytest.mark.parametrize("chess960", [False, True])
def test_the_beginning_of_a_game(chess960: bool) -> None:
    """Short enough for every mode: uncompiled too."""
    start = chess.Board.from_chess960_pos(521) if chess960 else chess.Board(KIWIPETE)
    position = position_of(start)
    assert_same(position, start)
    for board in random_game(start, 5, 15):
        if board.move_stack:
            play_moves(position, [board.peek().uci()])
            assert_same(position, board)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_any_placement_of_pieces_agrees(seed: int) -> None:
    """Boards that no game reaches: a handful of pieces anywhere."""
    generator = random.Random(seed)
    squares = generator.sample(range(64), generator.randint(2, 14))
    board = chess.Board(None)
    board.turn = generator.random() < 0.5
    board.set_piece_at(squares.pop(), chess.Piece(chess.KING, True))
    board.set_piece_at(squares.pop(), chess.Piece(chess.KING, False))
    for square in squares:
        kinds = "NBRQ" if square in (*range(8), *range(56, 64)) else "NBRQPPP"
        letter = generator.choice(kinds)
        board.set_piece_at(square, chess.Piece.from_symbol(generator.choice([letter, letter.lower()])))
    assume(board.is_valid())
    assert_same(position_of(board), board)
