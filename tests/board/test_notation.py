"""Moves as text: finding them, playing lists of them, and naming the one that is not legal."""

import random

import pytest

from engine.board.fen import to_fen
from engine.board.notation import find_move, play_moves
from engine.fen import START_FEN
from engine.messages import PositionError
from tests.board.oracle import position_from, position_of, random_game, starts

ROOKS = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"


def test_moves_are_read_in_either_case() -> None:
    position = position_from("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1")
    assert find_move(position, "b7b8Q") == find_move(position, "B7B8q") == find_move(position, "b7b8q") != 0
    play_moves(position, ["b7b8Q"])
    assert to_fen(position).startswith("1Q2k3/")


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("e1g1", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R4RK1"),
        ("e1h1", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R4RK1"),
        ("e1c1", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/2KR3R"),
        ("e1a1", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/2KR3R"),
    ],
)
@pytest.mark.parametrize("chess960", [False, True])
def test_castling_is_read_in_both_ways(text: str, board: str, chess960: bool) -> None:
    position = position_from(ROOKS, chess960)
    play_moves(position, [text])
    assert to_fen(position).split()[:3] == [board, "b", "kq"]
    assert find_move(position_from(ROOKS, chess960), text) != 0


@pytest.mark.parametrize(
    ("moves", "named"),
    [
        (["e2e4", "e7e5", "e4e5"], r"illegal move 'e4e5' \(move 3 of the list; write e2e4, e7e8q\)"),
        (["e2e4", "nonsense", "e7e5"], r"illegal move 'nonsense' \(move 2 of the list; write e2e4, e7e8q\)"),
    ],
)
def test_the_illegal_move_is_named(moves: list[str], named: str) -> None:
    with pytest.raises(PositionError, match=named):
        play_moves(position_from(START_FEN), moves)


ILLEGAL = {
    START_FEN: ("", "0000", "e2e5", "e7e5", "e2e4q", "e2", "e2e4e5", "i2i4", "é2e4"),
    ROOKS: ("e1g1q", "e1h1n", "e1g1 "),
    "4k3/1P6/8/8/8/8/8/4K3 w - - 0 1": ("b7b8", "b7b8k", "b7b8p"),
}


@pytest.mark.parametrize(("fen", "text"), [(fen, text) for fen, texts in ILLEGAL.items() for text in texts])
def test_illegal_moves_are_not_found(fen: str, text: str) -> None:
    assert find_move(position_from(fen), text) == 0
    with pytest.raises(PositionError, match=f"illegal move '{text}'"):
        play_moves(position_from(fen), [text])


def test_lists_of_moves_lead_where_python_chess_goes() -> None:
    generator = random.Random(7)
    for seed, start in enumerate(starts(0)):
        *_, last = random_game(start, seed, 120)
        moves = [move.uci() for move in last.move_stack]
        position = position_of(start)
        cut = generator.randint(0, len(moves))
        play_moves(position, moves[:cut])
        play_moves(position, moves[cut:])
        assert to_fen(position) == last.fen(en_passant="xfen")
