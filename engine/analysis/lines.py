"""Lines as text for people: score, chances and the moves in standard algebraic notation."""

from __future__ import annotations

import chess
from chess.engine import PovScore

from engine.analysis.judge import expectation
from engine.chesstypes import Analysis


def score_text(score: PovScore) -> str:
    """The score from White's view in pawns, or the moves to mate: ``+0.31``, ``-12.40``, ``#5``, ``#-2``.

    >>> from chess.engine import Cp, Mate
    >>> score_text(PovScore(Cp(31), chess.WHITE)), score_text(PovScore(Mate(2), chess.BLACK))
    ('+0.31', '#-2')
    """
    white = score.white()
    mate = white.mate()
    if mate is not None:
        sign = "-" if mate < 0 or (mate == 0 and expectation(white) == 0) else ""
        return f"#{sign}{abs(mate)}"
    return f"{white.score(mate_score=0) / 100:+.2f}"


def chances_text(score: PovScore, move: int) -> str:
    """The points that White may expect at a move of the game: ``White 56%``.

    >>> from chess.engine import Cp
    >>> chances_text(PovScore(Cp(0), chess.BLACK), 10)
    'White 50%'
    """
    return f"White {100 * expectation(score.white(), move):.0f}%"


def line_text(board: chess.Board, line: Analysis) -> str:
    """One line of an analysis of ``board`` on one line of text."""
    bound = {"lowerbound": " or better", "upperbound": " or worse"}.get(line.bound, "")
    moves = board.variation_san(line.pv) if line.pv else ending_text(board)
    chances = chances_text(line.score, board.fullmove_number)
    return f"{score_text(line.score):>7}{bound}  {chances:<10}  depth {line.depth:<3} {moves}"


def ending_text(board: chess.Board) -> str:
    """How the game on ``board`` ended, in words.

    >>> ending_text(chess.Board("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"))
    'checkmate, White wins'
    """
    outcome = board.outcome(claim_draw=True)
    if outcome is None:
        return "the game goes on"
    how = outcome.termination.name.lower().replace("_", " ")
    if outcome.winner is None:
        return f"{how}, a draw"
    return f"{how}, {chess.COLOR_NAMES[outcome.winner].capitalize()} wins"
