"""What a score means for the result of the game, and when a move is a mistake."""

from __future__ import annotations

from enum import Enum

import chess
from chess.engine import MateGiven, PovScore, Score, Wdl

from engine.wdl import MODEL, REFERENCE_MOVE


def chances(score: Score, move: int = REFERENCE_MOVE) -> Wdl:
    """The chances to win, draw and lose, in thousandths, of the side from whose view ``score`` is given.

    ``move`` is the move of the game. By what the engine's own games show (:mod:`engine.wdl`).

    >>> from chess.engine import Mate
    >>> chances(Mate(3)), chances(Mate(-1))
    (Wdl(wins=1000, draws=0, losses=0), Wdl(wins=0, draws=0, losses=1000))
    """
    mate = score.mate()
    if mate is not None:
        return Wdl(1000, 0, 0) if mate > 0 or score is MateGiven else Wdl(0, 0, 1000)
    return Wdl(*MODEL.chances(round(score.score(mate_score=0) * MODEL.pawn / 100), move))


def chances_on(board: chess.Board, score: PovScore) -> Wdl:
    """White's chances on ``board``, whose score is ``score``; where the rules have ended the game, its result.

    >>> from chess.engine import Cp
    >>> chances_on(chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), PovScore(Cp(0), chess.BLACK))
    Wdl(wins=0, draws=1000, losses=0)
    """
    outcome = board.outcome()
    if outcome is not None and outcome.winner is None:
        return Wdl(0, 1000, 0)
    return chances(score.white(), board.fullmove_number)


def expectation(score: Score, move: int = REFERENCE_MOVE) -> float:
    """The expected points, from 0 to 1, of the side from whose view ``score`` is given, at a move of the game.

    By its :func:`chances`, a draw being half a point.

    >>> from chess.engine import Cp, Mate
    >>> expectation(Cp(0)), expectation(Mate(3)), expectation(Mate(-1))
    (0.5, 1.0, 0.0)
    """
    return chances(score, move).expectation()


class Grade(Enum):
    """How bad a move was: its word, its numeric annotation glyph (NAG), and the expected points it lost at least.

    The three steps, and measuring them in winning chances instead of centipawns, are those of lichess.org's
    analysis: between +9 and +6 nothing happened, between +1 and -2 everything did.
    """

    FINE = ("", None, 0.0)
    INACCURACY = ("inaccuracy", 6, 0.05)
    MISTAKE = ("mistake", 2, 0.10)
    BLUNDER = ("blunder", 4, 0.15)

    def __init__(self, word: str, nag: int | None, loss: float) -> None:
        self.word = word
        self.nag = nag
        self.loss = loss

    @property
    def glyph(self) -> str:
        """What is written behind the move: ?!, ? or ??."""
        return {None: "", 6: "?!", 2: "?", 4: "??"}[self.nag]


def grade(loss: float) -> Grade:
    """The grade of a move that lost ``loss`` expected points.

    >>> grade(0.12).word, grade(0.2).glyph, grade(-0.01) is Grade.FINE
    ('mistake', '??', True)
    """
    return max((found for found in Grade if loss >= found.loss), key=lambda found: found.loss, default=Grade.FINE)
