"""python-chess as the oracle: positions of random games, and what it says about them in our terms."""

import random
from collections.abc import Iterator
from typing import Any

import chess
import chess.polyglot
import numpy as np

from engine.board.fen import set_fen
from engine.board.notation import list_moves, to_uci
from engine.board.position import POSITION
from engine.board.setup import new_position

#: The part of a position before its history, in bytes.
STATE_BYTES = POSITION.fields["history"][1]

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

#: Places where move generators go wrong: en passant and pins, castling through and out of attacks,
#: promotions with check, double checks, mates and stalemates.
STANDARD_TRAPS = (
    KIWIPETE,
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",  # en passant would bare the rank
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "k7/8/8/3pP3/8/8/6B1/K7 w - d6 0 1",
    "8/5bk1/8/2Pp4/8/1K6/8/8 w - d6 0 1",  # en passant bares a diagonal
    "8/8/8/1Ppp3r/1K6/8/8/6k1 w - c6 0 1",
    "4k3/8/8/2pP4/8/8/8/2R1K3 w - c6 0 1",
    "8/8/4k3/2pP4/8/8/8/4K1B1 b - - 0 1",
    "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
    "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
    "4k3/8/8/2pP4/8/3n4/8/4K3 w - c6 0 1",  # the knight's check stays
    "4k3/8/8/2pP4/8/4p3/3K4/8 w - c6 0 1",
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
    "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
    "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
    "r3k2r/8/8/8/8/8/1p5p/R3K2R b KQkq - 0 1",
    "2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1",
    "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1",
    "4k3/1P6/8/8/8/8/K7/8 w - - 0 1",
    "8/P1k5/K7/8/8/8/8/8 w - - 0 1",
    "K1k5/8/P7/8/8/8/8/8 w - - 0 1",
    "8/k1P5/8/1K6/8/8/8/8 w - - 0 1",
    "8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/Pk6/8/8/8/8/6Kp/8 w - - 0 1",
    "4k3/8/4r3/8/1b6/8/3P4/R3K2R w KQ - 0 1",
    "4k3/8/5n2/8/8/8/4r3/R3K2R w KQ - 0 1",
    "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",  # 218 moves, the most there can be
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",  # mate
    "4k3/8/8/8/8/8/8/4K3 w - - 99 200",
)

#: Castling of Chess960: rooks and kings that pass, meet, stand still or unmask an attack.
CHESS960_TRAPS = (
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
    "r1k2r1q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K2R1Q w KQkq - 0 1",
    "8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1",
    "2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1",
    "4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1",  # the rook leaves a pin
    "8/8/8/8/8/8/8/qRK1k3 w B - 0 1",
    "2k5/8/8/8/8/8/8/rR1K4 w B - 0 1",
    "5rk1/8/8/8/8/8/8/5RKR w H - 0 1",  # king stays on g1
    "rk6/1p6/8/8/8/8/8/1RK4R w BH - 0 1",
    "4k3/8/8/8/8/8/8/RR1K1R1R w BF - 0 1",  # inner rooks
    "k7/8/8/8/8/8/8/4RKR1 w EG - 0 1",
    "rr4kr/8/8/8/8/8/8/RR4KR b HBhb - 0 1",
    "bqrkrnnb/pppppppp/8/8/8/8/PPPPPPPP/BQRKRNNB w ECec - 0 1",
    "nrbkqbrn/1ppppppp/8/8/8/8/1PPPPPPP/NRBKQBRN b GBgb - 3 7",
)


def position_of(board: chess.Board) -> Any:
    """Our record of a python-chess position."""
    position = new_position()
    set_fen(position, board.fen(shredder=board.chess960, en_passant="xfen"), board.chess960)
    return position


def position_from(fen: str, chess960: bool = False) -> Any:
    """Our record of a FEN."""
    position = new_position()
    set_fen(position, fen, chess960)
    return position


def state_of(position: Any) -> bytes:
    """Every byte of a position but the unused part of its history."""
    used = STATE_BYTES + int(position["ply"]) * POSITION["history"].base.itemsize
    return np.frombuffer(position, np.uint8)[:used].tobytes()


def key_of(board: chess.Board) -> int:
    """Polyglot's key of the position, an en passant square that allows no legal capture left out (FIDE 9.2.3)."""
    board = board.copy(stack=False)
    if not board.has_legal_en_passant():
        board.ep_square = None
    return chess.polyglot.zobrist_hash(board)


def our_moves(position: Any) -> list[str]:
    """The legal moves that our generator gives, in UCI notation, sorted."""
    return sorted(to_uci(move, bool(position["chess960"])) for move in list_moves(position))


def their_moves(board: chess.Board) -> list[str]:
    """The legal moves that python-chess gives, in UCI notation, sorted."""
    return sorted(board.uci(move) for move in board.legal_moves)


def _choose(board: chess.Board, moves: list[chess.Move], generator: random.Random) -> chess.Move:
    """A random move, castling, promotions, en passant and checks more often than their share."""
    rare = [move for move in moves if move.promotion or board.is_castling(move) or board.is_en_passant(move)]
    if rare and generator.random() < 0.5:
        return generator.choice(rare)
    return generator.choice(moves)


def random_game(start: chess.Board, seed: int, plies: int) -> Iterator[chess.Board]:
    """The positions of a random game, ``start`` and the last one included. The same board object is moved on."""
    generator = random.Random(seed)
    board = start.copy()
    yield board
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            return
        board.push(_choose(board, moves, generator))
        yield board


def starts(count: int, seed: int = 1) -> list[chess.Board]:
    """Start positions of games: every trap, the standard array, and ``count`` of Chess960's."""
    boards = [chess.Board(), *(chess.Board(fen) for fen in STANDARD_TRAPS)]
    boards += [chess.Board(fen, chess960=True) for fen in CHESS960_TRAPS]
    numbers = random.Random(seed).sample(range(960), count)
    return boards + [chess.Board.from_chess960_pos(number) for number in numbers]
