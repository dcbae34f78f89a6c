"""Generation in parts, counting without listing, and the legality of single moves."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.board.legality import is_legal
from engine.board.movegen import ALL_MOVES, NOISY_MOVES, QUIET_MOVES, count_moves, generate_moves
from engine.board.moves import (
    CASTLE_LONG,
    CASTLE_SHORT,
    DOUBLE_PUSH,
    EN_PASSANT,
    PROMOTION,
    is_noisy,
)
from engine.board.notation import list_moves, to_uci
from engine.board.position import MOVE_LIST
from engine.jit import new_record
from tests.board import kernels
from tests.board.oracle import CHESS960_TRAPS, KIWIPETE, STANDARD_TRAPS, position_from, position_of


def _generated(position, wanted: int) -> list[int]:
    moves = new_record(MOVE_LIST)
    return moves["move"][: int(generate_moves(position, moves, 0, wanted))].tolist()


def test_noisy_and_quiet_moves_are_all_moves(boards: list[chess.Board]) -> None:
    for board in boards:
        position = position_of(board)
        noisy, quiet = _generated(position, NOISY_MOVES), _generated(position, QUIET_MOVES)
        assert sorted(noisy + quiet) == sorted(_generated(position, ALL_MOVES)), board.fen()
        assert all(is_noisy(move) for move in noisy), board.fen()
        assert not any(is_noisy(move) for move in quiet), board.fen()


def test_no_move_is_listed_twice_and_counting_agrees(boards: list[chess.Board]) -> None:
    for board in boards:
        position = position_of(board)
        moves = list_moves(position)
        assert len(set(moves)) == len(moves), board.fen()
        assert int(count_moves(position)) == len(moves), board.fen()


def test_generation_appends() -> None:
    position = position_from(KIWIPETE)
    moves = new_record(MOVE_LIST)
    moves["move"][:3] = 7, 8, 9
    assert int(generate_moves(position, moves, 3, ALL_MOVES)) == 3 + 48
    assert moves["move"][:3].tolist() == [7, 8, 9]


def test_the_longest_list_fits() -> None:
    position = position_from("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
    assert len(list_moves(position)) == int(count_moves(position)) == 218


def test_kinds_say_what_a_move_is(boards: list[chess.Board]) -> None:
    for board in boards[::5]:
        position = position_of(board)
        for number in list_moves(position):
            move = board.parse_uci(to_uci(number, board.chess960))
            kind = number >> 12
            assert bool(kind & 4) == board.is_capture(move), (board.fen(), move)
            assert (kind == EN_PASSANT) == board.is_en_passant(move), (board.fen(), move)
            assert bool(kind & PROMOTION) == (move.promotion is not None), (board.fen(), move)
            assert (kind == CASTLE_SHORT) == board.is_kingside_castling(move), (board.fen(), move)
            assert (kind == CASTLE_LONG) == board.is_queenside_castling(move), (board.fen(), move)
            double = board.piece_type_at(move.from_square) == chess.PAWN and (
                abs(move.to_square - move.from_square) == 16
            )
            assert (kind == DOUBLE_PUSH) == double, (board.fen(), move)


def test_is_legal_agrees_with_generation_on_every_16_bit_number(boards: list[chess.Board]) -> None:
    legal = np.zeros(65536, np.bool_)
    for board in boards[::3]:
        position = position_of(board)
        kernels.all_legal(position, legal)
        assert np.flatnonzero(legal).tolist() == sorted(list_moves(position)), board.fen()


@pytest.mark.parametrize("fen", STANDARD_TRAPS)
def test_is_legal_refuses_the_moves_of_every_other_trap(fen: str) -> None:
    """The way a search meets foreign moves: out of the transposition table, from another position."""
    position = position_from(fen)
    own = set(list_moves(position))
    for other in STANDARD_TRAPS + CHESS960_TRAPS:
        for move in list_moves(position_from(other, other in CHESS960_TRAPS)):
            assert bool(is_legal(position, move)) == (move in own), (other, move)
