"""Draws: repetition in the game and in the search, the 50-move rule, and too little material."""

import random
from collections.abc import Callable, Iterator
from functools import partial

import chess
import pytest

from engine.board.aliases import HISTORY
from engine.board.draws import is_insufficient_material, is_repetition
from engine.board.make import make_move, make_null_move, unmake_move, unmake_null_move
from engine.board.notation import find_move, list_moves, play_moves
from engine.board.position import GAME_HISTORY
from engine.board.setup import play_move
from engine.fen import START_FEN
from tests.board.oracle import position_from, position_of

SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


def _make(position, *moves: str) -> None:
    for text in moves:
        make_move(position, find_move(position, text))


def test_twice_in_the_search_is_a_repetition() -> None:
    position = position_from(START_FEN)
    _make(position, *SHUFFLE)
    assert is_repetition(position, 5)  # its first time lies within the search
    assert not is_repetition(position, 4)  # the root came again: that alone is no draw
    assert not is_repetition(position, 3)  # its first time lies before the root
    _make(position, *SHUFFLE)
    assert is_repetition(position, 8)  # the root a third time


def test_once_in_the_game_and_once_in_the_search_is_not_yet_one() -> None:
    position = position_from(START_FEN)
    play_moves(position, ["g1f3", "g8f6"])
    _make(position, "f3g1", "f6g8")
    assert not is_repetition(position, 2)
    _make(position, *SHUFFLE)
    assert is_repetition(position, 6)
    position = position_from(START_FEN)
    play_moves(position, [*SHUFFLE, "g1f3", "g8f6"])
    _make(position, "f3g1", "f6g8")
    assert is_repetition(position, 2)  # the third time, across both


@pytest.mark.parametrize("irreversible", ["e2e4", "f2g3"])
def test_irreversible_move_ends_the_search_for_repetitions(irreversible: str) -> None:
    position = position_from("4k1n1/8/8/8/8/6p1/4PB2/4K1N1 w - - 0 1")
    _make(position, *SHUFFLE)
    assert is_repetition(position, 5)
    _make(position, irreversible, "g8f6", "g1f3", "f6g8")
    position["history"]["key"][:4] = position["key"]  # as if each position before it were this one
    assert not is_repetition(position, 8)
    _make(position, "f3g1")
    assert is_repetition(position, 9)  # the position that the move led to


def test_nothing_repeats_across_a_null_move() -> None:
    position = position_from("4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1")
    start = int(position["key"])
    _make(position, "g1f3")
    make_null_move(position)
    _make(position, "f3g1")
    make_null_move(position)
    assert int(position["key"]) == start
    assert not is_repetition(position, 4)
    unmake_null_move(position)
    _make(position, "g8f6", *["g1f3", "f6g8", "f3g1"])
    assert is_repetition(position, 7)  # what came after the null move counts again


def _compared(board: chess.Board, choose: Callable[[chess.Board], chess.Move | None]) -> Iterator[chess.Board]:
    """The positions of a game of such moves, in each of which python-chess sees the same repetitions."""
    played, searched = position_of(board), position_of(board)
    for ply in range(1, 50):
        move = choose(board)
        if move is None:
            break
        board.push(move)
        play_move(played, find_move(played, move.uci()))
        make_move(searched, find_move(searched, move.uci()))
        assert is_repetition(played, 0) == board.is_repetition(3), board.fen()
        assert is_repetition(searched, 0) == board.is_repetition(3), board.fen()
        assert is_repetition(searched, ply + 1) == board.is_repetition(2), board.fen()
        yield board


def _step(generator: random.Random, board: chess.Board) -> chess.Move | None:
    """A random move that captures nothing."""
    moves = [move for move in board.legal_moves if not board.is_capture(move)]
    return generator.choice(moves) if moves else None


def test_repetitions_of_random_games_match_python_chess() -> None:
    """Two kings that may only step meet themselves often."""
    repeated = 0
    for seed in range(12):
        start = chess.Board("k7/8/1p6/1P6/8/6p1/6P1/7K w - - 0 1")
        repeated += sum(board.is_repetition(2) for board in _compared(start, partial(_step, random.Random(seed))))
    assert repeated > 50


#: Double pushes past an enemy pawn that often may not take: its king is pinned to it, or checked by something else.
PINNED_TAKERS = (
    "6k1/6rp/8/6P1/8/4Q1K1/8/8 b - - 0 1",
    "4k3/3p4/8/K1P4r/8/8/8/R7 b - - 0 1",
    "1b5k/5p2/8/4P3/8/6K1/8/7R b - - 0 1",
    "6k1/8/r7/8/4p3/8/3P4/B3K3 w - - 0 1",
    "4b2k/3p4/8/2P5/K7/8/8/8 b - - 0 1",
    "8/8/8/7k/R3p3/8/3P4/2B1K3 w - - 0 1",
)


def _sway(generator: random.Random, board: chess.Board) -> chess.Move | None:
    """A random move that captures nothing: a double push when there is one, or back where the last piece came from."""
    moves = [move for move in board.legal_moves if not board.is_capture(move)]
    steps = [move for move in moves if board.piece_type_at(move.from_square) != chess.PAWN]
    pushes = [move for move in moves if abs(move.to_square - move.from_square) == 16 and move not in steps]
    if pushes and generator.random() < 0.2:
        return generator.choice(pushes)
    last = board.move_stack[-2] if len(board.move_stack) > 1 else None
    if last is not None and chess.Move(last.to_square, last.from_square) in steps and generator.random() < 0.8:
        return chess.Move(last.to_square, last.from_square)
    return generator.choice(steps) if steps else None


def test_en_passant_square_counts_only_if_capture_is_legal() -> None:
    repeated = 0
    for seed in range(60):
        generator = random.Random(seed)
        start, idle = chess.Board(generator.choice(PINNED_TAKERS)), set()
        for board in _compared(start, partial(_sway, generator)):
            if board.has_pseudo_legal_en_passant() and not board.has_legal_en_passant():
                idle.add(board.epd())
            repeated += board.epd() in idle and board.is_repetition(2)
    assert repeated > 15


@pytest.mark.parametrize("plies", [GAME_HISTORY - 1, GAME_HISTORY, GAME_HISTORY + 1, 1500])
def test_a_long_game_forgets_the_old_and_knows_the_new(plies: int) -> None:
    """Knights go out and home for ages: still a repetition, and a square never visited is still none."""
    position = position_from("4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1")
    play_moves(position, [SHUFFLE[ply % 4] for ply in range(plies)])
    assert int(position["ply"]) <= GAME_HISTORY < HISTORY
    assert int(position["rule50"]) == plies
    assert is_repetition(position, 0)
    start = position_from("4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1")
    play_moves(start, SHUFFLE[: plies % 4])
    assert position["key"] == start["key"]
    free = [move for move in list_moves(position) if (move & 63) == (4 if plies % 2 == 0 else 60)]
    make_move(position, free[0])
    assert not is_repetition(position, 1)
    unmake_move(position, free[0])
    assert is_repetition(position, 0)


def test_history_of_a_long_game_is_correct() -> None:
    """Two kings wander, each on its side of a wall of pawns; a list of all keys tells what must be found."""
    generator = random.Random(11)
    position = position_from("8/2k5/8/p1p1p1p1/P1P1P1P1/8/2K5/8 w - - 0 1")
    keys = [int(position["key"])]
    second, third = 0, 0
    for _ in range(1500):
        play_move(position, generator.choice(list_moves(position)))
        kept = keys[-int(position["ply"]) :]
        assert len(kept) >= min(len(keys), GAME_HISTORY // 2)
        seen = kept.count(int(position["key"]))
        assert is_repetition(position, len(keys) + 1) == (seen >= 1)
        assert is_repetition(position, 0) == (seen >= 2)
        keys.append(int(position["key"]))
        second, third = second + (seen >= 1), third + (seen >= 2)
    assert second > 200
    assert third > 50


@pytest.mark.parametrize(
    ("black", "white"),
    [("4k3", "4K3"), ("4k3", "4KN2"), ("4kb2", "4K3"), ("4k3", "3NKN2"), ("4kn2", "4KN2"), ("4kb2", "4KN2"),
     ("4kb2", "2B1K3"), ("4kb2", "4KB2"), ("b1b1k3", "1B1BK3"), ("4k3", "4KR2"), ("4k3", "4KQ2")],
)  # fmt: skip
def test_insufficient_material_agrees_with_python_chess(black: str, white: str) -> None:
    board = chess.Board(f"{black}/8/8/8/8/8/8/{white} w - - 0 1")
    assert is_insufficient_material(position_of(board)) == board.is_insufficient_material()
