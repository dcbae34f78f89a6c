"""Cases written in SAN, for the tests."""

import chess
from chess.engine import PovScore, Score

from engine.explanation import Case, explain
from engine.explanation.tables import Tables


def moves(board: chess.Board, sans: str) -> list[chess.Move]:
    """The moves that ``sans`` spell from ``board``."""
    board = board.copy()
    return [board.push_san(san) for san in sans.split()]


def case(
    fen: str, move: str, other: str, reply: str, had: Score, has: Score, before: str = "", marked: bool = False
) -> Case:
    """The case of ``move``, the scores being from the mover's view; ``before`` is the move that came first."""
    board = chess.Board(fen)
    for played in moves(board, before):
        board.push(played)
    after = board.copy()
    after.push_san(move)
    scores = PovScore(had, board.turn), PovScore(has, board.turn)
    return Case(board, after.peek(), moves(board, other), moves(after, reply), *scores, marked)


def why(
    fen: str,
    move: str,
    best: str,
    reply: str,
    had: Score,
    has: Score,
    tables: Tables | None = None,
    before: str = "",
    marked: bool = False,
) -> str | None:
    """What is said of ``move``."""
    return explain(case(fen, move, best, reply, had, has, before, marked), tables)
