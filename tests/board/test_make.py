"""Making and unmaking moves: nothing is lost, and everything kept up to date stays right."""

import random
from typing import Any

import chess
import numpy as np
import pytest

from engine.board.fen import to_fen
from engine.board.make import key_after, make_move, make_null_move, unmake_move, unmake_null_move
from engine.board.movegen import count_moves
from engine.board.moves import CAPTURE, DOUBLE_PUSH, QUIET
from engine.board.notation import list_moves
from engine.board.position import recompute_keys, update_checks
from engine.board.tables import TABLES
from tests.board.oracle import KIWIPETE, position_from, position_of, starts, state_of

#: Kinds of moves whose keys are foretold, as long as no right to castle or en passant changes.
PLAIN = (QUIET, DOUBLE_PUSH, CAPTURE)


def test_null_move_matches_python_chess(boards: list[chess.Board]) -> None:
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


def walk(position: Any, generator: random.Random) -> int:
    """Make random moves, now and then a null move, and take all back; return how many. What is kept up to date must be
    what can be worked out anew."""
    played: list[int] = []
    while len(played) < 120:
        moves, before = list_moves(position), state_of(position)
        assert int(count_moves(position)) == len(moves)
        recompute_keys(position)
        update_checks(position)
        assert state_of(position) == before, (to_fen(position), played)
        if not moves:
            break
        passes = not position["checkers"] and generator.random() < 1 / 8
        played.append(0 if passes else generator.choice(moves))
        make_null_move(position) if passes else make_move(position, played[-1])
    for move in reversed(played):
        unmake_move(position, move) if move else unmake_null_move(position)
    return len(played)


@pytest.mark.parametrize("seed", range(2))
def test_long_walks_stay_sound_and_lead_back(seed: int) -> None:
    visited = 0
    for number, board in enumerate(starts(60, seed)):
        position = position_of(board)
        before = state_of(position)
        visited += walk(position, random.Random(1000 * seed + number))
        assert state_of(position) == before, board.fen()
    assert visited > 5000  # the walks were walks


def test_walk_detects_a_wrong_key() -> None:
    position = position_from(KIWIPETE)
    position["pawn_key"] ^= np.uint64(1)
    with pytest.raises(AssertionError):
        walk(position, random.Random(0))


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
