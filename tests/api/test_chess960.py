"""Chess960, and double Fischer random chess, where the two sides start differently: python-chess is the oracle."""

import random
from collections.abc import Iterator

import chess
import pytest

from engine.api import Engine
from engine.messages import Info, Limits


@pytest.fixture(scope="module")
def numbat() -> Iterator[Engine]:
    with Engine(hash=2, chess960=True) as running:
        yield running


def double_start(white: int, black: int) -> chess.Board:
    """The start position with number ``white`` for White and ``black`` for Black."""
    board = chess.Board.from_chess960_pos(white)
    other = chess.Board.from_chess960_pos(black)
    for square in chess.SquareSet(chess.BB_RANK_8):
        board.set_piece_at(square, other.piece_at(square))
    board.castling_rights = board.rooks
    return board


def play_out(numbat: Engine, board: chess.Board, plies: int) -> int:
    """Play ``plies`` against itself, everything checked; return how often it castled."""
    castled = 0
    while not board.is_game_over(claim_draw=True) and board.ply() < plies:
        infos: list[Info] = []
        start = board.root().fen(shredder=True)
        numbat.set_position(start, [move.uci() for move in board.move_stack])  # as a GUI has it done
        result = numbat.go(Limits(nodes=300), infos.append)
        for info in infos:
            line = board.copy(stack=False)
            for move in info.pv:
                assert chess.Move.from_uci(move) in line.legal_moves, (board.fen(), info.pv)
                line.push(chess.Move.from_uci(move))
        move = chess.Move.from_uci(result.bestmove)  # as written: castling is king takes rook
        assert move in board.legal_moves
        castled += board.is_castling(move)
        board.push(move)
        numbat.set_position(board.fen(shredder=True))
        assert numbat.board() == board
    return castled


def test_games_from_double_starts_are_legal_and_castle(numbat):
    source = random.Random(1)
    castled = 0
    for _ in range(8):
        castled += play_out(numbat, double_start(source.randrange(960), source.randrange(960)), plies=50)
    assert castled > 2


@pytest.mark.slow
def test_games_from_all_starts_are_legal_and_castle(numbat):
    castled = sum(play_out(numbat, chess.Board.from_chess960_pos(number), plies=60) for number in range(960))
    assert castled > 300


def test_counts_of_double_starts(numbat):
    source = random.Random(2)
    for _ in range(10):
        board = double_start(source.randrange(960), source.randrange(960))
        for square in (chess.B1, chess.C1, chess.D1, chess.E1, chess.F1, chess.G1):
            piece = board.piece_at(square)
            if piece is not None and piece.piece_type not in (chess.KING, chess.ROOK) and source.random() < 0.7:
                board.remove_piece_at(square)  # room to castle
        if not board.is_valid():
            continue
        numbat.set_position(board.fen(shredder=True))
        replies = 0
        for move in board.legal_moves:
            board.push(move)
            replies += board.legal_moves.count()
            board.pop()
        assert numbat.perft(2) == replies, board.fen()
