"""Positions that the tests of the search share. Mates and draws were chosen by hand and checked by another engine."""

import random

import chess

from engine.api.bench import positions as bench_positions
from tests.board.oracle import CHESS960_TRAPS

#: Forced mates: name, FEN, and in how many moves the side to move mates (negative: is mated).
MATES = (
    ("back rank", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
    ("scholar's mate", "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1),
    ("fool's mate", "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", 1),
    ("promotion", "k7/2P5/1K6/8/8/8/8/8 w - - 0 1", 1),
    ("Boden's mate", "2kr4/3n1ppp/p1p5/8/5B2/3Q4/PPP1BPPP/R3K2R w KQ - 0 1", 1),
    ("ladder", "7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", 2),
    ("Anastasia's mate", "5r1k/1b2Nppp/8/2R5/4Q3/8/5PPP/6K1 w - - 0 1", 2),
    ("Morphy at the opera", "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 16", 2),
    ("Legal's mate", "r2qkbnr/ppp2ppp/2np4/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6", 2),
    ("queen sacrifice", "r5k1/5ppp/8/8/8/8/1Q3PPP/1R4K1 w - - 0 1", 2),
    ("Damiano's mate", "5rk1/5pp1/6P1/8/8/8/8/2K3QR w - - 0 1", 3),
    ("the pawn in the way", "8/8/8/8/8/4N2p/5K1k/8 w - - 0 1", 3),
    ("smothered mate", "r6k/6pp/8/6N1/2Q5/8/6PP/6K1 w - - 0 1", 4),
    ("mated in one", "8/8/8/8/8/2k5/7q/K7 w - - 0 1", -1),
    ("mated by the queen", "3k4/8/4K3/8/8/8/1Q6/8 b - - 0 1", -3),
    ("mated by the rook", "8/8/8/8/8/2k5/7r/K7 w - - 0 1", -3),
)

#: Draws by rule that the search has to see, each with the depth in plies at which it must.
DRAWS = (
    ("50 moves: no move resets the clock", "7k/8/8/8/8/8/2Q5/K7 w - - 99 80", 6),
    ("50 moves: no mate within two plies", "7k/8/8/8/8/8/2Q5/K7 w - - 98 80", 6),
    ("perpetual check, a rook down", "6k1/6p1/8/7Q/8/2q5/1r4PP/7K w - - 0 1", 10),
    ("stalemate, or the pawn is lost", "8/8/8/8/8/1k6/p7/K7 b - - 0 1", 6),
    ("a lone knight", "8/8/4k3/8/8/3NK3/8/8 w - - 0 1", 5),
    ("a lone bishop", "8/8/4k3/8/8/3BK3/8/8 b - - 0 1", 5),
    ("bishops on squares of one colour", "8/8/4k3/5b2/8/3BK3/8/8 w - - 0 1", 5),
)


def varied_boards() -> list[chess.Board]:
    """Some fifty boards of every phase: the benchmark's, Chess960 openings and castling."""
    boards = [chess.Board(fen) for fen in bench_positions()]
    boards += [chess.Board(fen, chess960=True) for fen in CHESS960_TRAPS[::2]]
    boards += [chess.Board.from_chess960_pos(number) for number in (0, 77, 401, 959)]
    return boards


def random_board(seed: int, plies: int) -> chess.Board:
    """The position, with its moves, after up to ``plies`` random moves from the start."""
    generator = random.Random(seed)
    board = chess.Board()
    for _ in range(plies):
        moves = list(board.legal_moves)
        board.push(generator.choice(moves))
        if board.is_game_over():
            board.pop()
            break
    return board


def extreme_board(seed: int) -> chess.Board:
    """A legal position with pieces of every kind, many queens and many pawns about to promote."""
    generator = random.Random(seed)
    while True:
        board = chess.Board(None)
        free = generator.sample(chess.SQUARES, 64)
        for color, rank in ((chess.WHITE, 6), (chess.BLACK, 1)):
            board.set_piece_at(free.pop(), chess.Piece(chess.KING, color))
            pawns = [square for square in free if chess.square_rank(square) == rank][: generator.randint(0, 8)]
            queens = 9 - len(pawns)
            for square in pawns:
                board.set_piece_at(square, chess.Piece(chess.PAWN, color))
                free.remove(square)
            for kind, most in ((chess.QUEEN, queens), (chess.ROOK, 2), (chess.BISHOP, 2), (chess.KNIGHT, 2)):
                for _ in range(generator.randint(most // 2, most)):
                    board.set_piece_at(free.pop(), chess.Piece(kind, color))
        board.turn = generator.choice(chess.COLORS)
        if board.is_valid() and not board.is_game_over():
            return board
