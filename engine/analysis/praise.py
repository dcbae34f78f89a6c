"""When a move deserves praise: "!!", "!" and "only move", by rules that can be checked on the board.

only move  every other legal move would be a mistake at least
"!"        the only move if it is hard to see: no promotion, no reply to a check and, unless it is a sacrifice, no
           capture and no piece brought to safety; or a sacrifice that is better than every other move
"!!"       a sacrifice that is the only move

If the second-best move also keeps a clear advantage, only a sacrifice is praised, and with "!" at most: one that gains
as much as a mistake costs or, if a piece is given, as much as an inaccuracy. No reply to a check with three legal moves
or fewer is an only move. A sacrifice (:mod:`engine.explanation.sacrifices`) is praised only if its side does not stand
worse after it.
"""

import chess
from chess.engine import Score

from engine.explanation.grades import Grade, cost, grade_of, points
from engine.explanation.sacrifices import MIN_SACRIFICE_PAWNS, offered, sacrificed
from engine.explanation.verdicts import EDGE
from engine.play.captures import Captures

_MAX_EASY_REPLIES = 3  # replies to a check that are easy to choose from

#: The expected points of a clear advantage, and the difference of two moves that are as good as each other.
CLEAR_POINTS, EQUAL_COST = 0.7, 0.02


def praise(board: chess.Board, move: chess.Move, score: Score, next_best: Score) -> Grade:
    """The grade of ``move``, the best on ``board``, whose side has ``score`` with it and ``next_best`` without it."""
    lost = cost(score, next_best)
    if lost < EQUAL_COST:
        return Grade.FINE
    given = sacrificed(board, move) if points(score) >= 1 - EDGE else {}
    if points(next_best) >= CLEAR_POINTS:
        least = Grade.INACCURACY if max(given.values(), default=0) > MIN_SACRIFICE_PAWNS else Grade.MISTAKE
        return Grade.GOOD if given and lost >= least.loss else Grade.FINE
    only = grade_of(score, next_best) in (Grade.MISTAKE, Grade.BLUNDER)
    if given:
        return Grade.BRILLIANT if only else Grade.GOOD
    if not only or (board.is_check() and board.legal_moves.count() <= _MAX_EASY_REPLIES):
        return Grade.FINE
    return Grade.ONLY if is_obvious(board, move) else Grade.GOOD


def is_obvious(board: chess.Board, move: chess.Move) -> bool:
    """Whether ``move`` is easy to see: a reply to a check, a promotion or, unless a sacrifice, a capture or retreat."""
    if board.is_check() or move.promotion:
        return True
    if sacrificed(board, move):
        return False
    if board.is_capture(move):
        return True
    waiting = board.copy(stack=False)
    waiting.push(chess.Move.null())
    return Captures(waiting).won_on(move.from_square) > 0


def is_candidate(board: chess.Board, move: chess.Move) -> bool:
    """Whether ``move`` may deserve praise: it is no recapture, and captures only what costs more."""
    return not is_recapture(board, move) and (not board.is_capture(move) or offered(board, move) > 0)


def is_recapture(board: chess.Board, move: chess.Move) -> bool:
    """Whether ``move`` is a recapture."""
    if not board.move_stack or board.move_stack[-1].to_square != move.to_square:
        return False
    previous = board.copy(stack=1)
    return previous.is_capture(previous.pop())
