"""Games in viriformat written and read with python-chess and struct alone, from the format's description."""

import random
import struct
from collections.abc import Sequence

import chess

#: The example of the format's own description, its nibbles turned as the crate's code has them: the start position,
#: then 1. e4 e5 2. Qh5 Ke7 3. Qxe5#.
EXAMPLE = bytes.fromhex(
    "ffff00000000ffff" "1642256100000000" "888888889ecaade9" "40" "00" "0100" "0000" "02" "00"
    "0c070a00" "34091400" "c309e2ff" "3c0dff7f" "2709ff7f" "00000000"
)  # fmt: skip

#: Start positions that lead soon to castling, en passant and promotion.
STARTS = (
    chess.STARTING_FEN,
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 4 8",
    "4k3/P1P1P3/3r1n2/8/8/3R1N2/p1p1p3/4K3 w - - 0 40",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "8/8/8/2k5/2pP4/8/8/2K1B3 b - d3 0 60",
    "4k2r/8/8/8/8/8/8/R3K3 b Qk - 17 30",
)


def pack_board(board: chess.Board, score: int = 0, result: int = 0) -> bytes:
    """The 32 bytes of a position."""
    nibbles = []
    for square in chess.SquareSet(board.occupied):
        piece = board.piece_at(square)
        code = piece.piece_type - 1
        if square in chess.SquareSet(board.clean_castling_rights()):
            code = 6
        nibbles.append(code | (0 if piece.color else 8))
    nibbles += [0] * (32 - len(nibbles))
    pieces = bytes(low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2], strict=True))
    behind = board.ep_square if board.has_pseudo_legal_en_passant() else None
    state = (0 if board.turn else 128) | (64 if behind is None else behind)
    return struct.pack(
        "<Q16sBBHhBB", board.occupied, pieces, state, board.halfmove_clock, board.fullmove_number, score, result, 0
    )


def pack_move(board: chess.Board, move: chess.Move) -> int:
    """The 16 bits of a legal move."""
    target, promotion, kind = move.to_square, 0, 0
    if move.promotion:
        promotion, kind = move.promotion - chess.KNIGHT, 3
    elif board.is_en_passant(move):
        kind = 1
    elif board.is_castling(move):
        kind = 2
        rooks = chess.SquareSet(board.castling_rights & chess.BB_RANKS[chess.square_rank(move.from_square)])
        target = max(rooks) if board.is_kingside_castling(move) else min(rooks)
    return move.from_square | target << 6 | promotion << 12 | kind << 14


def pack_game(board: chess.Board, moves: Sequence[chess.Move], scores: Sequence[int], result: int) -> bytes:
    """A game from ``board`` on."""
    board = board.copy()
    data = pack_board(board, 0, result)
    for move, score in zip(moves, scores, strict=True):
        data += struct.pack("<Hh", pack_move(board, move), score)
        board.push(move)
    return data + bytes(4)


def unpack_board(data: bytes) -> tuple[chess.Board, int, int, int]:
    """Position, score, result and extra byte of 32 bytes; castling rights by the unmoved rooks."""
    occupied, pieces, state, halfmoves, fullmove, score, result, extra = struct.unpack("<Q16sBBHhBB", data)
    board = chess.Board(None)
    rights = 0
    for index, square in enumerate(chess.SquareSet(occupied)):
        code = pieces[index // 2] >> 4 * (index % 2) & 15
        if code & 7 == 6:
            rights |= chess.BB_SQUARES[square]
        kind = chess.ROOK if code & 7 == 6 else (code & 7) + 1
        board.set_piece_at(square, chess.Piece(kind, code < 8))
    board.castling_rights = rights
    board.turn = state < 128
    board.ep_square = None if state & 127 == 64 else state & 127
    board.halfmove_clock, board.fullmove_number = halfmoves, fullmove
    return board, score, result, extra


def random_game(start: str, seed: int, chess960: bool = False) -> tuple[chess.Board, list[chess.Move], list[int], int]:
    """Start, moves, scores and result of a game of random moves, the uncommon ones more often than not."""
    source = random.Random(f"{start} {seed}")
    first = chess.Board(start, chess960=chess960)
    board = first.copy()
    moves: list[chess.Move] = []
    while len(moves) < 60 and not board.is_game_over():
        legal = list(board.legal_moves)
        special = [m for m in legal if m.promotion or board.is_castling(m) or board.is_en_passant(m)]
        moves.append(source.choice(special if special and source.random() < 0.7 else legal))
        board.push(moves[-1])
    return first, moves, [source.randint(-32_000, 32_000) for _ in moves], source.randint(0, 2)
