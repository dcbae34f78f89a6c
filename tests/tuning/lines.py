"""Random games as lines of text, in the two forms that ``tuning.data.positions`` reads."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import chess

VALUES = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900, chess.KING: 0}


@dataclass(frozen=True)
class Position:
    """A position of a game, the move played, and its labels from White's view."""

    board: chess.Board
    move: chess.Move
    score: int
    half_points: int
    ply: int
    game: int


def material(board: chess.Board) -> int:
    """Centipawns from White's view."""
    return sum(VALUES[p.piece_type] * (1 if p.color else -1) for p in board.piece_map().values())


def random_games(count: int, seed: int = 1, chess960: bool = False, plies: int = 60) -> Iterator[Position]:
    """The positions of ``count`` games of random moves; the score is the material, the result its sign at the end."""
    dice = random.Random(seed)
    for game in range(count):
        board = chess.Board.from_chess960_pos(dice.randrange(960)) if chess960 else chess.Board()
        played = []
        while len(played) < plies and not board.is_game_over():
            move = dice.choice(list(board.legal_moves))
            played.append((board.copy(stack=False), move))
            board.push(move)
        end = material(board)
        for ply, (before, move) in enumerate(played):
            half_points = 1 if abs(end) < 200 else 2 if end > 0 else 0
            yield Position(before, move, material(before), half_points, ply, game)


def evaluation_line(position: Position) -> str:
    """``FEN · score · result · ply · flags`` from White's view; the move is not flagged."""
    fen = position.board.fen(en_passant="fen").rsplit(" ", 1)[0]
    result = ("0", "0.5", "1")[position.half_points]
    return f"{fen}\t{position.score}\t{result}\t{position.ply}\t{'c' if position.board.is_check() else '-'}\n"


def training_line(position: Position) -> str:
    """``FEN · move · score · ply · result`` from the view of the side to move."""
    sign = 1 if position.board.turn else -1
    fen = position.board.fen(en_passant="fen")
    return (
        f"{fen}\t{position.move.uci()}\t{sign * position.score}\t{position.ply}\t{sign * (position.half_points - 1)}\n"
    )
