"""Upcoming repetitions: found exactly where python-chess finds a move that brings an earlier position back."""

import random

import chess

from engine.board import cycles
from engine.board.fen import set_fen
from engine.board.notation import find_move
from engine.board.setup import new_position, play_move
from engine.board.tables import TABLES


def test_every_reversible_move_has_its_place():
    keys = cycles.CYCLES["key"]
    assert (keys != 0).sum() == 3668  # pairs of squares that a knight, bishop, rook, queen or king connects, twice
    white_knight = TABLES["piece_key"][1]
    wanted = white_knight[chess.B1] ^ white_knight[chess.C3] ^ TABLES["side_key"]
    place = int((keys == wanted).nonzero()[0][0])
    assert int(cycles.CYCLES["ends"][place]) == chess.BB_B1 | chess.BB_C3


def repeats(board: chess.Board, ply: int) -> bool:
    """Whether a move of the side to move, pins and checks aside, brings back a position since the root."""
    earlier = set()
    copy = board.copy()
    for _ in range(ply - 1):
        copy.pop()
        earlier.add(copy.epd())
    for move in board.pseudo_legal_moves:
        if board.is_zeroing(move) or board.is_castling(move):
            continue
        board.push(move)
        key = board.epd()
        board.pop()
        if key in earlier:
            return True
    return False


def test_upcoming_repetitions_match_python_chess():
    choose = random.Random(5)
    found = total = 0
    for start in (
        "r3k2r/8/8/3n4/8/2B5/8/R3K2R w - - 0 1",
        "8/3k4/2q5/8/1B6/8/3RK3/8 b - - 0 1",
        "6k1/5ppp/3r4/8/8/2N5/5PPP/3R2K1 w - - 0 1",
    ):
        for _ in range(5):
            board, position = chess.Board(start), new_position()
            set_fen(position, start, False)
            for ply in range(40):
                expected = repeats(board, ply)
                assert cycles.has_upcoming_repetition(position, ply) == expected, board.fen()
                found, total = found + expected, total + 1
                quiet = [move for move in board.legal_moves if not board.is_zeroing(move)]
                if not quiet:
                    break
                # Going back and forth makes repetitions likely.
                back = [move for move in quiet if len(board.move_stack) > 1 and _undoes(move, board.move_stack[-2])]
                move = choose.choice(back if back and choose.random() < 0.4 else quiet)
                board.push(move)
                play_move(position, find_move(position, move.uci()))
    assert 30 < found < total - 100


def _undoes(move: chess.Move, before: chess.Move) -> bool:
    return (move.from_square, move.to_square) == (before.to_square, before.from_square)
