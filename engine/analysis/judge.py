"""The expected result for a score, and how a game ended."""

import chess
from chess.engine import PovScore, Wdl

from engine.explanation.verdicts import chances
from engine.play.wdl import can_win, limit_by_material


def ending(board: chess.Board) -> chess.Outcome | None:
    """How a game that has come to ``board`` ended; None while it goes on.

    By the rules, or by a draw that can be claimed on this very board: a position for the third time, fifty moves.
    (python-chess's ``claim_draw`` also counts a claim that comes with one of the next moves.)

    >>> ending(chess.Board("4k3/7p/8/8/8/8/P7/R3K3 w - - 99 80"))
    >>> ending(chess.Board("4k3/7p/8/8/8/8/P7/R3K3 w - - 100 80")).result()
    '1/2-1/2'
    """
    outcome = board.outcome()
    if outcome is not None:
        return outcome
    if board.is_repetition(3):
        return chess.Outcome(chess.Termination.THREEFOLD_REPETITION, None)
    if board.halfmove_clock >= 100:
        return chess.Outcome(chess.Termination.FIFTY_MOVES, None)
    return None


def chances_on(board: chess.Board, score: PovScore, last: bool = False) -> Wdl:
    """White's chances on ``board``, whose score is ``score``; if the rules have ended the game, its result. On the
    ``last`` board of a game a draw that can be claimed has ended it, too.

    >>> from chess.engine import Cp
    >>> chances_on(chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), PovScore(Cp(0), chess.BLACK))
    Wdl(wins=0, draws=1000, losses=0)
    """
    outcome = ending(board) if last else board.outcome()
    if outcome is not None and outcome.winner is None:
        return Wdl(0, 1000, 0)
    found = chances(score.white(), board.fullmove_number)
    if score.is_mate():
        return found
    pieces = board.pawns, board.knights, board.bishops, board.rooks, board.queens
    white, black = (can_win(pieces, own) for own in (board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]))
    return Wdl(*limit_by_material((found.wins, found.draws, found.losses), white, black))
