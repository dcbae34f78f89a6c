"""Generation in parts, counting without listing, and the legality of single moves."""

import chess
import numpy as np

from engine.board.movegen import ALL_MOVES, NOISY_MOVES, QUIET_MOVES, count_moves, generate_moves
from engine.board.moves import CASTLE_LONG, CASTLE_SHORT, DOUBLE_PUSH, EN_PASSANT, PROMOTION, is_noisy
from engine.board.notation import list_moves, to_uci
from engine.board.position import MOVE_LIST
from engine.jit import new_record
from tests.board import kernels
from tests.board.oracle import position_of, starts


def test_noisy_and_quiet_moves_partition_all_moves(boards: list[chess.Board]) -> None:
    lists = [new_record(MOVE_LIST) for _ in range(3)]
    for board in boards[::6]:
        position = position_of(board)
        lengths = [
            generate_moves(position, moves, 0, kind)
            for moves, kind in zip(lists, (ALL_MOVES, NOISY_MOVES, QUIET_MOVES), strict=True)
        ]
        every, noisy, quiet = (moves["move"][:length].tolist() for moves, length in zip(lists, lengths, strict=True))
        assert all(map(is_noisy, noisy)), board.fen()
        assert not any(map(is_noisy, quiet)), board.fen()
        assert sorted(noisy + quiet) == sorted(every), board.fen()
        assert len(set(every)) == len(every) == int(count_moves(position)), board.fen()


def test_kinds_of_moves_match_python_chess(boards: list[chess.Board]) -> None:
    for board in boards[::10]:
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
    """Out of the transposition table a search may get any of them, as the move of another position."""
    legal = np.zeros(65536, np.bool_)
    for board in starts(0) + boards[::6]:
        position = position_of(board)
        kernels.all_legal(position, legal)
        assert np.flatnonzero(legal).tolist() == sorted(list_moves(position)), board.fen()
