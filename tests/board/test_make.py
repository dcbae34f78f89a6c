"""Making and unmaking moves: nothing is lost, and everything kept up to date stays right."""

import chess
import numpy as np
import pytest

from engine.board.make import key_after, make_move, make_null_move, unmake_move
from engine.board.moves import CAPTURE, DOUBLE_PUSH, QUIET
from engine.board.notation import list_moves
from engine.board.position import MOVE_LIST, recompute_keys
from engine.board.tables import TABLES
from engine.jit import new_record
from tests.board import kernels
from tests.board.oracle import KIWIPETE, position_from, position_of, starts, state_of

#: Kinds of moves whose keys are foretold, as long as no right to castle or en passant changes.
PLAIN = (QUIET, DOUBLE_PUSH, CAPTURE)


def test_a_null_move_is_the_oracles(boards: list[chess.Board]) -> None:
    for board in boards[::10]:
        if board.is_check():
            continue
        position = position_of(board)
        make_null_move(position)
        assert int(position["since_null"]) == 0
        passed = board.copy(stack=False)
        passed.push(chess.Move.null())
        expected = position_of(passed)
        for name in ("key", "checkers", "pinned_straight", "pinned_diagonal", "side", "rule50", "fullmove"):
            assert position[name] == expected[name], (board.fen(), name)


@pytest.mark.parametrize("seed", range(4))
def test_long_walks_stay_sound_and_lead_back(seed: int) -> None:
    moves = new_record(MOVE_LIST)
    played = np.zeros(300, np.int64)
    visited = 0
    for number, board in enumerate(starts(60, seed)):
        position = position_of(board)
        before = state_of(position)
        choices = kernels.random_choices(1000 * seed + number, len(played))
        verdict, length = kernels.walk(position, moves, choices, played)
        assert verdict == kernels.SOUND, (board.fen(), played[: length + 1])
        assert state_of(position) == before, board.fen()
        visited += length
    assert visited > 5000  # the walks were walks


def test_the_walk_notices_a_wrong_key() -> None:
    position = position_from(KIWIPETE)
    position["pawn_key"] ^= np.uint64(1)
    moves, played = new_record(MOVE_LIST), np.zeros(9, np.int64)
    verdict, length = kernels.walk(position, moves, kernels.random_choices(0, 9), played)
    assert (verdict, length) == (kernels.WRONG_PAWN_KEY, 0)


def test_the_key_foretold_is_the_key_of_plain_moves(boards: list[chess.Board]) -> None:
    checked = 0
    for board in boards[::20]:
        position = position_of(board)
        rights = position["castling"], position["en_passant"]
        for move in list_moves(position):
            foretold = int(key_after(position, move))
            make_move(position, move)
            if move >> 12 in PLAIN and (position["castling"], position["en_passant"]) == rights:
                assert int(position["key"]) == foretold, board.fen()
                checked += 1
            unmake_move(position, move)
    assert checked > 500


def test_keys_are_sums_over_the_pieces(boards: list[chess.Board]) -> None:
    """The pawn key and each side's other key, from the table of piece keys alone."""
    for board in boards[::10]:
        position = position_of(board)
        pawns, others = 0, [0, 0]
        for square, piece in enumerate(position["board"].tolist()):
            if piece & 7 == 6:
                continue
            if piece & 7 == 0:
                pawns ^= int(TABLES["piece_key"][piece, square])
            else:
                others[piece >> 3] ^= int(TABLES["piece_key"][piece, square])
        assert int(position["pawn_key"]) == pawns
        assert [int(key) for key in position["nonpawn_key"]] == others
        key = int(position["key"])
        recompute_keys(position)
        assert int(position["key"]) == key
