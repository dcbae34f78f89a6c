"""The outlook of a quiet position: the best move, who stands better, and the advantages of each side."""

from typing import Literal

import chess
from chess.engine import PovScore

from engine.explanation.advantages import advantages
from engine.explanation.claims import Outlook
from engine.explanation.line import Line
from engine.explanation.standing import expectation, level

#: Expected points: at most this much less makes the second-best move hardly worse, at least this much clearly worse.
HARDLY, CLEARLY = 0.01, 0.22


def outlook(line: Line, score: PovScore, other: tuple[chess.Move, PovScore] | None = None) -> Outlook:
    """Compare the first move of the best ``line`` with the ``other``, second-best one and its score, and say how the
    game stands and what the advantages of each side are."""
    stands = level(expectation(score.white(), line.boards[0].fullmove_number))
    return Outlook(line, _choice(line.boards[0], score, other), other and other[0], stands, advantages(line))


def _choice(
    board: chess.Board, score: PovScore, other: tuple[chess.Move, PovScore] | None
) -> Literal["only", "best", "hardly", "clearly"]:
    if board.legal_moves.count() == 1:
        return "only"
    if other is None:
        return "best"
    best, next_best = (expectation(each.pov(board.turn), board.fullmove_number) for each in (score, other[1]))
    gap = best - next_best
    return "hardly" if gap <= HARDLY else "clearly" if gap >= CLEARLY else "best"
